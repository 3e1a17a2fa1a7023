"""Times of tries of a message that a relay did not take: later each time, and never all at once."""

from __future__ import annotations

import random
from datetime import timedelta

FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=4)
MOST_TRIES = 24
"""Tries after which a message is given up: some three days, as relays keep to (RFC 5321, 4.5.4.1)."""


def delay_after(tries: int, chance: random.Random) -> timedelta | None:
    """The time until the next try, None when there is none any more."""
    if tries >= MOST_TRIES:
        return None
    whole: timedelta = min(LONGEST, FIRST * 2 ** min(tries - 1, 10))
    return whole * chance.uniform(0.5, 1.0)


def is_final(code: int) -> bool:
    """Whether a relay's answer is its last word on a recipient."""
    return 500 <= code < 600
