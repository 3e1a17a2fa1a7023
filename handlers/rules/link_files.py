"""The files of a link: when it ends, its password, and how many uses it has."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from handlers.rules.accounts import given_password
from handlers.settings.quantities import Unit, parse_quantity
from vfs.errors import Invalid
from vfs.ports.clock import stamp

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
    moment = datetime.fromisoformat(word)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def link_password(sent: str) -> str:
    """Return the password of a link, without one final line ending. Raises Invalid."""
    word = given_password(sent)
    if len(word) < SHORTEST_PASSWORD or len(word.encode()) > LONGEST_PASSWORD:
        raise Invalid(
            f"the password of a link has at least {SHORTEST_PASSWORD} characters, and at most "
            f"{LONGEST_PASSWORD} bytes; DELETE this file for a link without one"
        )
    return word
