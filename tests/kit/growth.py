"""Growth of work with the length of a text, as processor time tells it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.kit.clocks import processor_seconds
from tests.kit.pumps import Pump

LONG, TIMES = 1024, 4
FIRST = (12, 16, 20, 24, 64, 256)
"""Lengths at which work that doubles with each letter is seen before it takes too long."""
MOST_GROWTH = 6.0
# Seconds of processor time below which nothing is compared: those of short texts and of one of LONG letters.
SHORT_FLOOR, FLOOR = 0.002, 0.0006
LARGEST_STEP = 0.05
"""Seconds for a text of a few thousand letters that no linear work takes, whatever its bound is."""


class Growth(NamedTuple):
    """Work that grows faster than its text: the text that shows it, its length and the two times."""

    pump: Pump
    length: int
    before: float
    after: float

    def __str__(self) -> str:
        return (
            f"{self.pump!r}: {self.before:.4f} s at {self.length}, {self.after:.4f} s at {TIMES} times that"
        )


def growth(
    run: Callable[[str], object], pumps: Iterable[Pump], length: int = LONG, floor: float = FLOOR
) -> Growth | None:
    """Return the first text for which work grows more than MOST_GROWTH times as its length grows TIMES times.

    What takes less than the floor tells nothing. What grows too fast is measured more often at two lengths:
    work that is linear above a bound, as that of a repeat of 100 letters, passes.
    """
    return next((found for pump in pumps if (found := _growth_of(run, pump, length, floor))), None)


def _growth_of(run: Callable[[str], object], pump: Pump, length: int, floor: float) -> Growth | None:
    for shorter in FIRST if floor == FLOOR else ():
        if _once(run, pump.text(shorter)) > SHORT_FLOOR and _least(run, pump.text(shorter)) > SHORT_FLOOR:
            return _faster(run, pump, shorter // TIMES)
    if _once(run, pump.text(length)) < floor / 2:
        return None
    found = _faster(run, pump, length)
    if found is None or found.after > LARGEST_STEP:
        return found
    return _faster(run, pump, length * TIMES)


def _faster(run: Callable[[str], object], pump: Pump, length: int) -> Growth | None:
    """Return the growth from a length on where it is too fast, whatever else the machine does meanwhile."""
    for repeats in (1, 3):
        before, after = _least(run, pump.text(length)), _least(run, pump.text(length * TIMES), repeats)
        if after <= before * MOST_GROWTH or after < FLOOR:
            return None
        if repeats > 1 and after > LARGEST_STEP:
            break
    return Growth(pump, length, before, after)


def _least(run: Callable[[str], object], text: str, repeats: int = 3) -> float:
    return min(_once(run, text) for _ in range(repeats))


def _once(run: Callable[[str], object], text: str) -> float:
    return processor_seconds(lambda: run(text))
