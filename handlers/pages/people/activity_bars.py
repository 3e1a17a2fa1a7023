"""Activity of an organisation as bars: the runs of each of the last 30 days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

DAYS, HEIGHT, WIDTH, STEP = 30, 48, 7, 9


class DayBar(NamedTuple):
    """A day's bar: where it stands, its height, and the part of it that failed, in pixels."""

    x: int
    y: int
    height: int
    failed: int
    words: str


class ActivityBars(NamedTuple):
    """The drawing of the days, and what it says in words."""

    bars: Sequence[DayBar]
    width: int
    height: int
    words: str


def activity_bars(series: Sequence[Mapping[str, Any]]) -> ActivityBars | None:
    """The bars of the last days of a series, the oldest first; None where nothing ran."""
    days = series[-DAYS:]
    totals = [int(day["jobs"]["total"]) for day in days]
    if not any(totals):
        return None
    most = max(totals)
    bars = [_bar(number, day, most) for number, day in enumerate(days)]
    failed = sum(int(day["jobs"]["status"]["failed"]) for day in days)
    whole = sum(totals)
    ways = {
        way: sum(int(day["jobs"]["trigger"][way]) for day in days) for way in ("api", "schedule", "email")
    }
    words = (
        f"{whole:,} run{'s' * (whole != 1)}, of which {failed:,} failed. "
        f"By call {ways['api']:,}, by clock {ways['schedule']:,}, by mail {ways['email']:,}."
    )
    return ActivityBars(bars, len(days) * STEP - (STEP - WIDTH), HEIGHT, words)


def _bar(number: int, day: Mapping[str, Any], most: int) -> DayBar:
    total, failed = int(day["jobs"]["total"]), int(day["jobs"]["status"]["failed"])
    height = max(round(total / most * HEIGHT), 2) if total else 1
    bad = min(max(round(failed / most * HEIGHT), 2), height) if failed else 0
    words = f"{day['day']}: {total} run{'s' * (total != 1)}" + (f", {failed} failed" if failed else "")
    return DayBar(number * STEP, HEIGHT - height, height, bad, words)
