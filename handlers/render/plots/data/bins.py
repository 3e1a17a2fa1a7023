"""Bins of a histogram: equal, each without its upper end, and one for each value where these are few."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from handlers.render.plots.data.numbers import quantile, round_ticks
from handlers.words.language import from_to

TAIL = 0.995
"""Share of the values that a histogram with a far tail shows."""
LEAST, MOST = 8, 25
"""Bins that any set may have, and those up to which each whole number, or each half, has its own."""
STEPS, FINEST, LARGEST = (1.0, 0.5, 0.1, 0.01, 0.001), 3, 1e9
"""Steps in which values are counted, their most decimals, and the size from which on they are not."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Edges of equal bins, the number of values in each, and the number of those above all.

    `step` is the least distance of two values that differ, 0 where it is not known.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    beyond: int
    step: float

    @property
    def shift(self) -> float:
        """Return how far the values that begin a bin lie above its lower edge."""
        return self.step / 2 if self.step and not _is_multiple(self.edges[0], self.step) else 0.0

    @property
    def end(self) -> float:
        """Return the least value above all bins."""
        return self._round(self.edges[-1] + self.shift)

    def words(self, at: int, write: Callable[[float], str]) -> str:
        """Write the value of a bin, or its first and its last."""
        first, last = self._round(self.edges[at] + self.shift), self.edges[at + 1] - self.shift
        last = self._round(last - 1 if self.step == 1 and not self.shift else last)
        return write(first) if first == last else from_to(write(first), write(last))

    def at_most(self, most: int) -> Bins:
        """Return at most so many bins, by joining neighbours."""
        each = math.ceil(len(self.counts) / max(1, most))
        starts = range(0, len(self.counts), each)
        counts = tuple(sum(self.counts[at : at + each]) for at in starts)
        return Bins((*(self.edges[at] for at in starts), self.edges[-1]), counts, self.beyond, self.step)

    def _round(self, value: float) -> float:
        return round(value, FINEST) if self.step else value


def usual_count(ordered: Sequence[float]) -> int:
    """Return about how many bins a set has that has too many values for one each."""
    return max(LEAST, min(MOST, round(math.sqrt(len(ordered)))))


def bin_edges(ordered: Sequence[float], most: int) -> list[float]:
    """Return the edges of about so many bins of round width; a far tail is left out."""
    low, high, step = ordered[0], ordered[-1], value_step(ordered)
    if step >= 0.5 and (high - low) / step < MOST:
        return _edges_around(low, high, step)
    usual = quantile(ordered, TAIL)
    far = len(ordered) > 2 * MOST and high - low > 1.6 * (usual - low) > 0
    top = usual if far else high
    if step >= 0.5 and (top - low) / step < MOST:
        return _edges_around(low, math.floor(top / step) * step, step)
    if low == high:
        return _edges_around(low, low, step or (10.0 ** math.floor(math.log10(abs(low))) if low else 1.0))
    edges = round_ticks(low, top, most)
    while step and most > 1 and not _is_multiple(edges[1] - edges[0], step):
        most -= 1
        edges = round_ticks(low, top, most)
    width = edges[1] - edges[0]
    if step and width < step * 1.5:
        return _edges_around(low, math.floor(top / step + 1e-6) * step, step)
    # A bin without its upper end holds as many values as any other: what lies on the last edge has its own.
    return (
        edges if edges[-1] > top else [*edges, round(edges[-1] + width, 12 - math.floor(math.log10(width)))]
    )


def count_in(edges: Sequence[float], ordered: Sequence[float]) -> Bins:
    """Return the values in each bin, and those beyond the last."""
    found = Counter(bisect_right(edges, value) - 1 for value in ordered)
    counts = tuple(found[at] for at in range(len(edges) - 1))
    return Bins(tuple(edges), counts, len(ordered) - sum(counts), value_step(ordered))


def value_step(ordered: Sequence[float]) -> float:
    """Return 1 for whole numbers, 0.5 for halves, 0.1 for those of one decimal, and so on; 0 for others."""
    if max(map(abs, ordered)) >= LARGEST:
        return 0.0
    return next((step for step in STEPS if all(_is_multiple(value, step) for value in ordered)), 0.0)


def _edges_around(low: float, high: float, step: float) -> list[float]:
    """Return the edges of a bin around each value between two."""
    return [low + (at - 0.5) * step for at in range(round((high - low) / step) + 2)]


def _is_multiple(value: float, step: float) -> bool:
    return abs(value / step - round(value / step)) < 1e-6
