"""The topics of a change signal under which runs and builds are rung."""

from __future__ import annotations

WORK = "work"


def run_topic(run: int) -> str:
    """The change signal of a run's status."""
    return f"run {run}"


def log_topic(run: int) -> str:
    """The change signal of a run's log."""
    return f"log {run}"
