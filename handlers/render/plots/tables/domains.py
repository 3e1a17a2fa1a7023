"""Domains: the values between which a bar grows or a colour changes, given or taken from the data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from handlers.render.plots.tables.instructions import BadInstruction

WRITTEN = re.compile(r"\(([^()]*)\)(?:\^([a-z]+))?")
NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?", re.ASCII)
OF_THE_DATA = "_"
SCALES: Mapping[str, Callable[[float], float]] = {
    "lin": lambda share: share,
    "pow": lambda share: share * share,
    "exp": lambda share: (10.0**share - 1) / 9,
    "log": lambda share: math.log10(1 + 9 * share),
}


@dataclass(frozen=True, slots=True)
class Domain:
    """Ends and, for what diverges, a middle; None is taken from the data."""

    low: float | None = None
    middle: float | None = None
    high: float | None = None
    diverging: bool = False
    scale: str = "lin"

    @property
    def complete(self) -> bool:
        """True when nothing of it comes from the data."""
        return self.low is not None and self.high is not None

    def within(self, values: Iterable[float]) -> Domain:
        """The same domain with the ends that the values give where it has none."""
        present = [] if self.complete else list(values)
        low = min(present, default=0.0) if self.low is None else self.low
        high = max(present, default=0.0) if self.high is None else self.high
        middle = self.middle
        if self.diverging:
            middle = (low + high) / 2 if middle is None else middle
            low, high = min(low, middle), max(high, middle)
        return Domain(low, middle, max(low, high), self.diverging, self.scale)

    def share(self, value: float) -> float:
        """The place of a value between the ends, 0 to 1; the middle of a domain that diverges is at 0.5."""
        low, high = self.low or 0.0, self.high or 0.0
        curve = SCALES[self.scale]
        if self.diverging and self.middle is not None:
            if value < self.middle:
                return 0.5 - 0.5 * curve(_part(self.middle, low, value))
            return 0.5 + 0.5 * curve(_part(self.middle, high, value))
        return curve(_part(low, high, value))


def parse_domain(text: str) -> Domain:
    """A domain such as `(0,100)^lin` or `(_,0,_)`; an empty text is the data's. Raises BadInstruction."""
    if not text:
        return Domain()
    found = WRITTEN.fullmatch(text)
    ends = [_end(word.strip()) for word in found[1].split(",")] if found else []
    if not found or len(ends) not in (2, 3):
        raise BadInstruction(f'"{text[:40]}" is no domain: one is (min,max)^lin or (min,mid,max)^lin')
    scale = found[2] or "lin"
    if scale not in SCALES:
        raise BadInstruction(f'"{scale[:20]}" is no scale: there are {", ".join(SCALES)}')
    given = [end for end in ends if end is not None]
    if given != sorted(given):
        raise BadInstruction(f'the ends of "{text[:40]}" do not rise')
    if len(ends) == 2:
        return Domain(ends[0], None, ends[1], scale=scale)
    return Domain(ends[0], ends[1], ends[2], diverging=True, scale=scale)


def _end(word: str) -> float | None:
    if word == OF_THE_DATA:
        return None
    if not NUMBER.fullmatch(word) or not math.isfinite(float(word)):
        raise BadInstruction(f'"{word[:40]}" is no end of a domain: it is a number, or _ for the data\'s own')
    return float(word)


def _part(start: float, end: float, value: float) -> float:
    """The way from start to end that a value has gone, 0 to 1."""
    # Halves, as the way between the largest numbers is none; those of the smallest are 0.
    way = end / 2 - start / 2
    if way == 0:
        return 1.0 if value > start else 0.0
    return min(1.0, max(0.0, (value / 2 - start / 2) / way))
