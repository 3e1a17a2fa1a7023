"""The change signal's topics for runs and builds."""

from __future__ import annotations

WORK = "work"


def run_topic(run: int) -> str:
    """Return the topic for a run's status."""
    return f"run {run}"


def log_topic(run: int) -> str:
    """Return the topic for a run's log."""
    return f"log {run}"
