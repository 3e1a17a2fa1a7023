"""The port of the clock, and the text of a moment as it is stored and answered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


def stamp(moment: datetime) -> str:
    """The text of an aware moment, as it is stored and answered: ISO 8601 UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Clock(Protocol):
    """Time, injected."""

    def now(self) -> datetime:
        """The present moment, aware, UTC."""
        ...
