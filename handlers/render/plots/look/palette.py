"""Colours of charts in light and dark: grounds, inks, categories and ramps, with their contrasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

READABLE = 4.6
"""Contrast at which a colour carries text (WCAG 2.2, 1.4.3, with a little to spare)."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one mode, as `#rrggbb`; series spread over a `scale`, if there is one.

    Series of an `ordered` palette go from the colour that stands out most to the one that stands out least.
    """

    paper: str
    panel: str
    ink: str
    quiet: str
    grid: str
    edge: str
    zero: str
    rest: str
    good: str
    bad: str
    categories: tuple[str, ...]
    ramp: tuple[str, ...]
    diverging: tuple[str, ...]
    scale: tuple[str, ...] = ()
    ordered: bool = False

    def category(self, index: int) -> str:
        """The colour of a series; from the ninth on they share one grey."""
        return self.categories[index] if index < len(self.categories) else self.rest

    def series(self, count: int) -> tuple[str, ...]:
        """The colours of so many series, in their order."""
        first, more = self.categories[:count], max(0, count - len(self.categories))
        if self.ordered:
            first = tuple(sorted(first, key=lambda color: -contrast(color, self.paper)))
        return (*first, *[self.rest] * more)

    def readable(self, color: str) -> str:
        """The same hue, dark or light enough to carry text on the paper."""
        return legible(color, self.paper)

    def on(self, ground: str) -> str:
        """Ink or paper, whichever is read better on a coloured ground."""
        return max((self.ink, self.paper, "#000000", "#ffffff"), key=lambda tone: _preference(tone, ground))


LIGHT = Palette(
    paper="#fbfaf7",
    panel="#f1efe8",
    ink="#22252a",
    quiet="#5a6069",
    grid="#dfdcd3",
    edge="#8d8b84",
    zero="#5a6069",
    rest="#85837c",
    good="#1b6b3a",
    bad="#b0261c",
    categories=("#0b5a6e", "#d0600f", "#b06f9c", "#6286cb", "#54945d", "#2f4e8e", "#695218", "#7f4347"),
    ramp=("#e4eef0", "#b7d3d9", "#86b6c1", "#5497a6", "#23778a", "#0b5a6e", "#063c4b"),
    diverging=("#8a3b0c", "#c9661a", "#e5ae82", "#efece4", "#8fb9c4", "#3f8496", "#0b5a6e"),
)
DARK = Palette(
    paper="#15181b",
    panel="#22272b",
    ink="#e6e4de",
    quiet="#a6abb0",
    grid="#343a3f",
    edge="#777e85",
    zero="#a6abb0",
    rest="#868d94",
    good="#7fd49a",
    bad="#ff9c92",
    categories=("#7cc7d9", "#df983a", "#be5570", "#74a2e8", "#94bb8f", "#8474a3", "#c1bf73", "#af6348"),
    ramp=("#1f3138", "#24505d", "#2b7083", "#3f91a5", "#62b0c3", "#93cfdd", "#d3f0f6"),
    diverging=("#f0b06a", "#c0762a", "#744a22", "#2a2f33", "#24505d", "#3f91a5", "#93cfdd"),
)
MODES = {"light": LIGHT, "dark": DARK}


def channels(color: str) -> tuple[int, int, int]:
    """Red, green and blue of `#rrggbb`, 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mix(first: str, second: str, share: float) -> str:
    """The colour that lies that share of the way from the first to the second."""
    pairs = zip(channels(first), channels(second), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * share):02x}" for one, other in pairs)


def on_ramp(stops: Sequence[str], share: float) -> str:
    """The colour at a share, 0 to 1, of a ramp."""
    position = min(1.0, max(0.0, share)) * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    return mix(stops[index], stops[index + 1], position - index)


@lru_cache(maxsize=4096)
def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    brighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    shares = [value / 255 for value in channels(color)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=4096)
def legible(color: str, ground: str) -> str:
    """The same hue, dark or light enough to carry text on a ground."""
    end = max(("#000000", "#ffffff"), key=lambda tone: contrast(tone, ground))
    tones = (mix(color, end, step / 40) for step in range(41))
    return next((tone for tone in tones if contrast(tone, ground) >= READABLE), end)


def _preference(tone: str, ground: str) -> tuple[bool, bool, float]:
    enough = contrast(tone, ground) >= READABLE
    own = tone not in ("#000000", "#ffffff")
    return enough, own if enough else False, contrast(tone, ground)
