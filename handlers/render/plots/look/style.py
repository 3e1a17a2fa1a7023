"""Style: font sizes, spacing and lines of a chart by its box, and the colours of its mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from handlers.render.plots.look.colors import NO_NAMES, USUAL_COLORS, ColorChoice, NamedColors
from handlers.render.plots.look.palette import Palette, on_ramp
from handlers.render.plots.look.type_metrics import text_width, widest

NARROWEST, WIDEST = 120, 4000
USUAL_LABEL = 14


@dataclass(frozen=True, slots=True)
class Style:
    """Sizes and colours of a chart of one width; sizes are pixels.

    `colors` are configured for its series, `named` for names of series, bars and parts.
    """

    width: int
    mode: str
    palette: Palette
    label: int
    title: int
    subtitle: int
    source: int
    padding: int
    stroke: float
    colors: tuple[str, ...] = ()
    named: NamedColors = NO_NAMES

    @property
    def narrow(self) -> bool:
        """Whether names are above their bars and keys above the plot."""
        return self.width < 520

    @property
    def line(self) -> int:
        """The height of a line of labels."""
        return round(self.label * 1.25)

    @property
    def inner(self) -> int:
        """The width between the paddings."""
        return self.width - 2 * self.padding

    def text(self, line: str, weight: int = 400) -> float:
        """Return the width of a label."""
        return text_width(line, self.label, weight)

    def widest(self, lines: Iterable[str], weight: int = 400) -> float:
        """Return the width of the widest of several labels."""
        return widest(lines, self.label, weight)

    @property
    def closer(self) -> float:
        """The factor by which small marks grow with the font size of large pictures."""
        return max(1.0, self.label / USUAL_LABEL)

    def height(self, share: float = 0.46) -> int:
        """Return the default height of a plot: a share of the width, larger for narrow pictures."""
        if self.narrow:
            share *= 1.3
        elif self.width >= 1000:
            share *= 0.92
        return round(self.width * share)

    @property
    def of_answers(self) -> bool:
        """Whether the series are ordered answers, whose colours spread from one end to the other."""
        return bool(self.palette.scale) and not self.colors

    def category(self, index: int) -> str:
        """Return the colour of a series."""
        return self.colors[index] if index < len(self.colors) else self.palette.category(index)

    def tones(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the colours of the series; two to four years or quarters share a hue, answers a scale."""
        usual = self._usual_tones(len(names))
        if self.of_answers and len(names) > 1:
            usual = tuple(on_ramp(self.palette.scale, at / (len(names) - 1)) for at in range(len(names)))
        if self.named:
            return self.named.of(names, usual)
        periods = 2 <= len(names) <= 4 and all(map(_is_period, names))
        if periods and not (self.of_answers or self.colors):
            return tuple(self.palette.ramp[index] for index in _TONES[self.mode][len(names)])
        return usual

    def part_tones(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the colours of the parts of a whole."""
        usual = self._usual_tones(len(names))
        return self.named.of(names, usual) if self.named else usual

    def row_tones(self, names: Sequence[str], values: Sequence[float | None]) -> tuple[str, ...]:
        """Return the colours of a single series' bars by name or sign; empty if none are configured."""
        if not (self.named or self.named.by_sign):
            return ()
        return self.named.of(names, [self.category(0)] * len(names), values)

    def _usual_tones(self, count: int) -> tuple[str, ...]:
        return (*self.colors[:count], *self.palette.series(count)[len(self.colors) :])

    def is_rest(self, tone: str) -> bool:
        """Return whether a colour is shared by all series, bars or parts without an individual colour."""
        return tone in (self.palette.rest, self.named.others)


_TONES = {
    "light": {2: (2, 5), 3: (2, 3, 5), 4: (1, 2, 4, 6)},
    "dark": {2: (2, 5), 3: (2, 4, 5), 4: (2, 3, 4, 6)},
}
_SIZES = (
    (270, 11, 13, 11, 11, 8, 1.5),
    (380, 12, 15, 12, 11, 10, 1.75),
    (520, 13, 17, 14, 12, 12, 2.0),
    (760, 13, 20, 15, 12, 16, 2.25),
    (1200, 14, 24, 16, 13, 20, 2.5),
)
_LARGE = (17, 31, 20, 15, 28, 3.0)
LOW = 2.2
"""Ratio of width to height above which the height of a box decides its font size."""
LEAST_LETTER = 11
"""Smallest font size in pixels, unless a medium needs a larger one."""


def typical_width(width: float, height: float | None = None) -> int:
    """Return the width that decides the font size of a box: its own, or less for a low box."""
    measured = width if not height else min(width, LOW * height)
    return min(WIDEST, max(NARROWEST, round(measured)))


def style_of(
    width: int,
    mode: str,
    colors: ColorChoice = USUAL_COLORS,
    *,
    type_width: int = 0,
    least: int = LEAST_LETTER,
) -> Style:
    """Return the style of a picture of a width in `light` or `dark`, with its configured colours.

    Font sizes, spacing and lines are those of `type_width`, the same for all pictures that are seen together;
    0 means the picture's own width. No font size is below `least` pixels.
    """
    width = min(WIDEST, max(NARROWEST, width))
    *sizes, padding, stroke = next(
        (sizes for limit, *sizes in _SIZES if (type_width or width) < limit), _LARGE
    )
    label, title, subtitle, source = (max(least, int(size)) for size in sizes)
    return Style(
        width, mode, colors.palette(mode),
        label, title, subtitle, source, int(padding), float(stroke), colors.series, colors.named,
    )  # fmt: skip


def _is_period(name: str) -> bool:
    year, _, rest = name.strip().partition("-")
    return len(year) == 4 and year.isdigit() and (not rest or rest.upper() in ("Q1", "Q2", "Q3", "Q4"))
