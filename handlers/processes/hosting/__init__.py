"""Hosts of steps: the Podman of this machine, and those of other machines, which run Dask's workers."""
