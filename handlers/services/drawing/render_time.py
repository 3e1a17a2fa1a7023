"""The time of a render: one moment by which it is over, with everything that is drawn for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

PARTS_SHARE = 0.7
"""The part of a render's time in which what it shows is drawn; the rest is for itself."""

_UNTIL: ContextVar[float] = ContextVar("render_time", default=math.inf)


@contextmanager
def render_time(seconds: float) -> Iterator[None]:
    """A render that is over within so many seconds, and no later than the one for which it is made."""
    token = _UNTIL.set(min(_UNTIL.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def time_for_parts() -> Iterator[None]:
    """The time for what the present render shows, which is made before it."""
    with render_time(time_left() * PARTS_SHARE):
        yield


def time_left() -> float:
    """Seconds that are left for the present render; infinite outside of all."""
    return _UNTIL.get() - monotonic()
