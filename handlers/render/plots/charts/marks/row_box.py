"""Box of rows: a name beside each row of marks, an axis over them, and as many rows as fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart, Draw, spread_labels
from handlers.render.plots.charts.marks.canvas import LABELS, Canvas
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import wrap

MANY = 24
MOST_ROWS, TALLEST = 2_000, 8_000.0
"""Most rows of a picture, and the height in pixels above which they are thinner than a line of text."""
LEAST_BARS = 52.0
"""Least width in pixels of the longest bar beside its name, with its margins."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Positions of names and bars in pixels: lines of each name, the names' column (0: above), heights."""

    lines: tuple[list[str], ...]
    column: float
    row: float
    bar: float
    shift: float

    @property
    def above(self) -> bool:
        """Whether names are above their bars."""
        return not self.column

    def middle(self, index: int) -> float:
        """Return the middle of a row."""
        return (index + 0.5) * self.row


def place_rows(style: Style, frame: Frame, bars: int, box: float | None) -> Rows:
    """Return the layout of all names and bars; in a box, names have as many lines as its rows allow."""
    names = row_names(frame)
    above = style.narrow and style.widest(names) > style.inner * 0.3
    if above and len(names) * (style.line * 2 + 9) > (box or TALLEST):
        above = False  # names above their bars would not fit; cut names beside them do
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
    """Return the rows with a column of names narrow enough for bars and their values beside it."""
    values = frame.series[0].numbers
    written = options.writer(values)
    room = style.widest(map(written, values), 600) + 8
    most = style.inner - 2 * room - LEAST_BARS
    return rows if rows.column <= most else narrow_rows(style, rows, most + room)


