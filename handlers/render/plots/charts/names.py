"""Names of marks: below upright bars, beside the ends of lines and stacks, and values of parts of bars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.render.plots.charts.chart import spread_apart
from handlers.render.plots.charts.marks.canvas import ALONG, Canvas, draw_along
from handlers.render.plots.charts.value_axis import Box
from handlers.render.plots.data.dates_written import named_rows
from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.numbers import whole_shares
from handlers.render.plots.data.series import stack_bands, stack_sums
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.options import ChartOptions, KeyPosition
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import ELLIPSIS, cut, wrap
from handlers.words.language import language

MOST_BESIDE, MOST_ASKED = 16, 40
"""Most series that have all names beside them, by default and if that is configured."""
MOST_FEW = 3
"""Most series that have a name if not all names fit."""
SHARE, NARROW_SHARE, FEW_SHARE = 0.22, 0.3, 0.38
"""Largest share of a picture's width for names: by default, on narrow pictures, and if only a few fit."""
AIR, BEND = 8, 14
"""Pixels between a line's end and its name, and of a leader line between them."""
MOVED = 3.0
"""Most pixels between a name and its line's end without a leader line."""


@dataclass(frozen=True, slots=True)
class EndNames:
    """Names beside the ends of some series: their numbers, texts, and the heights of ends and names.

    Heights are pixels from the top of the chart; `room` is the width of the names, and `bend` that of the
    leader lines before them, 0 if each name is at its end.
    """

    series: tuple[int, ...]
    texts: tuple[str, ...]
    ends: tuple[float, ...]
    places: tuple[float, ...]
    room: int
    bend: int


