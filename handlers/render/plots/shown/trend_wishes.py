"""Trends that are wished of a chart: those of its series, and sentences about series that have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.render.plots.charts.line_box import places_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.trends import LEAST, Spot, trend_of
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.plot_type import PlotType
from handlers.words.language import from_to, language, say

TREND = "config/trend"
MOST = 12


def with_trends(options: ChartOptions, kind: PlotType, frame: Frame) -> ChartOptions:
    """The options with the trends of the series, to whose ends the axis of values reaches."""
    if kind.table:
        return options
    if "trend" not in kind.reads:
        told = f"{TREND}: {kind.named} has no trends: lines, steps, areas and points have"
        return replace(options, notes=(*options.notes, told))
    series, logs = list(_series(kind, frame)), (options.along.log, options.values.log)
    made = [(name, trend_of(name, number, spots, logs)) for number, (name, spots) in enumerate(series[:MOST])]
    trends = tuple(trend for _, trend in made if trend is not None)
    without = [name for name, trend in made if trend is None]
    notes = list[str]()
    if without:
        needs = f"it needs {LEAST} values at two places"
        notes.append(f"{TREND}: {quote_names(without)} without one: {needs}")
    if len(series) > MOST:
        notes.append(f"{TREND}: of the first {MOST} series alone")
    values = options.values
    reach = (*values.reach, *(y for trend in trends for _, y in (trend.start, trend.end)))
    return replace(
        options, trends=trends, values=replace(values, reach=reach), notes=(*options.notes, *notes)
    )


def trend_words(options: ChartOptions) -> list[str]:
    """A sentence about each trend: its series, its two ends, and how well it fits."""
    return [
        f"{say('trend')}{say(' of %s') % trend.name[:40] if len(options.trends) > 1 else ''}: "
        f"{from_to(options.write(trend.start[1]), options.write(trend.end[1]))} "
        f"(R² {language().marks(f'{trend.fit:.2f}')})"
        for trend in options.trends
    ]


def _series(kind: PlotType, frame: Frame) -> Iterator[tuple[str, Sequence[Spot]]]:
    """The names of the series with their places and values."""
    if kind.points:
        columns, (spots, _) = point_columns(frame, sized=kind.sized), spots_of(frame, sized=kind.sized)
        for number, name in enumerate(columns.series if columns is not None else ()):
            yield name, [(spot.x, spot.y) for spot in spots if spot.series == number]
        return
    places = places_of(frame)
    for column in frame.series:
        yield column.name, [(x, y) for x, y in zip(places, column.numbers, strict=True) if y is not None]
