"""Rows in a box: the first ones, as many as it has lines for, and a sentence about the others."""

from __future__ import annotations

from dataclasses import replace

from handlers.render.plots.charts.bar_rows import rows_that_fit
from handlers.render.plots.charts.chart import Chart, Draw
from handlers.render.plots.charts.marks.row_box import BELOW
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

LEAST_SETS = 2


def fit_rows(draw: Draw, lines_above: float = 1.0) -> Draw:
    """The drawing of as many rows as find room below so many lines of labels, by the rule of lying bars."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over = _above(style, lines_above)
        shown = rows_that_fit(style, frame, None if box is None else box - over)
        return _with_note(draw(style, shown, box, options), style, frame.height, shown.height, "row", over)

    return draw_fitting


def fit_sets(draw: Draw) -> Draw:
    """The same for sets of numbers, of which each has a row."""

    def draw_fitting(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        over, count = _above(style, 1.0), len(frame.series)
        most = count if box is None else max(LEAST_SETS, int((box - over) // (style.label + 2)))
        kept = frame.series[:most]
        shown = replace(frame, columns=(*frame.columns[: len(frame.columns) - count], *kept), heads=())
        return _with_note(draw(style, shown, box, options), style, count, len(kept), "set", over)

    return draw_fitting


def _above(style: Style, lines: float) -> float:
    """Pixels above the rows, and the air below them."""
    return style.line * lines + 6 + BELOW if lines else 2.0 + BELOW


def _with_note(chart: Chart, style: Style, count: int, shown: int, what: str, over: float) -> Chart:
    """The chart with the height at which its rows are read with ease, and what has no room."""
    more = count - shown
    notes = (f"{count_words(more, f'more {what}')} in the data.",) if more else ()
    return replace(chart, notes=(*chart.notes, *notes), wants=count * (style.line + 6.0) + over)
