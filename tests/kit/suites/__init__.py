"""Suites of promises: each holds every adapter of a port to what the port says."""
