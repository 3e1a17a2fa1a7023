"""Hosts of steps: the Podman of this machine, and those of others, which Dask's workers run."""
