"""Lines, steps and areas over a calendar or over the rows in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart, key_of, others_note, spread_apart
from handlers.render.plots.charts.line_box import LineBox, LineKind, make_room, measure_box, places_of
from handlers.render.plots.charts.marks.canvas import Canvas, Place, draw_along, draw_grid, draw_zero
from handlers.render.plots.charts.names import (
    EndNames,
    SeriesEnds,
    draw_end_names,
    last_numbers,
    last_values,
    names_lost,
)
from handlers.render.plots.charts.value_axis import Scales, along_line, dashed_from, scales_along
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import Point, runs, spread_rows, stack_bands, thin
from handlers.render.plots.drawn.left_out import tip_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MARKED, OTHERS = 1.25, 0.6
"""Factors for the stroke of highlighted lines, and of the other lines."""
CROWDED = 0.6
"""Factor for the stroke of lines with more values than pixels, and of those without a name."""
LEAST_EDGED = 3.0
"""Least distance of places in pixels at which bands have an edge, which would cover narrower ones."""
FILLED, GUESSED = 0.22, 0.1
"""Opacity of areas, and of those below dashed lines."""
MOST_TIPS = 400
"""Most values of lines that each have a tooltip."""
LONE, END, TIP = 2.0, 1.87, 3.87
"""Radii of dots relative to the root of the stroke: of a value between gaps, at an end, for a tooltip."""


def draw_lines(style: Style, frame: Frame, box: float | None, kind: LineKind, options: ChartOptions) -> Chart:
    """Draw the series over the axis; names are at the ends of lines if they fit, else in a key."""
    frame = frame.sorted_along()
    names = frame.names
    series = [list(zip(places_of(frame), column.numbers, strict=True)) for column in frame.series]
    area = measure_box(style, frame, box, kind, options)
    stacked, texts = kind is LineKind.STACKED, list[str]()
    if options.figure.labels and frame.height > 1:
        texts = last_values(frame, options)
    ends = SeriesEnds(style, area, names, last_numbers(frame), stacked, texts)
    named = ends.named(options)
    beside = named or (ends.valued() if texts else None)
    if beside is not None:
        make_room(style, frame, area, beside.room, options)
    scales = line_scales(frame, area, options)
    thinned = _thin_series(series, kind, int(max(200, 2 * area.width)))
    canvas = Canvas(style)
    draw_grid(canvas, area)
    draw_along(canvas, area, area.labels, signs=area.signs)
    marks = LineMarks(canvas, area, kind, names)
    few = named is not None and len(named.series) < len(names)
    marks.draw(thinned, beside, named_few=few)
    marks.draw_tips(frame, options)
    if frame.height == 1:
        _write_only_values(canvas, area, series, options)
    key = () if named is not None else key_of(style, names, "square" if stacked else "line")
    whole, drawn = sum(map(len, series)), sum(map(len, thinned))
    logged = (f"{whole:,} points drawn as {drawn:,}.",) if drawn < whole else ()
    logged = (*logged, *_names_notes(style, options, named, names))
    if texts and beside is None:
        logged = (*logged, "config/value/labels: the last values do not fit")
    return Chart(area.whole, canvas.svg(), key=key, logged=logged, scales=scales, marks=area.height)


def _thin_series(series: Sequence[Sequence[Point]], kind: LineKind, most: int) -> list[Sequence[Point]]:
    """Return the points of each series, thinned to about `most`; bands have the same places in all series."""
    if kind is not LineKind.STACKED:
        return [thin(points, most) for points in series]
    rows = spread_rows(len(series[0]), most)
    return [[points[row] for row in rows] for points in series]


def line_scales(frame: Frame, area: LineBox, options: ChartOptions) -> Scales:
    """Return the scales of places and values, and set the pixel of the box from which lines are dashed."""
    scales = scales_along(area, along_line(frame, area.along, area.width))
    area.dashed = area.left + dashed_from(scales.across, options.annotations)
    return scales


def _names_notes(
    style: Style, options: ChartOptions, beside: EndNames | None, names: Sequence[str]
) -> tuple[str, ...]:
    """Return sentences about names that do not fit beside lines, or that share an entry of the key.

    If names beside their lines were requested but are in the key, a sentence says so.
    """
    if beside is not None:
        return names_lost(names, beside)
    asked = "config/legend/type: the names do not fit at the ends of their lines: they are in a key"
    in_vain = options.all_beside and not style.named and len(names) > 1
    return (*others_note(style, names), *([asked] if in_vain else []))


@dataclass(frozen=True, slots=True)
class LineMarks:
    """The marks of series in a box, of one kind; drawn series have the order of their names."""

    canvas: Canvas
    box: LineBox
    kind: LineKind
    names: Sequence[str]

    @property
    def _tones(self) -> tuple[str, ...]:
        return self.canvas.style.tones(self.names)

    def draw(self, series: Sequence[Sequence[Point]], beside: EndNames | None, *, named_few: bool) -> None:
        """Draw the series with the names beside them; with `named_few`, lines without a name are grey."""
        style, tones, named = self.canvas.style, self._tones, list(series)
        if self.kind is LineKind.STACKED:
            self._draw_bands(series)
            draw_zero(self.canvas, self.box)
            if len(series[0]) == 1:
                self._draw_lone(series)
        else:
            if named_few and beside is not None:
                for at, points in enumerate(series):
                    if at not in beside.series:
                        self._draw_line(points, style.palette.edge, style.stroke * CROWDED)
                named = [one if at in beside.series else [] for at, one in enumerate(series)]
            self._draw_all(named)
        if beside is not None:
            draw_end_names(self.canvas, self.box, beside, tones)
            for at in beside.series if self.kind is not LineKind.STACKED else ():
                end = next(point for point in reversed(named[at]) if point[1] is not None)
                self.canvas.circle(*self._spot(end), END * math.sqrt(style.stroke), tones[at])

    def _draw_all(self, series: Sequence[Sequence[Point]]) -> None:
        """Draw areas, lines, zero, and dots."""
        style, drawn = self.canvas.style, list(zip(self.names, series, self._tones, strict=True))
        if self.kind.from_zero:
            for _, points, tone in drawn:
                self._fill(points, tone)
        crowded = max((len(points) for points in series), default=0) > self.box.width
        width = style.stroke * (CROWDED if crowded else 1)
        for weight, some in _by_weight(style, self.names):
            for name, points, tone in drawn:
                if name in some:
                    self._draw_line(points, tone, width * weight)
        draw_zero(self.canvas, self.box)
        self._draw_lone(series)

    def _fill(self, points: Sequence[Point], tone: str) -> None:
        """Draw the area below a line, paler where the line is dashed."""
        base = self.box.y(0.0) if self.box.axis.has_zero else self.box.bottom
        for run in runs(points):
            spots = [self._spot(point) for point in run]
            first = next((at for at, (x, _) in enumerate(spots) if x > self.box.dashed), len(spots))
            for part, opacity in ((spots[:first], FILLED), (spots[max(0, first - 1) :], GUESSED)):
                if part and (len(part) > 1 or opacity == FILLED):
                    ends = [(part[-1][0], base), (part[0][0], base)]
                    self.canvas.shape("area", [*part, *ends], tone, opacity=opacity)

    def _draw_lone(self, series: Sequence[Sequence[Point]]) -> None:
        """Draw a dot for each value between two gaps."""
        radius = LONE * math.sqrt(self.canvas.style.stroke)
        for points, tone in zip(series, self._tones, strict=True):
            for run in runs(points):
                if len(run) == 1:
                    self.canvas.circle(*self._spot(run[0]), radius, tone)

    def _draw_line(self, points: Sequence[Point], tone: str, width: float) -> None:
        """Draw the line of a series, broken at its gaps."""
        for run in runs(points):
            if len(run) > 1:
                spots, steps = [self._spot(point) for point in run], self.kind is LineKind.STEP
                self.canvas.ray(spots, tone, width, steps=steps, dashed=self.box.dashed)

    def _spot(self, point: Point) -> Place:
        return self.box.x(point[0]), self.box.y(point[1] or 0.0)

    def _draw_bands(self, series: Sequence[Sequence[Point]]) -> None:
        """Draw the bands of stacked areas, separately above and below zero."""
        box, places, tones = self.box, [at for at, _ in series[0]], self._tones
        values = [[value or 0.0 for _, value in points] for points in series]
        edge = self.canvas.style.palette.paper if len(places) * LEAST_EDGED < box.width else ""
        for band in stack_bands(places, values, log=box.along.log):
            upper = [(box.x(at), box.y(end)) for at, end in zip(band.places, band.ends, strict=True)]
            lower = [(box.x(at), box.y(base)) for at, base in zip(band.places, band.bases, strict=True)]
            tone = tones[band.series]
            self.canvas.shape("area", [*upper, *reversed(lower)], tone, stroke=edge, width=0.8)

    def draw_tips(self, frame: Frame, options: ChartOptions) -> None:
        """Draw transparent circles with tooltips at the values of lines that have few."""
        if self.kind is LineKind.STACKED or frame.height * len(self.names) > MOST_TIPS:
            return
        places, order = places_of(frame), row_names(frame)
        radius, several = TIP * math.sqrt(self.canvas.style.stroke), len(self.names) > 1
        for name, column in zip(self.names, frame.series, strict=True):
            for row, value in enumerate(column.numbers):
                if value is not None:
                    tip = tip_of(order[row], name if several else "", options.exact(value))
                    spot = self._spot((places[row], value))
                    self.canvas.circle(*spot, radius, "transparent", tip=tip)


def _by_weight(style: Style, names: Sequence[str]) -> list[tuple[float, frozenset[str]]]:
    """Return the names of lines by the factor of their stroke, in drawing order."""
    if not style.named.marks:
        return [(1.0, frozenset(names))]
    marked = frozenset(name for name in names if style.named.has(name))
    others = frozenset(names) - marked
    return [(OTHERS if style.named.others else 1.0, others), (MARKED, marked)]


def _write_only_values(
    canvas: Canvas, box: LineBox, series: Sequence[Sequence[Point]], options: ChartOptions
) -> None:
    """Write the values of the only row above their dots."""
    values = [value for points in series for _, value in points if value is not None]
    places = spread_apart([box.y(value) for value in values], canvas.style.line, box.top, box.bottom)
    x, ink = box.left + box.width / 2, canvas.style.palette.ink
    for value, y in zip(values, places, strict=True):
        canvas.text(x, y - 14, options.write(value), ink, weight=600, anchor="middle")
