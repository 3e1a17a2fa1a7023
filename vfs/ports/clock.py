"""The port of the clock, and the text form of time stamps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


def stamp(moment: datetime) -> str:
    """Return the time stamp of an aware datetime: ISO 8601, UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Clock(Protocol):
    """The source of the current time, passed in so that tests can replace it."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
