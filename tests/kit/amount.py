"""How much is tried: the seed of this run, and the number of points, four times as many in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Callable

Counted = Callable[[str, object], None]


def seed() -> int:
    """The seed of everything random here (TRIAL_SEED)."""
    return int(os.environ.get("TRIAL_SEED", "2026"))


def points(usual: int) -> int:
    """How many points to try: the usual number, times TRIAL_TIMES."""
    return usual * int(os.environ.get("TRIAL_TIMES", "1"))
