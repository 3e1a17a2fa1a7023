"""Names of upright bars, horizontal, turned or vertical below them, and values of their parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from handlers.render.plots.charts.marks.canvas import ALONG, Canvas, draw_along
from handlers.render.plots.charts.value_axis import Box
from handlers.render.plots.data.dates_written import named_rows
from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.numbers import whole_shares
from handlers.render.plots.data.series import stack_sums
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import ELLIPSIS, cut, wrap
from handlers.words.language import language

LEAST_HIGH = 1.6
"""Least height of a part that has a text, in heights of its label."""


@dataclass(frozen=True, slots=True)
class PartValue:
    """Share of a part: its row, the value at its middle, the text, and a colour that is read on it."""

    row: int
    middle: float
    text: str
    color: str


def part_values(
    style: Style, frame: Frame, options: ChartOptions, each: float, bar: float, *, lying: bool
) -> Iterator[PartValue]:
    """Yield the shares that fit.

    `each` is the pixels of a whole, `bar` is the thickness of a bar.
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
    """Return the sums of stacks as written beyond their ends; none unless that is configured."""
    if not options.figure.labels or len(frame.series) < 2:
        return []
    sums = [total for _, total in stack_sums(frame)]
    written = options.writer(sums)
    return ["" if total is None else written(total) for total in sums]


def _texts(values: Sequence[float], options: ChartOptions) -> list[str]:
    """Return the shares of a row as texts, whole ones that add up to 100% unless a format is set."""
    if options.values.format:
        return [options.write_formatted(value) for value in values]
    return (
        [language().percent(share / 100) for share in whole_shares(values)]
        if any(values)
        else [""] * len(values)
    )


TURNED, STANDING = 45, 90
LONGEST_TURNED = 150
LEAST_LETTERS = 3.0
"""Width of the shortest name that is turned or vertical, in heights of its letters."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names below the bars: the lines of each row, their angle, and their height.

    `told` is a sentence for the log if they do not fit.
    """

    lines: Sequence[Sequence[str]]
    angle: int
    height: float
    told: tuple[str, ...] = ()


def place_names(
    style: Style, frame: Frame, step: float, room: float = math.inf, *, lie: bool = True
) -> Names | None:
    """Return names in up to three horizontal lines, turned, or vertical, in `room` pixels of height.

    None if no way fits or, with `lie`, if they are easier to read beside horizontal bars.
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
    if _evenly_named(frame):
        every = math.ceil((style.widest(names) + 14) / step)
        lines = [[name if row % every == 0 else ""] for row, name in enumerate(names)]
        return Names(lines, 0, style.line + 8)
    return _slanting(style, names, step, room, lie=lie)


def _slanting(style: Style, names: Sequence[str], step: float, room: float, *, lie: bool) -> Names | None:
    """Return names turned, or vertical, each cut to its room; None if too few letters fit."""
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
    """Return every n-th date, the greater part below the first and wherever it changes."""
    least = [math.ceil((style.widest(parts) + 10) / step) for parts in zip(*dates, strict=True)]
    lines = _date_lines(dates, least[0])
    great = [row for row, line in enumerate(lines) if len(line) > 1]
    if any(after - row < least[1] for row, after in pairwise(great)):
        lines = _date_lines(dates, max(least))
    return Names(lines, 0, style.line * (2 if any(great for _, great in dates) else 1) + 8)


def _date_lines(dates: Sequence[tuple[str, str]], every: int) -> list[list[str]]:
    """Return the lines of each date; only every n-th has some."""
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


def _evenly_named(frame: Frame) -> bool:
    """Return whether names are numbers or dates, so that some can be left out."""
    return frame.axis is None or frame.axis.type is not ColumnType.TEXT


def draw_names(canvas: Canvas, style: Style, box: Box, labels: Names, below: float = 0.0) -> None:
    """Draw the names in the middle of their steps, at their distance below the box."""
    step, y = box.width / max(1, len(labels.lines)), box.bottom + 6 + below
    places = [(box.left + (row + 0.5) * step, lines) for row, lines in enumerate(labels.lines)]
    if not labels.angle:
        draw_along(canvas, style, box, places, signs=False, gap=6 + below)
        return
    for x, (name,) in places:
        if name:
            color = style.palette.quiet
            canvas.text(x, y, name, style.label, color, anchor="end", angle=labels.angle, group=ALONG)
