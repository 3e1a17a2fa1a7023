"""Bars of a job's newest runs: one for each, the newest at the right, high for long ones and for failures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST, STEP, WIDE, HIGH, LEAST = 30, 5, 4, 24, 5
LONG = 3600.0
"""Seconds of a run whose bar is as high as there is room."""
STANDS = {
    "success": "succeeded",
    "failed": "failed",
    "rejected": "were rejected",
    "canceled": "were canceled",
    "waiting": "wait",
    "processing": "run",
    "canceling": "are being stopped",
}
FAILED = ("failed", "rejected")


@dataclass(frozen=True, slots=True)
class RunBar:
    """The bar of a run; a `notched` one says so without its colour."""

    x: int
    y: int
    height: int
    status: str
    notched: bool


@dataclass(frozen=True, slots=True)
class RunBars:
    """The bars of runs, and what they tell in words; `newest` is the status of the last run, "" of none."""

    bars: Sequence[RunBar]
    says: str
    newest: str
    at: str
    floor: int
    width: int = MOST * STEP - 1
    height: int = HIGH
    wide: int = WIDE


def bars(runs: Sequence[Mapping[str, Any]]) -> RunBars:
    """The bars of runs that come newest first."""
    shown = list(runs[:MOST])
    counts = Counter(run["status"] for run in shown)
    told = ", ".join(f"{counts[status]} {said}" for status, said in STANDS.items() if counts[status])
    newest = shown[0] if shown else None
    return RunBars(
        [_bar(MOST - 1 - place, run) for place, run in enumerate(shown)],
        f"Last {len(shown)} runs: {told}" if shown else "Never run",
        newest["status"] if newest else "",
        newest["started_on"] or "" if newest else "",
        (MOST - len(shown)) * STEP,
    )


def _bar(place: int, run: Mapping[str, Any]) -> RunBar:
    failed = run["status"] in FAILED
    part = math.log1p(run["duration"] or 0) / math.log1p(LONG)
    height = HIGH if failed else min(HIGH, max(LEAST, round(LEAST + part * (HIGH - LEAST))))
    return RunBar(place * STEP, HIGH - height, height, run["status"], failed)
