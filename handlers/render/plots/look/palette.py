"""Palettes: colours of charts in light and dark mode, with their contrasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

READABLE = 4.6
"""Least contrast of text on a colour (WCAG 2.2, 1.4.3, with a small margin)."""


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
        """Return the colour of a series; from the ninth on they share one grey."""
        return self.categories[index] if index < len(self.categories) else self.rest

    def series(self, count: int) -> tuple[str, ...]:
        """Return the colours of `count` series, in their order."""
        first, more = self.categories[:count], max(0, count - len(self.categories))
        if self.ordered:
            first = tuple(sorted(first, key=lambda color: -contrast(color, self.paper)))
        return (*first, *[self.rest] * more)

    def readable(self, color: str) -> str:
        """Return the same hue, dark or light enough for text on the paper."""
        return legible(color, self.paper)

    def on(self, ground: str) -> str:
        """Return ink or paper if readable on a coloured background, else black or white."""
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
    """Return red, green and blue of `#rrggbb`, 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def mix(first: str, second: str, share: float) -> str:
    """Return the mix of two colours; `share` is that of the second."""
    pairs = zip(channels(first), channels(second), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * share):02x}" for one, other in pairs)


def on_ramp(stops: Sequence[str], share: float) -> str:
    """Return the colour at a share, 0 to 1, of a ramp."""
    position = min(1.0, max(0.0, share)) * (len(stops) - 1)
    index = min(int(position), len(stops) - 2)
    return mix(stops[index], stops[index + 1], position - index)


@lru_cache(maxsize=4096)
def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    brighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance, 0 to 1 (WCAG 2.2)."""
    shares = [value / 255 for value in channels(color)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(maxsize=4096)
def legible(color: str, ground: str) -> str:
    """Return the same hue, dark or light enough for text on a background."""
    end = max(("#000000", "#ffffff"), key=lambda tone: contrast(tone, ground))
    tones = (mix(color, end, step / 40) for step in range(41))
    return next((tone for tone in tones if contrast(tone, ground) >= READABLE), end)


def _preference(tone: str, ground: str) -> tuple[bool, bool, float]:
    enough = contrast(tone, ground) >= READABLE
    return enough, enough and tone not in ("#000000", "#ffffff"), contrast(tone, ground)


TONES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "teal": {
        "light": ("#055866", "#0793a9", "#00242b", "#067587", "#179765", "#194e35", "#036eae", "#319287"),
        "dark": ("#5ad0e8", "#0c8396", "#cdf5fe", "#23aac1", "#3db07c", "#8af9c0", "#1c7abb", "#24806c"),
    },
    "amber": {
        "light": ("#7f3f00", "#c77022", "#331900", "#a65500", "#a17c70", "#734531", "#ae794c", "#5b2700"),
        "dark": ("#feaf73", "#b56110", "#ffeadc", "#e08537", "#8f6b5e", "#caaa92", "#b47f52", "#fae2b0"),
    },
    "plum": {
        "light": ("#7c366d", "#b86da6", "#3a0d31", "#9a5189", "#350d5d", "#b66277", "#6e3041", "#8160b5"),
        "dark": ("#f7a8e3", "#a85e96", "#fee8f7", "#cf82bb", "#f399ae", "#a9576c", "#b897f0", "#8160b5"),
    },
}
SURVEY = "survey"
"""The palette for ordered answers, such as from yes to no."""
RAMPS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "teal": {
        "light": ("#cff1f9", "#84d9ec", "#64bacd", "#439caf", "#177d8f", "#085b68", "#00363f"),
        "dark": ("#113037", "#004c58", "#066a7b", "#2c8a9c", "#55acbf", "#7bd0e3", "#cff1f9"),
    },
    "amber": {
        "light": ("#fee7d7", "#febf90", "#eb9c5e", "#c97f43", "#a66126", "#804204", "#4e2600"),
        "dark": ("#402610", "#6d3500", "#925015", "#b56d32", "#db8f52", "#ffb37a", "#fee7d7"),
    },
    "plum": {
        "light": ("#fee3f6", "#f9b8e7", "#d99ac8", "#ba7daa", "#995f8a", "#773f69", "#511c46"),
        "dark": ("#3b2535", "#67315b", "#864e78", "#a76b98", "#cb8dba", "#f0b0df", "#fee3f6"),
    },
}


SCALES: Mapping[str, tuple[str, ...]] = {
    "light": ("#0b5a6e", "#3f8496", "#8d8b84", "#c9661a", "#8a3b0c"),
    "dark": ("#93cfdd", "#3f91a5", "#777e85", "#c0762a", "#f0b06a"),
}
"""Colours of ordered answers from one end through the middle to the other, by mode."""


def palette_of(mode: str, pack: str) -> Palette:
    """Return the colours of light or dark mode with a palette; the usual ones for an unknown word."""
    usual = MODES[mode]
    if pack == SURVEY:
        return replace(usual, scale=SCALES[mode])
    if pack not in TONES:
        return usual
    return replace(usual, categories=TONES[pack][mode], ramp=RAMPS[pack][mode], ordered=True)
