"""Chart: a drawn plot without the texts around it, its key, ramps of colours, and shared parts of charts."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from handlers.render.plots.charts.value_axis import Scales, ValueAxis, share_between
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import round_ticks, spread_of
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.colors import EVEN, ValueColors
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import on_ramp
from handlers.render.plots.look.style import Style
from handlers.words.language import say


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """An entry of a key: its sign (square, line, dot, bar, ring, hatch or ramp), colour and text.

    A ramp has colours (`stops`) from the value `start`, if it is named, to that of its text.
    """

    sign: str
    color: str
    text: str
    radius: float = 0.0
    start: str = ""
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chart:
    """A plot without title and caption, with its key and sentences about what was left out.

    `svg` has its elements, `panels` the charts that it consists of. Heights are pixels: `wants` is the height
    at which its rows are easy to read (None without rows), `marks` that of the box of its marks (None: the
    whole chart). `notes` are in the log and below the picture, `logged` only in the log. `scales` map values
    and places to pixels, for annotations.
    """

    height: float
    svg: str = ""
    key: tuple[KeyEntry, ...] = ()
    key_title: str = ""
    notes: tuple[str, ...] = field(default=())
    logged: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    scales: Scales | None = None
    wants: float | None = None
    marks: float | None = None

    @property
    def area(self) -> float:
        """The height of the box of its marks."""
        return self.height if self.marks is None else self.marks

    @property
    def drawn(self) -> str:
        """The SVG elements of the chart and of its panels."""
        return self.svg + "".join(
            f'<g class="panel" transform="translate({one.x:g},{round(one.y, 2):g})">{one.chart.drawn}</g>'
            for one in self.panels
        )

    def in_frame(
        self, *, above: float = 0.0, below: float = 0.0, left: float = 0.0, behind: str = "", over: str = ""
    ) -> Chart:
        """Return the chart with margins, and elements in its pixels behind and over its marks."""
        svg = f"{behind}{self.drawn}{over}"
        if above or left:
            svg = f'<g transform="translate({left:g},{round(above, 2):g})">{svg}</g>'
        scales = self.scales and replace(
            self.scales, left=self.scales.left + left, top=self.scales.top + above
        )
        more = above + below
        wants = None if self.wants is None else self.wants + more
        made = replace(self, svg=svg, panels=(), scales=scales, wants=wants, marks=self.area)
        return replace(made, height=self.height + more)


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart that is part of another, and its position in pixels."""

    x: float
    y: float
    chart: Chart


Draw = Callable[[Style, Frame, float | None, ChartOptions], Chart]
"""Function that draws a frame in a style, in a given height or, without one, as high as needed."""


def spread_labels(style: Style, axis: ValueAxis, width: float) -> ValueAxis:
    """Return the axis along a width, without labels that would touch the one before."""
    free, labels = -math.inf, [""] * len(axis.ticks)
    places = [axis.position(tick, width) for tick in axis.ticks]
    for at in sorted(range(len(places)), key=places.__getitem__):
        half = style.text(axis.labels[at]) / 2
        if places[at] - half >= free:
            labels[at] = axis.labels[at]
            free = places[at] + half + style.label * 0.4
    return replace(axis, labels=tuple(labels))


def spread_apart(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions moved as little as possible to keep a gap and stay between low and high."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    groups: list[list[float]] = []  # of each: the sum of requested starts, and the number of labels
    for index, label in enumerate(order):
        groups.append([positions[label] - index * gap, 1.0])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] >= groups[-1][0] / groups[-1][1]:
            total, count = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += count
    placed: list[float] = []
    for total, count in groups:
        placed += [total / count] * int(count)
    ceiling = high - (len(order) - 1) * gap
    moved = [min(max(start, low), max(low, ceiling)) + index * gap for index, start in enumerate(placed)]
    result = [0.0] * len(positions)
    for index, label in enumerate(order):
        result[label] = moved[index]
    return result


def key_of(style: Style, names: Sequence[str], sign: str = "square") -> tuple[KeyEntry, ...]:
    """Return the key of several series; one series needs none."""
    if len(names) < 2:
        return ()
    pairs = list(zip(style.tones(names), names, strict=True))
    rest = [tone for tone, _ in pairs if style.is_rest(tone)]
    shown = [pair for pair in pairs if len(rest) < 2 or not style.is_rest(pair[0])]
    entries = [KeyEntry(sign, tone, name) for tone, name in shown]
    return (*entries, *([KeyEntry(sign, rest[0], say(f"{len(rest)} others"))] if len(rest) > 1 else []))


def size_rings(style: Style, radius: float, most: float, options: ChartOptions) -> tuple[KeyEntry, ...]:
    """Return two key entries that explain areas; `radius` is that of the amount `most`, in pixels."""
    ticks = [tick for tick in round_ticks(0, most, 2)[1:] if tick <= most] or [most]
    return tuple(
        KeyEntry("ring", style.palette.edge, options.write_key(amount), radius * math.sqrt(amount / most))
        for amount in (ticks[-1] / 4, ticks[-1])
    )