def narrow_rows(style: Style, rows: Rows, most: float) -> Rows:
    """Return the rows with a column of names of at most `most` pixels, but at least two letters."""
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
    """Return the frame with as many rows as fit in a box, at least three, chosen by `keep`."""
    return keep(frame, MOST_ROWS if box is None else max(3, int(box // (style.label + 2))))


def latest_or_largest(frame: Frame, most: int) -> Frame:
    """Return `most` rows in order: the latest along days and numbers, else the largest."""
    rows = range(frame.height)
    if frame.height <= most or frame.positions:
        return frame.latest(most)
    sizes = [max((abs(one.numbers[row] or 0.0) for one in frame.series), default=0.0) for row in rows]
    return frame.of_rows(sorted(sorted(rows, key=lambda row: -sizes[row])[:most]))


def rows_note(frame: Frame, shown: Frame, *, largest: bool = False) -> tuple[str, ...]:
    """Return a sentence about the rows that do not fit."""
    more = frame.height - shown.height
    if more and largest:
        most = f"The largest {shown.height:,} of {frame.height:,} rows"
        return (f"{most}: {count_words(more, 'more row')} in the data.",)
    return (f"{count_words(more, 'more row')} in the data.",) if more else ()


GAP = 12
BELOW = 4
LEAST_MARKS = 34.0
"""Least width of the marks beside their names, in pixels."""


@dataclass(frozen=True, slots=True)
class RowBox:
    """The plot's box in pixels: its left and right edge, its top, and the positions of rows and values."""

    rows: Rows
    left: float
    right: float
    top: float
    axis: ValueAxis

    @property
    def width(self) -> float:
        """The width between the edges."""
        return self.right - self.left

    @property
    def bottom(self) -> float:
        """The lower end of the last row."""
        return self.top + self.rows.row * len(self.rows.lines)

    @property
    def height(self) -> float:
        """The height of the whole chart."""
        return self.bottom + BELOW

    def x(self, value: float) -> float:
        """Return the pixels of a value from the chart's left edge."""
        return self.left + self.axis.position(value, self.width)

    def y(self, row: int) -> float:
        """Return the middle of a row's marks."""
        return self.top + self.rows.middle(row) + self.rows.shift


@dataclass(frozen=True, slots=True)
class RowRoom:
    """Pixels that a box of rows reserves for texts `before` and `after` the outermost marks.

    Above the rows are the labels of an `axis`, or `heads`. An axis begins at `zero` or at the values.
    """

    before: float = 0.0
    after: float = 0.0
    zero: bool = False
    axis: bool = True
    heads: bool = False
    bars: int = 1


def measure_rows(
    style: Style,
    frame: Frame,
    box: float | None,
    values: Iterable[float | None],
    options: ChartOptions,
    room: RowRoom,
) -> RowBox:
    """Return the box of a frame's rows over the axis of values."""
    top = style.line + 6.0 if room.heads or (room.axis and options.values.labels) else 2.0
    rows = place_rows(style, frame, room.bars, None if box is None else max(20.0, box - top - BELOW))
    rows = narrow_rows(style, rows, style.inner - GAP - room.before - room.after - LEAST_MARKS)
    left = math.ceil(rows.column) + GAP if rows.column else 0.0
    count = max(2, min(9, round((style.inner - left - room.before - room.after) / (style.label * 7))))
    scale = value_axis(values, count, options.unit, zero=room.zero, settings=options.values)
    ends = [style.text(label) / 2 for label in (scale.labels[0], scale.labels[-1])]
    left += max(room.before, ends[0] + 1 if room.axis else 0.0)
    right = style.inner - max(room.after, ends[1] + 1 if room.axis else 0.0)
    right = max(left + 24.0, right)
    return RowBox(rows, left, right, top, spread_labels(style, scale, right - left))


def draw_rows(canvas: Canvas, box: RowBox, *, axis: bool = True, guides: bool = False) -> None:
    """Draw the names of the rows, the axis with its grid, and with `guides` a faint line along each row."""
    style = canvas.style
    palette, rows = style.palette, box.rows
    guide = mix(palette.grid, palette.edge, 0.5)
    if axis:
        draw_axis(canvas, box)
        draw_zero(canvas, box)
    for row, lines in enumerate(rows.lines):
        if guides:
            y = box.y(row)
            canvas.line((box.left, y), (box.right, y), guide, 1, dash="1 3")
        if rows.above:
            y = box.top + row * rows.row + style.line * 0.5 + 4
            canvas.lines(0, y + (len(lines) - 1) * style.line / 2, lines)
        else:
            canvas.lines(rows.column, box.y(row), lines, anchor="end")


def draw_axis(canvas: Canvas, box: RowBox) -> None:
    """Draw the grid lines of the axis, and its labels above them."""
    palette, axis = canvas.style.palette, box.axis
    places = [box.x(tick) for tick in axis.ticks]
    if axis.grid:
        canvas.grid([((x, a), (x, b)) for a, b in row_stretches(box) for x in places], palette.grid)
    for x, label in zip(places, axis.labels, strict=True):
        if label:
            y = canvas.style.line * 0.5
            canvas.text(x, y, label, palette.quiet, anchor="middle", group=LABELS)


def draw_zero(canvas: Canvas, box: RowBox) -> None:
    """Draw the line at zero, if the axis has zero."""
    if box.axis.has_zero:
        x = box.x(0.0)
        for start, end in row_stretches(box):
            canvas.line((x, start), (x, end), canvas.style.palette.zero, 1.2)


def row_stretches(box: RowBox) -> Iterator[tuple[float, float]]:
    """Yield the parts of a vertical line: one, or one in each row whose name is above its marks."""
    if not box.rows.above:
        yield box.top, box.bottom
        return
    for row in range(len(box.rows.lines)):
        middle, half = box.y(row), box.rows.bar / 2 + 3
        yield middle - half, middle + half


LEAST_SETS = 2
MOST_BARS = 400
"""Most rows of marks with texts that a picture draws."""
Keep = Callable[[Frame, int], Frame]


def bound_values(draw: Draw, most: int) -> Draw:
    """Return a drawing of the latest rows with at most `most` values; text forms show all rows."""

    def draw_bounded(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        shown = frame.latest(max(1, most // max(1, len(frame.series))))
        chart = draw(style, shown, box, options)
        return replace(chart, notes=(*chart.notes, *rows_note(frame, shown)))

    return draw_bounded


def fit_rows(draw: Draw, lines_above: float = 1.0, keep: Keep = Frame.latest) -> Draw:
    """Return a drawing of as many rows as fit below some lines of labels, as for horizontal bars."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over = _above(style, lines_above)
        shown = rows_that_fit(style, keep(frame, MOST_BARS), None if box is None else box - over, keep)
        chart = _wanting(draw(style, shown, box, options), style, frame.height, over)
        return replace(chart, notes=(*chart.notes, *rows_note(frame, shown)))

    return draw_fitting


def fit_sets(draw: Draw) -> Draw:
    """Return a drawing of as many sets of numbers as fit, each in a separate row."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over, count = _above(style, 1.0), len(frame.series)
        most = count if box is None else max(LEAST_SETS, int((box - over) // (style.label + 2)))
        kept = frame.series[:most]
        shown = frame.of_columns(*frame.columns[: len(frame.columns) - count], *kept)
        chart, more = _wanting(draw(style, shown, box, options), style, count, over), count - len(kept)
        notes = (f"{count_words(more, 'more set')} in the data.",) if more else ()
        return replace(chart, notes=(*chart.notes, *notes))

    return draw_fitting


def _above(style: Style, lines: float) -> float:
    """Return the height of the labels above the rows and of the margin below them, in pixels."""
    return style.line * lines + 6 + BELOW if lines else 2.0 + BELOW


def _wanting(chart: Chart, style: Style, count: int, over: float) -> Chart:
    """Return the chart with the height at which all of its rows are easy to read."""
    return replace(chart, wants=count * (style.line + 6.0) + over)
