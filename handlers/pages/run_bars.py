"""The last runs of a job as bars: the duration and result of each, as a drawing and in words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST = 30
WIDE, APART, HIGH, LOW = 4, 5, 24, 5
LONGEST = 3_600.0
"""Seconds of a run whose bar has the full height."""
BAD = ("failed", "rejected")
WORDS = {
    "success": "succeeded",
    "failed": "failed",
    "rejected": "rejected",
    "canceled": "canceled",
    "canceling": "being stopped",
    "processing": "running",
    "waiting": "waiting",
}


@dataclass(frozen=True, slots=True)
class RunBar:
    """A bar, in pixels, of a run with this status; a `notched` one has a cut in its top."""

    x: int
    y: int
    height: int
    status: str
    notched: bool

    @property
    def outline(self) -> str:
        """The `d` of the bar's path."""
        left, right, top, bottom = self.x, self.x + WIDE, self.y, self.y + self.height
        if not self.notched:
            return f"M{left} {bottom}V{top}H{right}V{bottom}z"
        return f"M{left} {bottom}V{top}L{left + WIDE / 2:g} {top + 6}L{right} {top}V{bottom}z"


@dataclass(frozen=True, slots=True)
class RunBars:
    """The bars, newest at the right, and a description; `newest` is the last run's status, "" if none."""

    bars: tuple[RunBar, ...]
    missing: tuple[int, ...]
    words: str
    newest: str
    began: str
    width: int = MOST * APART - 1
    height: int = HIGH


def run_bars(runs: Sequence[Mapping[str, Any]]) -> RunBars:
    """Return the bars of the newest runs, which are given newest first."""
    shown = list(runs[:MOST])[::-1]
    begin = MOST - len(shown)
    bars = tuple(_bar((begin + at) * APART, run) for at, run in enumerate(shown))
    missing = tuple(at * APART for at in range(begin))
    if not shown:
        return RunBars(bars, missing, "Never run", "", "")
    return RunBars(bars, missing, _words(shown), str(shown[-1]["status"]), str(shown[-1]["started_on"] or ""))


def _bar(x: int, run: Mapping[str, Any]) -> RunBar:
    status, seconds = str(run["status"]), float(run["duration"] or 0)
    part = math.log1p(min(seconds, LONGEST)) / math.log1p(LONGEST)
    height = HIGH if status in BAD else round(LOW + (HIGH - LOW) * part)
    return RunBar(x, HIGH - height, height, status, status in BAD)


def _words(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of runs and the newest one's status, in words."""
    counts = Counter(str(run["status"]) for run in runs)
    said = ", ".join(f"{counts[word]} {says}" for word, says in WORDS.items() if counts[word])
    newest = WORDS[str(runs[-1]["status"])]
    many = f"Last {len(runs)} runs" if len(runs) > 1 else "One run"
    return f"{many}: {said}; the newest {newest}"
