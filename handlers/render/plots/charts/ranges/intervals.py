"""Intervals: error bars in rows of names, and bands around lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from handlers.render.plots.charts.chart import Chart, key_of, spread_apart
from handlers.render.plots.charts.line_box import LineBox, LineKind, measure_box, places_of, ticks_of
from handlers.render.plots.charts.marks.axes import draw_along, draw_grid, draw_zero
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import RowBox, RowRoom, draw_rows, measure_rows
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.intervals import IntervalSeries, interval_series
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MOST_DOTS = 60
"""Values of a line up to which each has a dot."""


def draw_error_bars(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row for each name: the value of each series as a dot, over the line from its low to its high end."""
    series = interval_series(frame)
    names, values = [one.name for one in series], _all_values(series)
    rows = frame.of_rows(range(frame.height))
    radius = style.label * 0.36
    wants = RowRoom(radius, radius, bars=len(series))
    area = measure_rows(style, rows, box, values, options, wants)
    canvas = Canvas()
    draw_rows(canvas, style, area)
    tones = style.tones(names)
    step = area.rows.bar / len(series)
    for index, one in enumerate(series):
        offset = (index - (len(series) - 1) / 2) * step
        for row, name in enumerate(row_names(frame)):
            _draw_bar(canvas, style, area, one, row, area.y(row) + offset, tones[index],
                      _tip(name, one, row, options, named=len(series) > 1))  # fmt: skip
    return Chart(area.height, svg=canvas.svg(), key=key_of(style, names, "dot"))


def _draw_bar(
    canvas: Canvas, style: Style, area: RowBox, one: IntervalSeries, row: int, y: float, tone: str, tip: str
) -> None:
    low, high, value = one.lows[row], one.highs[row], one.values[row]
    cap, width = style.label * 0.3, max(1.5, style.stroke * 0.7)
    if low is not None and high is not None:
        left, right = area.x(low), area.x(high)
        for start, end in (
            ((left, y), (right, y)), ((left, y - cap), (left, y + cap)), ((right, y - cap), (right, y + cap)),
        ):  # fmt: skip
            canvas.line(start, end, tone, width)
    if value is not None:
        canvas.circle(area.x(value), y, style.label * 0.36, tone, tip=tip, stroke=style.palette.paper)


def _tip(name: str, one: IntervalSeries, row: int, options: ChartOptions, *, named: bool) -> str:
    """The value of a row with its interval, in words."""
    low, high = one.lows[row], one.highs[row]
    within = "" if low is None or high is None else f" ({options.write(low)} to {options.write(high)})"
    series = f"{one.name} " if named else ""
    return f"{name}: {series}{options.write(one.values[row])}{within}"


def _all_values(series: Sequence[IntervalSeries]) -> list[float | None]:
    return [value for one in series for values in (one.values, one.lows, one.highs) for value in values]


def draw_bands(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A line for each series over the band of its intervals; names stand at the ends where they fit."""
    frame = frame.sorted_along()
    series, places = interval_series(frame), places_of(frame)
    names = [one.name for one in series]
    area = measure_box(style, frame, box, LineKind.LINE, options)
    beside = _places_beside(style, area, series, options)
    if beside:
        room = math.ceil(style.widest(names, 600)) + 12
        area.width, area.after = area.width + area.after - room, room
        area.ticks = ticks_of(style, frame, (area.low, area.high), area.width, options)
    most = int(max(200, area.width))
    step = max(1, math.ceil(frame.height / most))
    rows = list(range(0, frame.height, step))
    canvas = Canvas()
    draw_grid(canvas, style, area)
    draw_zero(canvas, style, area)
    draw_along(canvas, style, area, area.labels, signs=area.signs)
    tones = style.tones(names)
    for one, tone in zip(series, tones, strict=True):
        _draw_band(canvas, area, one, places, rows, tone)
    for one, tone in zip(series, tones, strict=True):
        _draw_line(canvas, style, area, one, places, rows, tone)
        if len(rows) <= MOST_DOTS:
            _draw_dots(canvas, style, frame, area, one, tone, options, named=len(series) > 1)
    for name, tone, y in zip(names, tones, beside or (), strict=False):
        canvas.text(area.right + 8, y, name, style.label,
                    style.palette.readable(tone), weight=600)  # fmt: skip
    notes = (f"{frame.height:,} rows drawn as {len(rows):,}.",) if step > 1 else ()
    key = () if beside else key_of(style, names, "line")
    return Chart(area.whole, svg=canvas.svg(), key=key, notes=notes, marks=area.height)


def _places_beside(
    style: Style, area: LineBox, series: Sequence[IntervalSeries], options: ChartOptions
) -> list[float]:
    """Heights of the names at the ends of their lines; none where they find no room near them."""
    names = [one.name for one in series]
    ends = [next((v for v in reversed(one.values) if v is not None), None) for one in series]
    wide = style.widest(names, 600) > style.inner * (0.3 if style.narrow else 0.22)
    if len(series) < 2 or not options.key.beside or wide or None in ends:
        return []
    wanted = [area.y(end) for end in ends if end is not None]
    placed = spread_apart(wanted, style.line, area.top, area.bottom)
    near = all(abs(a - b) <= 2.2 * style.line for a, b in zip(placed, wanted, strict=True))
    return placed if near else []


def _draw_band(
    canvas: Canvas,
    area: LineBox,
    one: IntervalSeries,
    places: Sequence[float],
    rows: Sequence[int],
    tone: str,
) -> None:
    for stretch in _stretches(rows, one.lows):
        upper = [(area.x(places[row]), area.y(one.highs[row] or 0.0)) for row in stretch]
        lower = [(area.x(places[row]), area.y(one.lows[row] or 0.0)) for row in stretch]
        canvas.shape("area", [*upper, *reversed(lower)], tone, opacity=0.2)


def _draw_line(
    canvas: Canvas, style: Style, area: LineBox, one: IntervalSeries, places: Sequence[float],
    rows: Sequence[int], tone: str,
) -> None:  # fmt: skip
    for stretch in _stretches(rows, one.values):
        spots = [(area.x(places[row]), area.y(one.values[row] or 0.0)) for row in stretch]
        if len(spots) > 1:
            canvas.ray(spots, tone, style.stroke)
        else:
            canvas.circle(*spots[0], style.stroke * 1.6, tone)


def _draw_dots(
    canvas: Canvas, style: Style, frame: Frame, area: LineBox, one: IntervalSeries, tone: str,
    options: ChartOptions, *, named: bool,
) -> None:  # fmt: skip
    """Small dots that a pointer finds."""
    places = places_of(frame)
    for row, name in enumerate(row_names(frame)):
        value = one.values[row]
        if value is not None:
            at = area.x(places[row]), area.y(value)
            canvas.circle(*at, style.stroke * 1.3, tone, tip=_tip(name, one, row, options, named=named))


def _stretches(rows: Sequence[int], values: Sequence[float | None]) -> Iterator[list[int]]:
    """Rows between the gaps of some values."""
    stretch = list[int]()
    for row in rows:
        if values[row] is not None:
            stretch.append(row)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch
