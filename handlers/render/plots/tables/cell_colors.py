"""Colours of cells: names or hex codes, single or as stops of a scale, whose ends may come from the data."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from handlers.render.plots.look.colors import color_of as web_color
from handlers.render.plots.look.palette import MODES, mix, on_ramp
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
    """The ends of a scale and, if it diverges, its middle; values that are None come from the data."""

    low: float | None = None
    middle: float | None = None
    high: float | None = None
    diverging: bool = False
    scale: str = "lin"

    def within(self, values: Iterable[float]) -> Domain:
        """Return the same domain with missing ends taken from the values."""
        present = list(values) if None in (self.low, self.high) else []
        low = min(present, default=0.0) if self.low is None else self.low
        high = max(present, default=0.0) if self.high is None else self.high
        middle = self.middle
        if self.diverging:
            middle = (low + high) / 2 if middle is None else middle
            low, high = min(low, middle), max(high, middle)
        return Domain(low, middle, max(low, high), self.diverging, self.scale)

    def share(self, value: float) -> float:
        """Return the position of a value between the ends, 0 to 1; a diverging domain's middle is 0.5."""
        low, high = self.low or 0.0, self.high or 0.0
        curve = SCALES[self.scale]
        if self.diverging and self.middle is not None:
            if value < self.middle:
                return 0.5 - 0.5 * curve(_part(self.middle, low, value))
            return 0.5 + 0.5 * curve(_part(self.middle, high, value))
        return curve(_part(low, high, value))


def parse_domain(text: str) -> Domain:
    """Parse a domain such as `(0,100)^lin` or `(_,0,_)`; "" is that of the data. Raises BadInstruction."""
    if not text:
        return Domain()
    found = WRITTEN.fullmatch(text)
    ends = [_end(word.strip()) for word in found[1].split(",")] if found else []
    if not found or len(ends) not in (2, 3):
        raise BadInstruction(f'"{text[:40]}" is no domain: write (min,max)^lin or (min,mid,max)^lin')
    scale = found[2] or "lin"
    if scale not in SCALES:
        raise BadInstruction(f'"{scale[:20]}" is no scale: write one of {", ".join(SCALES)}')
    given = [end for end in ends if end is not None]
    if given != sorted(given):
        raise BadInstruction(f'the ends of "{text[:40]}" do not rise: write the lowest one first')
    low, *middle, high = ends
    return Domain(low, middle[0] if middle else None, high, diverging=bool(middle), scale=scale)


def _end(word: str) -> float | None:
    if word == OF_THE_DATA:
        return None
    if not NUMBER.fullmatch(word) or not math.isfinite(float(word)):
        raise BadInstruction(f'"{word[:40]}" is no end of a domain: write a number, or _ to use the data')
    return float(word)


def _part(start: float, end: float, value: float) -> float:
    """Return the position of a value from start to end, 0 to 1."""
    # Halves, because the difference of very large numbers may be infinite; half of the smallest is 0.
    way = end / 2 - start / 2
    if way == 0:
        return 1.0 if value > start else 0.0
    return min(1.0, max(0.0, (value / 2 - start / 2) / way))


