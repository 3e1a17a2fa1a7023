"""Ends of tokens and links, by durations in words or by an absolute time, and passwords of links."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from handlers.rules.accounts import given_password
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


def _utc(text: str) -> datetime:
    """Return a time of ISO 8601, which is in UTC unless it has another offset. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _at(requested: object) -> datetime:
    if not isinstance(requested, str):
        raise Invalid(f"expires_on is not understood: send {_ON}")
    try:
        return _utc(requested)
    except (ValueError, OverflowError):
        raise Invalid(f"expires_on is not a date and time that exists: send {_ON}") from None


PREFIX = "link~"
NAME = re.compile(rf"{PREFIX}[a-z0-9][a-z0-9_-]{{0,63}}")
NAME_RULE = f'"{PREFIX}", then a lowercase letter or digit and up to 63 more of a-z, 0-9, _ and -'
SHORTEST_PASSWORD, LONGEST_PASSWORD = 6, 256
MOST_USES = 1_000_000_000
ENDS = 'a number of days, a duration such as "12h", a date such as "2030-01-31" or a UTC time stamp'


def link_end(sent: str, now: datetime) -> str:
    """Return the time stamp at which a link ends. A date ends with that day, UTC.

    Raises Invalid for what is no time, and for a time that is not in the future.
    """
    word = sent.strip()
    try:
        moment = _moment(word, now)
    except (ValueError, OverflowError):
        raise Invalid(f'"{word[:80]}" is no time at which a link ends: send {ENDS}') from None
    if stamp(moment) <= stamp(now):
        raise Invalid("a link must end in the future: DELETE the link to end it now")
    return stamp(moment)


def _moment(word: str, now: datetime) -> datetime:
    """Return the time in a text. Raises ValueError and OverflowError."""
    try:
        return now + timedelta(days=parse_quantity(word, Unit.DAYS))
    except ValueError:
        pass
    if len(word) == len("2030-01-31"):
        return datetime.combine(date.fromisoformat(word), datetime.min.time(), UTC) + timedelta(days=1)
    return _utc(word)


def link_password(sent: str) -> str:
    """Return the password of a link, without one final line ending. Raises Invalid."""
    word = given_password(sent)
    if len(word) < SHORTEST_PASSWORD or len(word.encode()) > LONGEST_PASSWORD:
        raise Invalid(
            f"the password of a link has at least {SHORTEST_PASSWORD} characters, and at most "
            f"{LONGEST_PASSWORD} bytes; DELETE this file for a link without one"
        )
    return word