def others_note(style: Style, names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence about the series that share one grey and one entry of the key."""
    others = [name for name, tone in zip(names, style.tones(names), strict=True) if style.is_rest(tone)]
    return (f"In grey, as {len(others)} others: {quote_names(others)}.",) if len(others) > 1 else ()


STEPS = 12
"""Steps of a ramp in a key between its ends."""


LEAST_SIDE = 0.2
"""Least share of the range on each side of zero for two-sided colours."""


@dataclass(frozen=True, slots=True)
class Ramp:
    """Colours of values: from low to high, or outward from zero if both sides have enough of the range.

    `ends` are the lowest and the highest value, which its key shows.
    """

    low: float
    high: float
    stops: tuple[str, ...]
    ends: tuple[float, float]
    two_sided: bool = False
    log: bool = False
    bounds: tuple[float, ...] = ()
    logged: tuple[str, ...] = ()

    def color(self, value: float) -> str:
        """Return the colour of a value."""
        return on_ramp(self.stops, self.share(value))

    def share(self, value: float) -> float:
        """Return the position of a value on the ramp, 0 to 1."""
        if self.bounds:
            return self._class_share(bisect_right(self.bounds, value))
        if self.high == self.low:
            return 0.5
        return share_between(value, (self.low, self.high), log=self.log)

    def _class_share(self, index: int) -> float:
        """Return the position of a class on the ramp, in even steps, or in even steps on each side of 0."""
        last = len(self.bounds)
        if not self.two_sided:
            return index / last
        below, above = bisect_left(self.bounds, 0.0), bisect_right(self.bounds, 0.0)
        if index < above:
            return 0.5 * index / above
        return 1 - 0.5 * (last - index) / (last - below) if index > below else 0.5

    def classes(self, options: ChartOptions) -> list[tuple[float, str]]:
        """Return a value and the text of each class, from the lowest; empty for continuous colours."""
        if not self.bounds:
            return []
        write = options.write_key if options.key_format else options.writer(self.bounds)
        words = [write(one) for one in self.bounds]
        between = [f"{low}\u2009\u2013\u2009{high}" for low, high in pairwise(words)]
        samples = (math.nextafter(self.bounds[0], -math.inf), *self.bounds)
        return list(zip(samples, [f"< {words[0]}", *between, f"\u2265 {words[-1]}"], strict=True))

    def key(self, options: ChartOptions, missing: KeyEntry | None = None) -> tuple[KeyEntry, ...]:
        """Return the entries of the ramp, which show its ends and its middle, and that of missing values."""
        first, last = self.ends
        more = (missing,) if missing else ()
        if self.bounds:
            classes = self.classes(options)
            return (*(KeyEntry("square", self.color(value), text) for value, text in classes), *more)
        if first == last:
            return (KeyEntry("square", self.color(first), options.write_key(first)), *more)
        middle = 0.0 if self.two_sided else self._power() if self.log else None
        sides = [(first, last)] if middle is None else [(first, middle), (middle, last)]
        ramps = [
            KeyEntry(
                "ramp", self.color(end), options.write_key(end),
                start="" if at else options.write_key(start),
                stops=tuple(self.color(self.between(start, end, step / STEPS)) for step in range(STEPS + 1)),
            )
            for at, (start, end) in enumerate(sides)
        ]  # fmt: skip
        return (*ramps, *more)

    def between(self, start: float, end: float, share: float) -> float:
        """Return the value at a position, 0 to 1, between two values."""
        return start * (end / start) ** share if self.log else start + (end - start) * share

    def _power(self) -> float:
        """Return a power of ten in the middle of the ramp, or the middle itself if none is in the ramp."""
        middle = math.sqrt(self.low * self.high)
        power = 10.0 ** round(math.log10(middle))
        return power if self.low < power < self.high else middle


def ramp_of(style: Style, values: Sequence[float | None], scale: ValueColors = EVEN) -> Ramp:
    """Return the ramp of values, two-sided if both sides of zero have enough of the range."""
    low, high = spread_of(values)
    bounds = scale.bounds_of(value for value in values if value is not None)
    logged: tuple[str, ...] = ()
    if scale.classes and len(bounds) + 1 < scale.classes:
        logged = (f"config/colors/scale: the values have only {len(bounds) + 1} classes of {scale.classes}",)
    if scale.log and low <= 0:
        logged = ("config/colors/scale: log needs values above 0",)
    two_sided, reach = min(-low, high) > LEAST_SIDE * (high - low), max(-low, high)
    ends = (-reach, reach) if two_sided else (low, high)
    stops = style.palette.diverging if two_sided else style.palette.ramp
    return Ramp(*ends, stops, (low, high), two_sided, scale.log and low > 0, bounds, logged)
