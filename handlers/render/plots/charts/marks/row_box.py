"""Box of rows: a name beside each row of marks, an axis over them, and as many as there is room for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from handlers.render.plots.charts.bar_rows import Rows, narrow_rows, place_rows, rows_that_fit, rows_told
from handlers.render.plots.charts.chart import Chart, Draw, spread_labels
from handlers.render.plots.charts.marks.axes import LABELS
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style

GAP = 12
BELOW = 4
LEAST_MARKS = 34.0
"""Pixels of width of the marks beside their names."""


@dataclass(frozen=True, slots=True)
class RowBox:
    """The plot's box in pixels: its left and right edge, its top, and the places of rows and values."""

    rows: Rows
    left: float
    right: float
    top: float
    count: int
    axis: ValueAxis

    @property
    def width(self) -> float:
        """Width between the edges."""
        return self.right - self.left

    @property
    def bottom(self) -> float:
        """The lower end of the last row."""
        return self.top + self.rows.row * self.count

    @property
    def height(self) -> float:
        """Height of the whole chart."""
        return self.bottom + BELOW

    def x(self, value: float) -> float:
        """Pixels of a value from the chart's left edge."""
        return self.left + self.axis.position(value, self.width)

    def y(self, row: int) -> float:
        """The middle of a row's marks."""
        return self.top + self.rows.middle(row) + self.rows.shift


@dataclass(frozen=True, slots=True)
class RowRoom:
    """Room that a box of rows leaves for texts `before` and `after` the outermost marks, in pixels.

    Above the rows are the labels of an `axis`, or `heads`. An axis begins at `zero` or where values do.
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
    """The box of a frame's rows over the axis of some values."""
    top = style.line + 6.0 if room.heads or (room.axis and options.values.labels) else 2.0
    rows = place_rows(style, frame, room.bars, None if box is None else max(20.0, box - top - BELOW))
    rows = narrow_rows(style, rows, style.inner - GAP - room.before - room.after - LEAST_MARKS)
    left = math.ceil(rows.column) + GAP if rows.column else 0.0
    count = max(2, min(9, round((style.inner - left - room.before - room.after) / (style.label * 7))))
    scale = value_axis(values, count, options.unit, zero=room.zero, wishes=options.values)
    ends = [style.text(label) / 2 for label in (scale.labels[0], scale.labels[-1])]
    left += max(room.before, ends[0] + 1 if room.axis else 0.0)
    right = style.inner - max(room.after, ends[1] + 1 if room.axis else 0.0)
    right = max(left + 24.0, right)
    return RowBox(rows, left, right, top, frame.height, spread_labels(style, scale, right - left))


def draw_rows(canvas: Canvas, style: Style, box: RowBox, *, axis: bool = True, guides: bool = False) -> None:
    """The names of the rows, the axis with its grid, and with `guides` a faint line along each row."""
    palette, rows = style.palette, box.rows
    guide = mix(palette.grid, palette.edge, 0.5)
    if axis:
        draw_axis(canvas, style, box)
        draw_zero(canvas, style, box)
    for row, lines in enumerate(rows.lines):
        if guides:
            y = box.y(row)
            canvas.line((box.left, y), (box.right, y), guide, 1, dash="1 3")
        if rows.above:
            y = box.top + row * rows.row + style.line * 0.5 + 4
            canvas.lines(0, y + (len(lines) - 1) * style.line / 2, lines, style.label, palette.ink)
        else:
            canvas.lines(rows.column, box.y(row), lines, style.label, palette.ink, anchor="end")


def draw_axis(canvas: Canvas, style: Style, box: RowBox) -> None:
    """The grid lines of the axis, and its labels above them."""
    palette, axis = style.palette, box.axis
    places = [box.x(tick) for tick in axis.ticks]
    if axis.grid:
        canvas.grid([((x, a), (x, b)) for a, b in row_stretches(box) for x in places], palette.grid)
    for x, label in zip(places, axis.labels, strict=True):
        if label:
            y = style.line * 0.5
            canvas.text(x, y, label, style.label, palette.quiet, anchor="middle", group=LABELS)


def draw_zero(canvas: Canvas, style: Style, box: RowBox) -> None:
    """The line at zero, where the axis has one."""
    if box.axis.has_zero:
        x = box.x(0.0)
        for start, end in row_stretches(box):
            canvas.line((x, start), (x, end), style.palette.zero, 1.2)


def row_stretches(box: RowBox) -> Iterator[tuple[float, float]]:
    """The stretches of an upright line: one, or one in each row whose name stands above its marks."""
    if not box.rows.above:
        yield box.top, box.bottom
        return
    for row in range(box.count):
        middle, half = box.y(row), box.rows.bar / 2 + 3
        yield middle - half, middle + half


LEAST_SETS = 2
MOST_BARS = 400
"""Rows of marks with texts that a picture draws."""
Keep = Callable[[Frame, int], Frame]


def bound_values(draw: Draw, most: int) -> Draw:
    """The drawing of the latest rows, of at most so many values; forms of text have all."""

    def draw_bounded(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        shown = frame.latest(max(1, most // max(1, len(frame.series))))
        chart = draw(style, shown, box, options)
        return replace(chart, notes=(*chart.notes, *rows_told(frame, shown)))

    return draw_bounded


def fit_rows(draw: Draw, lines_above: float = 1.0, keep: Keep = Frame.latest) -> Draw:
    """The drawing of as many rows as find room below so many lines of labels, by the rule of lying bars."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over = _above(style, lines_above)
        shown = rows_that_fit(style, keep(frame, MOST_BARS), None if box is None else box - over, keep)
        chart = _wanting(draw(style, shown, box, options), style, frame.height, over)
        return replace(chart, notes=(*chart.notes, *rows_told(frame, shown)))

    return draw_fitting


def fit_sets(draw: Draw) -> Draw:
    """The same for sets of numbers, each in its own row."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over, count = _above(style, 1.0), len(frame.series)
        most = count if box is None else max(LEAST_SETS, int((box - over) // (style.label + 2)))
        kept = frame.series[:most]
        shown = replace(frame, columns=(*frame.columns[: len(frame.columns) - count], *kept), heads=())
        chart, more = _wanting(draw(style, shown, box, options), style, count, over), count - len(kept)
        notes = (f"{count_words(more, 'more set')} in the data.",) if more else ()
        return replace(chart, notes=(*chart.notes, *notes))

    return draw_fitting


def _above(style: Style, lines: float) -> float:
    """Pixels above the rows, and the air below them."""
    return style.line * lines + 6 + BELOW if lines else 2.0 + BELOW


def _wanting(chart: Chart, style: Style, count: int, over: float) -> Chart:
    """The chart with the height at which all of its rows are read with ease."""
    return replace(chart, wants=count * (style.line + 6.0) + over)
