"""Time limit of a render, which includes everything that is drawn for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

PARTS_SHARE = 0.7
"""Share of a render's time for its parts; the rest is for the render itself."""

_UNTIL: ContextVar[float] = ContextVar("render_time", default=math.inf)


@contextmanager
def render_time(seconds: float) -> Iterator[None]:
    """Limit the render inside to this time, and to the time of the render around it."""
    token = _UNTIL.set(min(_UNTIL.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


@contextmanager
def time_for_parts() -> Iterator[None]:
    """Limit the time for the parts of the present render, which are drawn first."""
    with render_time(time_left() * PARTS_SHARE):
        yield


def time_left() -> float:
    """Return the seconds that are left for the present render; infinite outside of any."""
    return _UNTIL.get() - monotonic()
