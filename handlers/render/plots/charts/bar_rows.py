"""Rows of lying bars: the places of their names and bars, and how many of them a box holds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import wrap

MANY = 24
MOST_ROWS, TALLEST = 2_000, 8_000.0
"""Rows that a picture draws, and pixels of their height beyond which they are thinner than a line of type."""
LEAST_BARS = 52.0
"""Pixels of width of the longest bar beside its name, and the air around it."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Places of names and bars in pixels: lines of each name, the names' column (0: above), heights."""

    lines: tuple[list[str], ...]
    column: float
    row: float
    bar: float
    shift: float

    @property
    def above(self) -> bool:
        """True when a name stands above its bars."""
        return not self.column

    def middle(self, index: int) -> float:
        """Middle of a row."""
        return (index + 0.5) * self.row


def place_rows(style: Style, frame: Frame, bars: int, box: float | None) -> Rows:
    """Room for every name and its bars; in a box the height of a row decides how many lines a name has."""
    names = row_names(frame)
    above = style.narrow and style.widest(names) > style.inner * 0.3
    if above and len(names) * (style.line * 2 + 9) > (box or TALLEST):
        above = False  # names above their bars would not find room, cut ones beside them do
    column = 0.0 if above else min(style.widest(names), style.inner * (0.36 if style.width < 1000 else 0.3))
    most = 2 if above else 3
    if box is not None:
        most = max(1, min(most, int((box / len(names) - (style.line if above else 3)) / style.line)))
    if not above and box is not None and most == 1:
        column = min(style.widest(names), style.inner * 0.45)
    width = style.inner - 4 if above else column + 1
    lines = tuple(wrap(name, style.label, width, most=most) for name in names)
    deepest = max(map(len, lines), default=1)
    share = 1.0 if bars == 1 else 0.72 if bars * len(names) <= MANY else 0.5
    bar = max(8.0, (style.label + 6) * share) * bars
    text = deepest * style.line
    row = bar + text + 15 if above else max(bar, text) + 9
    if len(names) > MANY and not above and bars == 1:
        row, bar = float(max(text + 2, style.label + 5, 18)), float(max(8, style.label - 2))
    if box is None and row * len(names) > TALLEST:
        row = TALLEST / len(names)
        every = max(1, math.ceil((style.label + 2) / row))
        shown = (name if at % every == 0 else "" for at, name in enumerate(names))
        lines = tuple(wrap(name, style.label, column + 1, most=1) if name else [] for name in shown)
        return Rows(lines, column, row, row * 0.8, 0.0)
    if box is not None and row * len(names) > box:
        row = max(style.label + 1.0, box / len(names))
        bar = max(4.0, min(bar, row - text - 4)) if above else min(bar, row * 0.8)
    return Rows(lines, column if not above else 0.0, row, bar, (text + 3) / 2 if above else 0.0)


def rows_beside_values(style: Style, frame: Frame, rows: Rows, options: ChartOptions) -> Rows:
    """The rows with a column of names so narrow that bars and their values have room beside it."""
    values = frame.series[0].numbers
    written = options.writer(values)
    room = style.widest(map(written, values), 600) + 8
    most = style.inner - 2 * room - LEAST_BARS
    return rows if rows.column <= most else narrow_rows(style, rows, most + room)


def narrow_rows(style: Style, rows: Rows, most: float) -> Rows:
    """The rows with a column of names of at most so many pixels, of two letters at least."""
    column = max(style.label * 2.0, most)
    if column >= rows.column:
        return rows
    lines = tuple(
        wrap(" ".join(line), style.label, column + 1, most=max(1, len(line))) for line in rows.lines
    )
    return replace(rows, lines=lines, column=column)


def rows_that_fit(
    style: Style, frame: Frame, box: float | None, keep: Callable[[Frame, int], Frame] = Frame.latest
) -> Frame:
    """The frame with as many rows as a box holds in lines of type, three at least: along days the latest."""
    return keep(frame, MOST_ROWS if box is None else max(3, int(box // (style.label + 2))))


def latest_or_largest(frame: Frame, most: int) -> Frame:
    """So many rows: the latest along days and numbers, the largest of others, in their order."""
    rows = range(frame.height)
    if frame.height <= most or runs_along(frame):
        return frame.latest(most)
    sizes = [max((abs(one.numbers[row] or 0.0) for one in frame.series), default=0.0) for row in rows]
    return frame.of_rows(sorted(sorted(rows, key=lambda row: -sizes[row])[:most]))


def runs_along(frame: Frame) -> bool:
    """Whether rows stand along days or numbers."""
    return bool(frame.moments or frame.numbers_along)


def rows_told(frame: Frame, shown: Frame, *, largest: bool = False) -> tuple[str, ...]:
    """A sentence about the rows that find no room."""
    more = frame.height - shown.height
    if more and largest:
        most = f"The largest {shown.height:,} of {frame.height:,} rows"
        return (f"{most}: {count_words(more, 'more row')} in the data.",)
    return (f"{count_words(more, 'more row')} in the data.",) if more else ()