SHADED = re.compile(r"([a-z]+)-([0-9]{2,3})")
INSTRUCTION = re.compile(r"([^()\s]{1,200}?)(\([^()\s]{0,100}\)(?:\^[a-z]{1,10})?)?")
HUES: Mapping[str, str] = {
    "slate": "#5d6f86", "gray": "#6d7278", "grey": "#6d7278", "stone": "#7b746c",
    "red": "#cf3a30", "orange": "#d9670f", "amber": "#d98e04", "yellow": "#d3aa0a",
    "lime": "#74a31a", "green": "#2e9750", "emerald": "#12936b", "teal": "#128f88",
    "cyan": "#1490ac", "sky": "#2289cf", "blue": "#3568d4", "indigo": "#5457cf",
    "violet": "#7448cf", "purple": "#9040c4", "fuchsia": "#b83bb2", "pink": "#cf3b83", "rose": "#d3375b",
}  # fmt: skip
SHADES: Mapping[int, float] = {
    50: -0.93, 100: -0.85, 200: -0.7, 300: -0.5, 400: -0.25, 500: 0.0,
    600: 0.16, 700: 0.33, 800: 0.48, 900: 0.6, 950: 0.74,
}  # fmt: skip
"""Shares of white (below 0) or of black in the shades of a hue."""
ROLES: Mapping[str, str] = {
    "good": "good", "ok": "good", "success": "good",
    "bad": "bad", "alert": "bad", "danger": "bad",
    "ink": "ink", "text": "ink", "quiet": "quiet", "paper": "paper", "panel": "panel",
}  # fmt: skip
USUAL = {"neutral": ("#efece4", "#2a2f33"), "black": ("#000000", "#ffffff"), "white": ("#ffffff", "#000000")}
SIGNALS = {"warn": "amber-500", "warning": "amber-500", "info": "blue-500", "notice": "blue-500"}


@dataclass(frozen=True, slots=True)
class ColorScale:
    """Stops and their domain; a single stop is one colour for all."""

    stops: tuple[str, ...]
    domain: Domain = field(default_factory=Domain)

    def color(self, mode: str, value: float | None, domain: Domain) -> str | None:
        """Return the colour of a value as `#rrggbb`; None for a missing value on a scale."""
        stops = [color_of(word, mode) for word in self.stops]
        if len(stops) == 1:
            return stops[0]
        return None if value is None else on_ramp(stops, domain.share(value))

    def first(self, mode: str) -> str:
        """Return the first colour, for missing values."""
        return color_of(self.stops[0], mode)


@dataclass(frozen=True, slots=True)
class CellColor:
    """The colour of a cell's `bg`, `fg` or `line`, for light and, if different, for dark mode."""

    plane: str
    light: ColorScale
    dark: ColorScale | None = None

    def scale(self, mode: str) -> ColorScale:
        """Return the colours of one mode."""
        return self.dark if self.dark is not None and mode == "dark" else self.light


def parse_cell_color(text: str) -> CellColor:
    """Parse `bg|fg colours [colours in dark mode]`. Raises BadInstruction."""
    plane, *words = text.split()[:4] or [""]
    if plane not in ("bg", "fg"):
        raise BadInstruction(f'"{plane[:20]}" is neither bg nor fg: write one of them')
    if not 1 <= len(words) <= 2:
        raise BadInstruction("needs one colour, and may have a second one for dark pictures")
    light, *dark = (parse_scale(word) for word in words)
    return CellColor(plane, light, dark[0] if dark else None)


def parse_scale(word: str) -> ColorScale:
    """Parse colours such as `red-500`, `#dc3545` or `bad,neutral,good(_,0,_)^lin`. Raises BadInstruction."""
    found = INSTRUCTION.fullmatch(word)
    stops = tuple(found[1].split(",")) if found else ()
    if not found or len(stops) > 9:
        raise BadInstruction(f'"{word[:40]}" is no colour: write red-500, #dc3545 or bad,neutral,good(_,0,_)')
    for stop in stops:
        color_of(stop, "light")
    return ColorScale(stops, parse_domain(found[2] or ""))


def color_of(word: str, mode: str) -> str:
    """Return the colour of a word in a mode: names of roles and shades of hues change in dark mode.

    Raises BadInstruction.
    """
    if word in ROLES:
        return str(getattr(MODES[mode], ROLES[word]))
    if word in USUAL:
        return USUAL[word][mode == "dark"]
    if found := SHADED.fullmatch(SIGNALS.get(word, word)):
        shade = int(found[2])
        if found[1] in HUES and shade in SHADES:
            share = SHADES[1000 - shade if mode == "dark" else shade]
            return mix(HUES[found[1]], "#ffffff" if share < 0 else "#000000", abs(share))
    elif plain := web_color(word):
        return plain
    raise BadInstruction(
        f'"{word[:40]}" is no colour: write #dc3545, good, bad, a CSS colour name, or red-50 to red-950'
    )
