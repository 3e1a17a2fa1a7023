"""Expiry of tokens: by seconds, by durations in words or by an absolute time."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

from handlers.settings.quantities import Unit, parse_quantity
from vfs.errors import Invalid
from vfs.ports.clock import stamp

_IN = 'whole seconds (3600) or a duration such as "24 hours" or "7d"'
_ON = 'a UTC time stamp such as "2030-01-31T12:00:00Z"'


def expiry(now: datetime, expires_in: object, expires_on: object) -> str | None:
    """Return the time stamp at which a token ends; None (never) if neither argument is given.

    `expires_in` is a number of seconds, also as text, or a duration in words. `expires_on` is ISO 8601, in
    UTC unless it has another offset (interface, Authentication 5 and 6; decisions 15). Raises Invalid if both
    are given, and for a value that is not a finite time in the future.
    """
    if expires_in is not None and expires_on is not None:
        raise Invalid("send expires_in or expires_on, not both; or neither for a token that never expires")
    if expires_in is None and expires_on is None:
        return None
    moment = _after(now, expires_in) if expires_in is not None else _at(expires_on)
    if stamp(moment) <= stamp(now):
        field = "expires_in" if expires_in is not None else "expires_on"
        raise Invalid(f"{field} must be in the future: leave it out for a token that never expires")
    return stamp(moment)


def _after(now: datetime, requested: object) -> datetime:
    try:
        return now + timedelta(seconds=parse_seconds(requested))
    except (OverflowError, ValueError):
        raise Invalid(f"expires_in is not a finite time in the future: send {_IN}") from None


def parse_seconds(requested: object) -> float:
    """Return the seconds of a number, of its text, or of a duration in words. Raises Invalid."""
    if isinstance(requested, int | float) and not isinstance(requested, bool):
        return requested
    if isinstance(requested, str):
        said = requested.strip()
        with suppress(ValueError):
            return parse_quantity(said, Unit.SECONDS)
    raise Invalid(f"expires_in is not understood: send {_IN}")


def _at(requested: object) -> datetime:
    if not isinstance(requested, str):
        raise Invalid(f"expires_on is not understood: send {_ON}")
    try:
        moment = datetime.fromisoformat(requested.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(f"expires_on is not a date and time that exists: send {_ON}") from None
