"""Metrics for Prometheus: counters of web processes, figures of the run store, and their listener."""
