"""Figures for Prometheus: what web processes count, what the book tells, and the listener that shows both."""
