"""The Dask engine, which runs steps on other hosts, and its workers there."""