@dataclass(frozen=True, slots=True)
class SeriesEnds:
    """The ends of series at the right of a box: their names, and their last values (None: no value).

    The ends of `stacked` series are the middles of their bands. The texts of `more` follow the names.
    """

    style: Style
    box: Box
    names: Sequence[str]
    values: Sequence[float | None]
    stacked: bool
    more: Sequence[str] = ()

    def named(self, options: ChartOptions) -> EndNames | None:
        """Return the names of all series if they fit; else, if there is no key, those of the highest."""
        if not options.key.beside or len(self.names) < 2:
            return None
        every = self._all_named(MOST_ASKED if options.all_beside else MOST_BESIDE)
        return every or (self._few_named() if options.key is KeyPosition.FEW else None)

    def valued(self) -> EndNames | None:
        """Return the last values without names: of all lines, or of highlighted ones if others are grey."""
        named, box, known, heights = self.style.named, self.box, self._known, self._heights
        if named.others and named.marks:
            known = [at for at in known if named.has(self.names[at])]
        ends = [heights[at] for at in known]
        placed = spread_apart(ends, self.style.line, box.top - 4, box.bottom)
        if not known or len(known) > MOST_BESIDE or max(placed) > box.bottom + 1:
            return None
        return self._placed(known, [self.more[at] for at in known], ends, placed)

    @property
    def _known(self) -> list[int]:
        return [at for at, value in enumerate(self.values) if value is not None]

    @property
    def _heights(self) -> list[float]:
        """The pixels of the ends from the top of the chart."""
        values = [value or 0.0 for value in self.values]
        return _middles(self.box, values) if self.stacked else [self.box.y(value) for value in values]

    def _all_named(self, most: int) -> EndNames | None:
        """Return all names; None if they do not fit, or would be too far from their bands."""
        style, box, count = self.style, self.box, len(self.names)
        share = NARROW_SHARE if style.narrow else SHARE
        texts = [
            " ".join(words) for words in zip(self.names, *([self.more] if self.more else []), strict=True)
        ]
        wide = style.widest(texts, 600) + AIR + 4 > style.inner * share
        if len(self._known) < count or count > most or wide:
            return None
        heights = self._heights
        placed = spread_apart(heights, style.line, box.top - 4, box.bottom)
        if max(placed) > box.bottom + 1:
            return None
        span = box.axis.domain[1] - box.axis.domain[0]
        if self.stacked and any(
            abs(a - b) > max(abs(value or 0.0) / span * box.height / 2, 9.0)
            for a, b, value in zip(placed, heights, self.values, strict=True)
        ):
            return None
        return self._placed(range(count), texts, heights, placed)

    def _few_named(self) -> EndNames | None:
        """Return the names of the highlighted series, or else of the highest ones; long names are cut."""
        style, box, known, heights = self.style, self.box, self._known, self._heights
        most = min(MOST_FEW, int((box.height + 4) // style.line) + 1)
        marked = [at for at in known if style.named.has(self.names[at])]
        chosen = sorted(sorted(marked or known, key=heights.__getitem__)[:most])
        if not chosen:
            return None
        room = style.inner * FEW_SHARE - AIR - BEND - 4
        behind = [f" {self.more[at]}" if self.more else "" for at in chosen]
        texts = [
            cut(self.names[at], style.label, room - style.text(one, 600), 600) + one
            for at, one in zip(chosen, behind, strict=True)
        ]
        ends, bottom = [heights[at] for at in chosen], max(box.bottom, box.top + style.line)
        return self._placed(chosen, texts, ends, spread_apart(ends, style.line, box.top, bottom))

    def _placed(
        self, series: Sequence[int], texts: Sequence[str], ends: Sequence[float], places: Sequence[float]
    ) -> EndNames:
        bend = BEND * any(abs(a - b) > MOVED for a, b in zip(ends, places, strict=True))
        room = math.ceil(self.style.widest(texts, 600)) + AIR + 4 + bend
        return EndNames(tuple(series), tuple(texts), tuple(ends), tuple(places), room, bend)


def names_lost(names: Sequence[str], beside: EndNames | None) -> tuple[str, ...]:
    """Return a sentence about the names that do not fit beside the others."""
    lost = [name for at, name in enumerate(names) if at not in beside.series] if beside is not None else []
    return (f"These names do not fit: {quote_names(lost)}.",) if lost else ()


def last_numbers(frame: Frame) -> list[float | None]:
    """Return the last value of each series; None for a series without values."""
    return [next((v for v in reversed(column.numbers) if v is not None), None) for column in frame.series]


def last_values(frame: Frame, options: ChartOptions) -> list[str]:
    """Return the last value of each series as text beside its name; "" for a series without values."""
    last = last_numbers(frame)
    written = options.writer(last)
    return ["" if value is None else written(value) for value in last]


def draw_end_names(canvas: Canvas, box: Box, named: EndNames, tones: Sequence[str]) -> None:
    """Draw the names, and leader lines to names that are not at the ends of their lines."""
    start = box.right + AIR
    for index, y, end, text in zip(named.series, named.places, named.ends, named.texts, strict=True):
        if abs(y - end) > MOVED:
            canvas.line((start - 3, end), (start + named.bend - 4, y), tones[index], 1)
        color = canvas.style.palette.readable(tones[index])
        canvas.text(start + named.bend, y, text, color, weight=600)


def _middles(box: Box, values: Sequence[float]) -> list[float]:
    """Return the middles of the bands at the end of stacked areas."""
    bands = {band.series: band for band in stack_bands([0.0], [[value] for value in values])}
    known = [bands.get(index) for index in range(len(values))]
    return [box.y((band.ends[0] + band.bases[0]) / 2 if band else 0.0) for band in known]


LEAST_HIGH = 1.6
"""Least height of a part that has a text, in heights of its label."""


@dataclass(frozen=True, slots=True)
class PartValue:
    """The share of a part: its row, the value at its middle, and its text with a readable colour."""

    row: int
    middle: float
    text: str
    color: str


def part_values(
    style: Style, frame: Frame, options: ChartOptions, each: float, bar: float, *, lying: bool
) -> Iterator[PartValue]:
    """Yield the shares that fit.

    `each` is the length of a whole bar and `bar` its thickness, in pixels.
    """
    tones = style.tones(frame.names)
    least = style.label * LEAST_HIGH
    for row in range(frame.height):
        used, values = 0.0, [column.numbers[row] or 0.0 for column in frame.series]
        for value, text, tone in zip(values, _texts(values, options), tones, strict=True):
            room = value * each
            wide = style.text(text) + 6
            fits = (room >= wide and bar >= style.label) if lying else (room >= least and bar >= wide)
            if value and fits:
                yield PartValue(row, used + value / 2, text, style.palette.on(tone))
            used += value


def total_texts(frame: Frame, options: ChartOptions) -> list[str]:
    """Return the sums of stacks as texts beyond their ends; empty unless they are configured."""
    if not options.figure.labels or len(frame.series) < 2:
        return []
    sums = [total for _, total in stack_sums(frame)]
    written = options.writer(sums)
    return ["" if total is None else written(total) for total in sums]


def _texts(values: Sequence[float], options: ChartOptions) -> list[str]:
    """Return the shares of a row as texts: whole per cent that add up to 100, unless a format is set."""
    if options.values.format:
        return [options.write_formatted(value) for value in values]
    if not any(values):
        return [""] * len(values)
    return [language().percent(share / 100) for share in whole_shares(values)]


TURNED, STANDING = 45, 90
LONGEST_TURNED = 150
LEAST_LETTERS = 3.0
"""Width of the shortest name that is turned or vertical, in heights of its letters."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names below the bars: the lines of each row, their angle, and their height.

    `logged` is a sentence for the log if they do not fit.
    """

    lines: Sequence[Sequence[str]]
    angle: int
    height: float
    logged: tuple[str, ...] = ()


def place_names(
    style: Style, frame: Frame, step: float, room: float = math.inf, *, lie: bool = True
) -> Names | None:
    """Return names in up to three horizontal lines, turned, or vertical, in `room` pixels of height.

    None if, with `lie`, they are easier to read beside horizontal bars.
    """
    dates = named_rows(frame)
    if dates is not None:
        return _dates_below(style, dates, step)
    names = frame.categories
    most = 3 if room == math.inf else min(3, max(1, int((room - 8) // style.line)))
    broken = [wrap(name, style.label, step - 8, most=most) for name in names]
    words = max((style.text(word) for name in names for word in name.split()), default=0)
    if words <= step - 8 and not any(lines[-1].endswith(ELLIPSIS) for lines in broken):
        deepest = max(map(len, broken), default=1)
        return Names(broken, 0, deepest * style.line + 8)
    if frame.axis is None or frame.axis.type is not ColumnType.TEXT:  # some of these numbers may be left out
        every = math.ceil((style.widest(names) + 14) / step)
        lines = [[name if row % every == 0 else ""] for row, name in enumerate(names)]
        return Names(lines, 0, style.line + 8)
    return _slanting(style, names, step, room, lie=lie)


def _slanting(style: Style, names: Sequence[str], step: float, room: float, *, lie: bool) -> Names | None:
    """Return turned, vertical or empty names; None if, with `lie`, horizontal bars are easier to read."""
    cosine, least = math.cos(math.radians(TURNED)), LEAST_LETTERS * style.label
    longest = min(LONGEST_TURNED, (room - style.line) / cosine)
    short = [
        cut(name, style.label, min(longest, (row + 0.5) * step / cosine + style.padding))
        for row, name in enumerate(names)
    ]
    if lie and (style.narrow or short[0].endswith(ELLIPSIS)):
        return None
    if step >= style.label * 1.35 and longest >= least:
        return Names([[name] for name in short], -TURNED, style.widest(short) * cosine + style.line)
    if step < style.label * 1.02 and lie:
        return None
    longest = min(LONGEST_TURNED * 0.6, room - 10)
    if longest < least:
        return Names([[""]] * len(names), 0, 4)
    every = max(1, math.ceil(style.label * 1.02 / step))
    short = [cut(name, style.label, longest) if row % every == 0 else "" for row, name in enumerate(names)]
    return Names([[name] for name in short], -STANDING, style.widest(short) + 10)


def _dates_below(style: Style, dates: Sequence[tuple[str, str]], step: float) -> Names:
    """Return every n-th date, with the greater unit below the first and wherever it changes."""
    least = [math.ceil((style.widest(parts) + 10) / step) for parts in zip(*dates, strict=True)]
    lines = _date_lines(dates, least[0])
    great = [row for row, line in enumerate(lines) if len(line) > 1]
    if any(after - row < least[1] for row, after in pairwise(great)):
        lines = _date_lines(dates, max(least))
    return Names(lines, 0, style.line * (2 if any(great for _, great in dates) else 1) + 8)


def _date_lines(dates: Sequence[tuple[str, str]], every: int) -> list[list[str]]:
    """Return the lines of each date; only every n-th date has any."""
    lines: list[list[str]] = []
    last = ""
    for row, (small, great) in enumerate(dates):
        if row % every:
            lines.append([""])
            continue
        lines.append([small, great] if great and great != last else [small])
        last = great
    return lines


def blank_names(frame: Frame) -> Names:
    """Return empty names, with their small height."""
    return Names([[""]] * frame.height, 0, 4)


def draw_names(canvas: Canvas, box: Box, labels: Names, below: float = 0.0) -> None:
    """Draw the names in the middle of their steps, at their distance below the box."""
    step, y = box.width / max(1, len(labels.lines)), box.bottom + 6 + below
    places = [(box.left + (row + 0.5) * step, lines) for row, lines in enumerate(labels.lines)]
    if not labels.angle:
        draw_along(canvas, box, places, signs=False, gap=6 + below)
        return
    for x, (name,) in places:
        if name:
            color = canvas.style.palette.quiet
            canvas.text(x, y, name, color, anchor="end", angle=labels.angle, group=ALONG)
