"""How much is tried: the seed of this run, and the number of points, more of them in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Callable

Counted = Callable[[str, object], None]


def seed() -> int:
    """The seed of everything random here (TRIAL_SEED)."""
    return int(os.environ.get("TRIAL_SEED", "2026"))


def points(usual: int, part: int = 1) -> int:
    """How many points to try: a fraction of the usual number, or TRIAL_TIMES as many as usual."""
    times = os.environ.get("TRIAL_TIMES")
    return usual * int(times) if times else -(-usual // part)
