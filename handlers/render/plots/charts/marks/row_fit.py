"""Rows that a picture draws: as many as it has lines for, and a sentence about the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from handlers.render.plots.charts.bar_rows import rows_that_fit, rows_told
from handlers.render.plots.charts.chart import Chart, Draw
from handlers.render.plots.charts.marks.row_box import BELOW
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

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
    """The same for sets of numbers, of which each has a row."""

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
