"""Times and durations as pages write them: relative, in the reader's zone, and in at most two units."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from handlers.pages.framing.reader import present

MINUTE, HOUR, DAY, WEEK = 60, 3600, 86_400, 7
HALF_DAY = 12


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo:
    """Return the time zone of that name; UTC if there is none."""
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        return ZoneInfo("UTC")


def _here(stamp: str) -> datetime:
    """Return a time in the reader's zone."""
    return datetime.fromisoformat(stamp).astimezone(zone(present().zone))


def _days_since(moment: datetime) -> int:
    """Return the number of days from a time to today, in the reader's zone."""
    return (present().now.astimezone(moment.tzinfo).date() - moment.date()).days


def ago(stamp: str | None) -> str:
    """Return how long ago a time was, or how far ahead it is; "" for None.

    `now`, `25 minutes ago`, `yesterday`, `Monday`, `19 Nov`, `19 Nov 2025`; `in 4 minutes`, `in 4 days`.
    """
    if not stamp:
        return ""
    moment = _here(stamp)
    seconds = (present().now - moment).total_seconds()
    if abs(seconds) < MINUTE:
        return "now"
    days = _days_since(moment)
    if abs(seconds) < HALF_DAY * HOUR or days == 0:
        return _near(seconds)
    if abs(days) == 1:
        return "yesterday" if days > 0 else "tomorrow"
    if 0 < days < WEEK:
        return f"{moment:%A}"
    if -WEEK < days < 0:
        return f"in {-days} days"
    return _day(moment)


def _near(seconds: float) -> str:
    size, word = (HOUR, "hour") if abs(seconds) >= HOUR else (MINUTE, "minute")
    count = int(abs(seconds) // size)
    said = f"{count} {word}{'s' * (count != 1)}"
    return f"{said} ago" if seconds > 0 else f"in {said}"


def _day(moment: datetime) -> str:
    """Return a day, with its year if it is not the present one."""
    this_year = present().now.astimezone(moment.tzinfo).year == moment.year
    return f"{moment:%-d %b}" if this_year else f"{moment:%-d %b %Y}"


def date(stamp: str) -> str:
    """Return the day of a time in full: `31 March 2026`."""
    return f"{_here(stamp):%-d %B %Y}"


def clock(stamp: str | None) -> str:
    """Return a time for tables, such as that of runs: `Monday, 06:30`, `19 Nov, 06:30`."""
    if not stamp:
        return ""
    moment = _here(stamp)
    days = _days_since(moment)
    near = {0: "today", 1: "yesterday", -1: "tomorrow"}
    word = near.get(days) or (f"{moment:%A}" if abs(days) < WEEK else _day(moment))
    return f"{word}, {moment:%H:%M}"


def clock_time(stamp: str) -> str:
    """Return the time of day to the second, as beside the lines of a log: `07:31:40`."""
    return f"{_here(stamp):%H:%M:%S}"


def exact(stamp: str | None) -> str:
    """Return a time to the second with its zone: `2026-11-26 07:31:40 Europe/Oslo`; "" for None."""
    return f"{_here(stamp):%Y-%m-%d %H:%M:%S} {zone(present().zone).key}" if stamp else ""


def lasting(seconds: float | None) -> str:
    """Return a duration in words: `0.71 s`, `3 min 5 s`, `2 h 4 min`, `3 d 2 h`; "" for None."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    for large, small, one, other in (
        (DAY, HOUR, "d", "h"),
        (HOUR, MINUTE, "h", "min"),
        (MINUTE, 1, "min", "s"),
    ):
        if whole >= large:
            return f"{whole // large} {one} {whole % large // small} {other}"
    return f"{whole} s"


def group_digits(number: int) -> str:
    """Return a number with grouped digits: `1,234`."""
    return f"{number:,}"
