"""Lines, steps and areas over a calendar or over the rows in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, key_of, others_note, spread_apart
from handlers.render.plots.charts.line_box import LineBox, LineKind, make_room, measure_box, places_of
from handlers.render.plots.charts.marks.canvas import Canvas, Place, draw_along, draw_grid, draw_zero
from handlers.render.plots.charts.names import (
    EndNames,
    draw_end_names,
    end_of,
    last_values,
    names_at_ends,
    names_lost,
    values_at_ends,
)
from handlers.render.plots.charts.value_axis import Scales, along_line, dashed_from, pixels_along, scales_of
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import Point, runs, spread_rows, stack_bands, thin
from handlers.render.plots.drawn.left_out import tip_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MARKED, OTHERS = 1.25, 0.6
"""Strokes of highlighted lines, and of the others beside them."""
CROWDED = 0.6
"""Stroke of lines with more values than pixels, and of those without a name."""
LEAST_EDGED = 3.0
"""Least distance of places in pixels at which bands have an edge; it would cover narrower ones."""
FILLED, GUESSED = 0.22, 0.1
"""Opacity of areas, and of those below dashed lines."""
MOST_TIPS = 400
"""Most values of lines that each have a tooltip."""
LONE, END, TIP = 2.0, 1.87, 3.87
"""Radii of dots in strokes (or their root): of a value between gaps, at an end, for a tooltip."""


def draw_lines(style: Style, frame: Frame, box: float | None, kind: LineKind, options: ChartOptions) -> Chart:
    """Draw the series over the axis; names are at the ends of lines if they fit, else in a key."""
    frame = frame.sorted_along()
    names = frame.names
    series = [list(zip(places_of(frame), column.numbers, strict=True)) for column in frame.series]
    area = measure_box(style, frame, box, kind, options)
    named, beside = _ends_named(style, frame, area, series, kind, options)
    if beside is not None:
        make_room(style, frame, area, beside.room, options)
    scales = scales_along(frame, area, options)
    thinned = _thin_series(series, kind, int(max(200, 2 * area.width)))
    canvas = Canvas(style)
    draw_grid(canvas, area)
    draw_along(canvas, area, area.labels, signs=area.signs)
    few = named is not None and len(named.series) < len(names)
    _draw_all(canvas, area, thinned, names, kind, beside, named_few=few)
    _draw_tips(canvas, area, frame, names, kind, options)
    if frame.height == 1:
        _write_only_values(canvas, area, series, options)
    key = () if named is not None else key_of(style, names, "square" if kind is LineKind.STACKED else "line")
    whole, drawn = sum(map(len, series)), sum(map(len, thinned))
    logged = (f"{whole:,} points drawn as {drawn:,}.",) if drawn < whole else ()
    logged = (*logged, *_names_notes(style, options, named, names))
    if options.figure.labels and beside is None and frame.height > 1:
        logged = (*logged, "config/value/labels: the last values find no room")
    return Chart(area.whole, canvas.svg(), key=key, logged=logged, scales=scales, marks=area.height)


def _thin_series(series: Sequence[Sequence[Point]], kind: LineKind, most: int) -> list[Sequence[Point]]:
    """Return no more points than a line of `most` can show; bands keep the same places in all series."""
    if kind is not LineKind.STACKED:
        return [thin(points, most) for points in series]
    rows = spread_rows(len(series[0]), most)
    return [[points[row] for row in rows] for points in series]


def _ends_named(
    style: Style,
    frame: Frame,
    area: LineBox,
    series: Sequence[Sequence[Point]],
    kind: LineKind,
    options: ChartOptions,
) -> tuple[EndNames | None, EndNames | None]:
    """Return the names beside the ends of lines, with last values, or the last values alone."""
    names = frame.names
    ends = last_values(frame, options) if options.figure.labels and frame.height > 1 else []
    named = names_at_ends(style, area, series, names, kind, options, ends)
    return named, named or (values_at_ends(style, area, series, names, ends, kind) if ends else None)


def scales_along(frame: Frame, area: LineBox, options: ChartOptions) -> Scales:
    """Return the scales of places and values; set in the box where lines begin to be dashed."""
    ends = (area.low, area.high)
    scales = scales_of(area, along_line(frame, ends, area.width, log=area.log))
    area.dashed = area.left + dashed_from(scales.across, options.annotations)
    return replace(scales, at=pixels_along(ends, area.width, log=area.log))


def _names_notes(
    style: Style, options: ChartOptions, beside: EndNames | None, names: Sequence[str]
) -> tuple[str, ...]:
    """Return sentences about names that do not fit beside lines, or that share an entry of the key.

    Another sentence is for names that were asked for beside their lines but are in the key.
    """
    if beside is not None:
        return names_lost(names, beside)
    asked = "config/legend/type: the names find no room at the ends of their lines and stand in a key"
    in_vain = options.all_beside and not style.named and len(names) > 1
    return (*others_note(style, names), *([asked] if in_vain else []))


def _draw_all(
    canvas: Canvas,
    box: LineBox,
    series: Sequence[Sequence[Point]],
    names: Sequence[str],
    kind: LineKind,
    beside: EndNames | None,
    *,
    named_few: bool,
) -> None:
    """Draw the marks of the series, with their names if these are beside them, and others in grey."""
    style = canvas.style
    tones, named = style.tones(names), list(series)
    if named_few and beside is not None and kind is not LineKind.STACKED:
        for at, points in enumerate(series):
            if at not in beside.series:
                _draw_line(canvas, box, points, style.palette.edge, style.stroke * CROWDED, kind)
        named = [one if at in beside.series else [] for at, one in enumerate(series)]
    if kind is LineKind.STACKED:
        _draw_bands(canvas, box, series, tones)
        draw_zero(canvas, box)
        if len(series[0]) == 1:
            _draw_lone(canvas, box, series, tones)
    else:
        _draw_marks(canvas, box, named, names, kind)
    if beside is not None:
        draw_end_names(canvas, box, beside, tones)
        for at, (points, tone) in enumerate(zip(named, tones, strict=True)):
            if at in beside.series and kind is not LineKind.STACKED and (end := end_of(points)):
                canvas.circle(*_spot(box, end), END * math.sqrt(style.stroke), tone)


def _draw_marks(
    canvas: Canvas, box: LineBox, series: Sequence[Sequence[Point]], names: Sequence[str], kind: LineKind
) -> None:
    """Draw areas, lines, zero, and dots."""
    style = canvas.style
    tones = dict(zip(names, style.tones(names), strict=True))
    by_name = list(zip(names, series, strict=True))
    if kind.from_zero:
        base = box.y(0.0) if box.axis.has_zero else box.bottom
        for name, points in by_name:
            for run in runs(points):
                spots = [_spot(box, point) for point in run]
                first = next((at for at, (x, _) in enumerate(spots) if x > box.dashed), len(spots))
                for part, opacity in ((spots[:first], FILLED), (spots[max(0, first - 1) :], GUESSED)):
                    if part and (len(part) > 1 or opacity == FILLED):
                        ends = [(part[-1][0], base), (part[0][0], base)]
                        canvas.shape("area", [*part, *ends], tones[name], opacity=opacity)
    crowded = max((len(points) for points in series), default=0) > box.width
    width = style.stroke * (CROWDED if crowded else 1)
    for weight, some in _by_weight(style, names):
        for name, points in by_name:
            if name in some:
                _draw_line(canvas, box, points, tones[name], width * weight, kind)
    draw_zero(canvas, box)
    _draw_lone(canvas, box, series, style.tones(names))


def _draw_lone(canvas: Canvas, box: LineBox, series: Sequence[Sequence[Point]], tones: Sequence[str]) -> None:
    """Draw a dot for each value between two gaps."""
    for points, tone in zip(series, tones, strict=True):
        for run in runs(points):
            if len(run) == 1:
                canvas.circle(*_spot(box, run[0]), LONE * math.sqrt(canvas.style.stroke), tone)


def _draw_line(
    canvas: Canvas, box: LineBox, points: Sequence[Point], tone: str, width: float, kind: LineKind
) -> None:
    """Draw the line of a series, broken at its gaps."""
    for run in runs(points):
        if len(run) > 1:
            spots = [_spot(box, point) for point in run]
            canvas.ray(spots, tone, width, steps=kind is LineKind.STEP, dashed=box.dashed)


def _spot(box: LineBox, point: Point) -> Place:
    return box.x(point[0]), box.y(point[1] or 0.0)


def _by_weight(style: Style, names: Sequence[str]) -> list[tuple[float, frozenset[str]]]:
    """Return the names of lines by the weight of their stroke, in drawing order."""
    if not style.named.marks:
        return [(1.0, frozenset(names))]
    marked = frozenset(name for name in names if style.named.has(name))
    others = frozenset(names) - marked
    return [(OTHERS if style.named.others else 1.0, others), (MARKED, marked)]


def _draw_bands(
    canvas: Canvas, box: LineBox, series: Sequence[Sequence[Point]], tones: Sequence[str]
) -> None:
    """Draw the bands of stacked areas, separately above and below zero."""
    places = [at for at, _ in series[0]]
    bands = stack_bands(places, [[value or 0.0 for _, value in points] for points in series], log=box.log)
    for band in bands:
        upper = [(box.x(at), box.y(end)) for at, end in zip(band.places, band.ends, strict=True)]
        lower = [(box.x(at), box.y(base)) for at, base in zip(band.places, band.bases, strict=True)]
        edge = canvas.style.palette.paper if len(places) * LEAST_EDGED < box.width else ""
        canvas.shape("area", [*upper, *reversed(lower)], tones[band.series], stroke=edge, width=0.8)


def _draw_tips(
    canvas: Canvas, box: LineBox, frame: Frame, names: Sequence[str], kind: LineKind, options: ChartOptions
) -> None:
    """Draw transparent circles with tooltips at the values of lines that have few."""
    if kind is LineKind.STACKED or frame.height * len(names) > MOST_TIPS:
        return
    places, order, radius = places_of(frame), row_names(frame), TIP * math.sqrt(canvas.style.stroke)
    for name, column in zip(names, frame.series, strict=True):
        for row, value in enumerate(column.numbers):
            if value is not None:
                tip = tip_of(order[row], name if len(names) > 1 else "", options.exact(value))
                canvas.circle(*_spot(box, (places[row], value)), radius, "transparent", tip=tip)


def _write_only_values(
    canvas: Canvas, box: LineBox, series: Sequence[Sequence[Point]], options: ChartOptions
) -> None:
    """Write the values of the only row one line above their dots."""
    values = [value for points in series for _, value in points if value is not None]
    places = spread_apart([box.y(value) for value in values], canvas.style.line, box.top, box.bottom)
    x, ink = box.left + box.width / 2, canvas.style.palette.ink
    for value, y in zip(values, places, strict=True):
        canvas.text(x, y - 14, options.write(value), ink, weight=600, anchor="middle")
