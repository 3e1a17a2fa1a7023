"""Rows and cells of characters in a terminal: the value axis, bars, shades, and the key of series."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from handlers.render.plots.charts.ramps import Ramp
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, spread_of
from handlers.render.plots.data.series import totals
from handlers.render.plots.forms.terminal.screen import (
    SHADES,
    Screen,
    more_rows,
    more_series,
    place_line,
    signs,
)
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT
from handlers.words.language import say

SIGNS = "●○◆◇■□▲△"
"""The characters of the series, which distinguish them without colours."""


def places_axis(values: Sequence[float | None], options: ChartOptions, *, zero: bool) -> ValueAxis:
    """Return the axis from the least value to the greatest, or further by setting."""
    wishes = options.values
    low, high = spread_of([*values, wishes.low, wishes.high, *([0.0] if zero else [])])
    log = wishes.log and low > 0
    return ValueAxis((low, high), ("", ""), (low, high if high > low else low + 1), log)


@dataclass(frozen=True, slots=True)
class RowMark:
    """A character from one value to another, in a colour or in none."""

    start: float
    end: float
    sign: str
    tone: str = ""


def mark_line(screen: Screen, axis: ValueAxis, marks: Iterable[RowMark], wide: int) -> str:
    """Return the marks of a row in that many columns; where several overlap, the last is seen."""
    cells = [(" ", "")] * wide
    for mark in marks:
        first, last = sorted(round(axis.position(end, wide - 1)) for end in (mark.start, mark.end))
        cells[first : last + 1] = [(mark.sign, mark.tone)] * (last + 1 - first)
    runs = groupby(cells, key=lambda cell: cell[1])
    parts = (("".join(sign for sign, _ in run), tone) for tone, run in runs)
    return "".join(screen.paint(text, tone) if tone else text for text, tone in parts).rstrip()


def write_rows(
    screen: Screen, names: Sequence[str], texts: Sequence[Sequence[str]], draw: Callable[[int, int], str]
) -> list[str]:
    """Return a line for each row: its name, its texts in columns, and what `draw` makes of it."""
    wide = sum(1 + max(map(signs, column), default=0) for column in texts)
    most = max(1, min(screen.columns // 3, screen.columns - wide - 5))
    columns = [[screen.name(name, most) for name in names], *texts]
    widths = [max(map(signs, column), default=0) for column in columns]
    room = max(0, screen.columns - sum(widths) - len(widths))
    lines = []
    for row in range(len(names)):
        cells = [place_line(column[row], wide, "right") for column, wide in zip(columns, widths, strict=True)]
        lines.append(" ".join([*cells, draw(row, room)]).rstrip())
    return lines


def rows_shown(screen: Screen, count: int, below: int = 0) -> int:
    """Return the number of rows that fit above the last lines, and the line that counts the others."""
    room = max(1, screen.rows - below)
    return count if count <= room else max(1, room - 1)


def key_lines(screen: Screen, names: Sequence[str]) -> list[str]:
    """Return the characters of the series with their names, in one line."""
    entries = [
        f"{screen.paint(SIGNS[index % len(SIGNS)], screen.tone(index))} {screen.name(name, 24)}"
        for index, name in enumerate(names[: len(SIGNS)])
    ]
    more = [say(f"({len(names) - len(SIGNS)} others)")] if len(names) > len(SIGNS) else []
    return ["  ".join([*entries, *more])]


def write_bars(screen: Screen, frame: Frame, options: ChartOptions, *, stacked: bool) -> list[str]:
    """Return a line for each bar, or for each stack; rows and series that do not fit are counted."""
    stacked = stacked and len(frame.series) > 1
    series = frame.series if stacked else frame.series[: max(1, screen.rows - 3)]
    key = screen.keys([column.name for column in series]) if len(series) > 1 else []
    lines_each = 1 if stacked or len(series) == 1 else len(series)
    unnamed = len(frame.series) - len(series)
    room = screen.rows - len(key) - bool(unnamed)
    most = frame.height if lines_each * frame.height <= room else max(1, (room - 1) // lines_each)
    shown = frame.latest(most)
    names, kept = row_names(shown), shown.series[: len(series)]
    values = frame.values
    ends = totals(frame) if stacked else values
    written = options.writer(ends)
    low, high = spread_of([0.0, *ends, options.values.low, options.values.high, *options.values.reach])
    scale = _Scale(screen, [*map(screen.name, names, [screen.columns // 3] * len(names))], low, high,
                   max(signs(written(value)) for value in ends if value is not None))  # fmt: skip
    lines = []
    for row in range(len(names)):
        numbers = [column.numbers[row] for column in kept]
        if stacked:
            total = math.fsum(number or 0.0 for number in numbers)
            text = "" if options.shares else written(total)
            lines.append(scale.stack(row, numbers, text, outward=options.colors.of_answers).rstrip())
            continue
        for index, number in enumerate(numbers):
            tone = row if screen.by_row else index
            lines.append(scale.bar(row if index == 0 else None, tone, number, written, len(series) == 1))
    return [*lines, *key, *more_series(unnamed), *more_rows(frame.height - len(names))]


class _Scale:
    """Columns of names, of bars before and after zero, and of values."""

    def __init__(self, screen: Screen, names: Sequence[str], low: float, high: float, amount: int) -> None:
        self.screen, self.names = screen, names
        self.label = max((signs(name) for name in names), default=0)
        self.amount = amount + 1
        before = self.amount if low < 0 else 0
        room = max(4, screen.columns - self.label - 1 - self.amount - before)
        span = (high - low) or 1.0
        self.each = room / span
        self.left = round(-low * self.each) + before

    def head(self, row: int | None) -> str:
        """Return the name of a row, right-aligned."""
        return place_line(self.names[row] if row is not None else "", self.label, "right") + " "

    def bar(self, row: int | None, index: int, value: float | None, written: object, single: bool) -> str:
        """Return one bar with its value at its end."""
        screen = self.screen
        if value is None:
            return self.head(row) + " " * self.left + "n/a"
        text = written(value) if callable(written) else ""
        if value < 0:
            whole = max(0, min(self.left - self.amount, round(-value * self.each)))
            drawn = screen.bar(whole, index, alone=single)
            return self.head(row) + place_line(text, self.left - whole - 1, "right") + " " + drawn
        drawn = screen.bar(value * self.each, index, alone=single)
        return self.head(row) + " " * self.left + drawn + " " + text

    def stack(self, row: int, values: Sequence[float | None], text: str, *, outward: bool) -> str:
        """Return the parts of a stack, each from the end of the one before, and their sum.

        With `outward` the first of the negative parts is the farthest from zero.
        """
        before = after = ""
        used = down = 0.0
        parts = [(index, value or 0.0) for index, value in enumerate(values)]
        for index, value in parts:
            end = used + max(0.0, value)
            after += self.screen.bar(round(end * self.each) - round(used * self.each), index, alone=False)
            used = end
        for index, value in reversed(parts) if outward else parts:
            end = down - min(0.0, value)
            part = round(end * self.each) - round(down * self.each)
            before = self.screen.bar(part, index, alone=False) + before
            down = end
        blank = " " * max(0, self.left - round(down * self.each))
        return f"{self.head(row)}{blank}{before}{after} {text}"


def write_cell(screen: Screen, ramp: Ramp, value: float | None, text: str, width: int) -> str:
    """Return a cell: its number on its colour, or its shade."""
    if value is None:
        return text or " " * width
    color = ramp.color(value)
    if text:
        return screen.paint(text, LIGHT.on(color), color)
    if screen.colored:
        return screen.paint(" " * width, color, color)
    if ramp.bounds:
        number = bisect_right(ramp.bounds, value)
        return (SHADES[number] if len(ramp.bounds) < len(SHADES) else str(number + 1)) * width
    return SHADES[min(len(SHADES) - 1, int(ramp.share(value) * len(SHADES)))] * width


def scale_lines(screen: Screen, ramp: Ramp, options: ChartOptions) -> list[str]:
    """Return the shades with the values of their ends, or each class with its shade."""
    classes = ramp.classes(options)
    if classes:
        each = max(1, (screen.columns + 2) // (max(signs(text) for _, text in classes) + 5))
        texts = [f"{write_cell(screen, ramp, value, '', 2)} {text}" for value, text in classes]
        return ["  ".join(texts[at : at + each]) for at in range(0, len(texts), each)]
    steps = [ramp.between(ramp.low, ramp.high, share / 4) for share in range(5)]
    cells = "".join(write_cell(screen, ramp, value, "", 2) for value in steps)
    return [f"{alone(ramp.low, options.unit)} {cells} {alone(ramp.high, options.unit)}"]
