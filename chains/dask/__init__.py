"""Dask: the engine that runs steps on other hosts, and the worker that runs them there."""
