"""Colours of values: even ones, by powers, or in classes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from handlers.render.plots.data.figures_written import read_number
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.look.setting_lines import LONGEST_SHOWN, BadSetting

LEAST, MOST = 3, 7
"""Classes that a map or a heat map may have."""
DIGITS = 3
"""Digits of bounds that are computed, so that a key tells them whole."""
TAKES = f"linear, log, quantile 5, equal 5 ({LEAST} to {MOST} classes), or bounds such as 10 20 50"


@dataclass(frozen=True, slots=True)
class ValueColors:
    """Colours of values: by powers with `log`, in `classes` of equal number or width, or at `bounds`.

    `said` is what was written; empty for an even scale.
    """

    said: str = ""
    log: bool = False
    classes: int = 0
    equal: bool = False
    bounds: tuple[float, ...] = ()

    def bounds_of(self, values: Iterable[float]) -> tuple[float, ...]:
        """The bounds between classes of some values; none where colours run evenly."""
        known = sorted(values)
        if not self.classes or not known:
            return self.bounds
        shares = [at / self.classes for at in range(1, self.classes)]
        low, high = known[0], known[-1]
        if low == high:
            return ()
        digits = DIGITS - 1 - math.floor(math.log10(high - low))
        found = (low + (high - low) * share if self.equal else quantile(known, share) for share in shares)
        return tuple(sorted({bound for one in found if low < (bound := round(one, digits)) <= high}))


EVEN = ValueColors()


def read_color_scale(text: str) -> ValueColors:
    """The scale that `colors/scale` asks for. Raises BadSetting."""
    words = text.replace(",", " ").lower().split()
    said = " ".join(words)
    if words in ([], ["linear"]):
        return EVEN
    if words == ["log"]:
        return ValueColors(said, log=True)
    if words[0] in ("quantile", "equal") and len(words) == 2:
        count = int(words[1]) if words[1].isascii() and words[1].isdigit() and len(words[1]) < 3 else 0
        if LEAST <= count <= MOST:
            return ValueColors(said, classes=count, equal=words[0] == "equal")
    bounds = [number for word in words if (number := read_number(word)) is not None]
    if len(bounds) == len(words) and LEAST <= len(bounds) + 1 <= MOST and bounds == sorted(set(bounds)):
        return ValueColors(said, bounds=tuple(bounds))
    raise BadSetting(1, 1, f'"{said[:LONGEST_SHOWN]}" is no scale of colours: write {TAKES}')
