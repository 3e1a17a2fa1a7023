"""Stacked areas: bands of values above zero upward, and of those below it downward."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """A series on one side of zero: for each place the end of its band and its base."""

    series: int
    upward: bool
    places: tuple[float, ...]
    ends: tuple[float, ...]
    bases: tuple[float, ...]


def stack_bands(
    places: Sequence[float], series: Sequence[Sequence[float]], *, log: bool = False
) -> list[Band]:
    """The bands of some series; where one crosses zero, all get a place, so that none covers another."""
    rows = list(_with_crossings(places, list(zip(*series, strict=True)), log=log))
    kept = tuple(place for place, _ in rows)
    bands = []
    for upward in (True, False):
        bases = [0.0] * len(rows)
        for number in range(len(series)):
            values = [row[number] for _, row in rows]
            if not upward and all(value >= 0 for value in values):
                continue
            if upward and all(value <= 0 for value in values) and any(values):
                continue
            parts = [max(0.0, value) if upward else min(0.0, value) for value in values]
            ends = [base + part for base, part in zip(bases, parts, strict=True)]
            bands.append(Band(number, upward, kept, tuple(ends), tuple(bases)))
            bases = ends
    return bands


def _with_crossings(
    places: Sequence[float], rows: Sequence[Sequence[float]], *, log: bool
) -> Iterator[tuple[float, tuple[float, ...]]]:
    """The rows, and between them those in which a series is zero."""
    for (place, row), (after, other) in itertools.pairwise(zip(places, rows, strict=True)):
        yield place, tuple(row)
        shares = {a / (a - b): at for at, (a, b) in enumerate(zip(row, other, strict=True)) if a * b < 0}
        for share, zero in sorted(shares.items()):
            between = [a + (b - a) * share for a, b in zip(row, other, strict=True)]
            between[zero] = 0.0
            yield _between(place, after, share, log=log), tuple(between)
    if rows:
        yield places[-1], tuple(rows[-1])


def _between(low: float, high: float, share: float, *, log: bool) -> float:
    if log:
        return math.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
    return low + (high - low) * share
