"""Points: scatter plots and bubbles over two axes of numbers, with the names of the largest points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from handlers.render.plots.charts.chart import Chart, KeyEntry, key_of, others_note, size_rings, spread_labels
from handlers.render.plots.charts.marks.canvas import (
    Canvas,
    Place,
    draw_along,
    draw_grid,
    name_along,
    name_upward,
)
from handlers.render.plots.charts.value_axis import (
    FEW_TICKS,
    Box,
    Plane,
    ValueAxis,
    crossed_axes,
    inner_ticks,
    tick_labels,
    ticks_over,
    value_axis,
)
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.point_series import (
    DataPoint,
    PointColumns,
    point_columns,
    point_tip,
    thin_points,
)
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.look.style import Style
from handlers.words.language import say

MOST_NAMED = 14

Edges = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class PlacedCircle:
    """A point: its position and radius in pixels, its name and its colour."""

    x: float
    y: float
    radius: float
    name: str
    color: str


def sort_outward(circles: Sequence[PlacedCircle], area: Box) -> list[PlacedCircle]:
    """Return the circles in order of their distance from the median position, the farthest first."""
    x, y = (median(places) for places in ([one.x for one in circles], [one.y for one in circles]))

    def apart(one: PlacedCircle) -> float:
        return math.hypot((one.x - x) / area.width, (one.y - y) / area.height)

    return sorted(circles, key=apart, reverse=True)


def write_point_names(
    canvas: Canvas, circles: Sequence[PlacedCircle], area: Edges, weight: int = 400
) -> list[str]:
    """Write the names of the first circles in an area where they touch no other circle, and return them."""
    style, taken, names = canvas.style, list[Edges](), list[str]()
    for circle in circles[:MOST_NAMED]:
        others = [other for other in circles if other is not circle]
        for box, inside in _spaces(style, circle, weight) if circle.name else ():
            if _free(box, taken, others if inside else circles, area):
                taken.append(box)
                color = style.palette.on(circle.color) if inside else style.palette.ink
                canvas.text(box[0], (box[1] + box[3]) / 2, circle.name, color, weight=weight)
                names.append(circle.name)
                break
    return names


def _spaces(style: Style, circle: PlacedCircle, weight: int) -> list[tuple[Edges, bool]]:
    """Return possible boxes of a name, best first, each with whether it is inside the circle."""
    x, y, reach, half = circle.x, circle.y, circle.radius, style.label * 0.6
    width = style.text(circle.name, weight)
    ends, level = (y - reach - half - 2, y + reach + half + 2), (x - width / 2, x, x - width)
    starts = [
        (x + reach + 4, y),
        (x - reach - 4 - width, y),
        *((left, end) for left in level for end in ends),
    ]
    outside = [((left, middle - half, left + width, middle + half), False) for left, middle in starts]
    if reach * 1.8 > width:
        return [((x - width / 2, y - half, x + width / 2, y + half), True), *outside]
    return outside


def _free(box: Edges, taken: Sequence[Edges], circles: Sequence[PlacedCircle], area: Edges) -> bool:
    """Return whether a box is in the area and touches neither names nor circles."""
    left, top, right, bottom = box
    if left < area[0] or top < area[1] or right > area[2] or bottom > area[3]:
        return False
    if any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken):
        return False
    return all(
        max(left - one.x, 0, one.x - right) ** 2 + max(top - one.y, 0, one.y - bottom) ** 2 >= one.radius**2
        for one in circles
    )


POINT = 4.0
"""Pixels around a point without a size that are kept free of names."""
LEAST_PLOT = 16.0
RIGHT = 14
"""Pixels at the right of the plot."""
BEYOND = 14
"""Pixels by which a name may extend beyond the plot at its right."""
LOW_BOX = 150.0
"""Height in pixels below which axes have no names."""
ACROSS_AIR, UPWARD_AIR = 0.1, 0.12
"""Shares of the range by which the axes of bubbles are extended on slides and in workbooks."""
MOST_DRAWN = 5_000
LEAST_RADIUS = 2.0
MOST_OF_HEIGHT = 0.14
"""Largest radius of a circle as a share of a box's height."""
MOST_READ = 400
"""Most points that each have an edge."""
SIZES = ((80, 3.4, 0.9), (400, 2.8, 0.85), (1500, 2.0, 0.7))
DENSE = (1.3, 0.55)
"""Radius in pixels and opacity of a point, by the number of points."""
LEAST_OF_GROUPS = 2.2
"""Least radius in pixels at which colours of groups can be distinguished."""


@dataclass
class Field(Plane):
    """The box of the drawn points, the pixels below it, and the names of the axes.

    Circles of the `largest` amount have a `radius` in pixels, 0 if their areas show nothing.
    """

    columns: PointColumns
    spots: Sequence[DataPoint]
    below: float
    names: tuple[str, str]
    radius: float
    largest: float

    def at(self, spot: DataPoint) -> Place:
        """Return the position of a point, in pixels."""
        return self.x(spot.x), self.y(spot.y)

    def reach(self, spot: DataPoint) -> float:
        """Return the radius of the circle of a point, in pixels."""
        return self.radius * math.sqrt((spot.amount or 0) / self.largest) if self.radius else POINT


def draw_points(
    style: Style, frame: Frame, box: float | None, options: ChartOptions, *, sized: bool
) -> Chart:
    """Draw points at the first column of numbers and each further one, coloured by column or group.

    With `sized`, the last column of numbers is their area.
    """
    columns = point_columns(frame, sized=sized)
    if columns is None or not columns.spots:
        return Chart(style.line * 2, notes=("No row has both numbers.",))
    drawn = thin_points(columns.spots, MOST_DRAWN)
    area = _field(style, columns, drawn, box or style.height(0.52), options, sized=sized)
    canvas = Canvas(style)
    _draw_axes(canvas, area)
    _draw_circles(canvas, area)
    named = _draw_names(canvas, area)
    count = len(columns.spots)
    thinned = (f"{count:,} points drawn as {len(drawn):,}.",) if len(drawn) < count else ()
    sizes, size_title = _size_key(style, area, options)
    logged = (*thinned, *others_note(style, columns.series), *_nameless(columns, named))
    untitled = () if area.names[0] else ("Left out for lack of space: the names of the axes.",)
    return Chart(
        area.bottom + area.below, canvas.svg(), key=(*sizes, *key_of(style, columns.series, "dot")),
        key_title=size_title, logged=(*logged, *untitled), scales=crossed_axes(area),
        marks=area.height,
    )  # fmt: skip


def _draw_names(canvas: Canvas, area: Field) -> int:
    """Write the names of points that fit, and return their number.

    The largest points are named first; if they have no size, the outermost ones.
    """
    style, tones = canvas.style, canvas.style.tones(area.columns.series)
    circles = [
        PlacedCircle(*area.at(spot), area.reach(spot), spot.name[:40], tones[spot.series])
        for spot in sorted(area.spots, key=lambda spot: -(spot.amount or 0))
    ]
    circles = circles if area.radius else sort_outward(circles, area)
    edges = area.left, area.top - style.label * 0.6, area.right + BEYOND, area.bottom
    return len(write_point_names(canvas, circles, edges))


def _nameless(columns: PointColumns, placed: int) -> tuple[str, ...]:
    """Return a sentence about the points whose names do not fit."""
    lost = sum(bool(spot.name) for spot in columns.spots) - placed
    if columns.names is None or lost <= 0:
        return ()
    what = count_words(lost, "name", "", "").strip()
    return (f'No room for {what} of points in "{columns.names.name[:40]}".',)


def _field(
    style: Style, columns: PointColumns, spots: Sequence[DataPoint], height: float, options: ChartOptions,
    *, sized: bool,
) -> Field:  # fmt: skip
    largest = max((spot.amount or 0.0 for spot in spots), default=0.0)
    usual = (0.06 if style.narrow else 0.045) * style.inner
    radius = min(usual, height * MOST_OF_HEIGHT) if sized and largest > 0 else 0.0
    one = columns.upward[0].name if len(columns.upward) == 1 else ""
    names = options.along.name or columns.across.name, options.values.name or one
    names = names if height >= LOW_BOX else ("", "")
    heights, unit = [spot.y for spot in spots], columns.unit
    top = style.label + (14 if height >= LOW_BOX else 8) + style.line * bool(names[1])
    bottom = style.line * 2 + 14 if height >= LOW_BOX else style.line + 10
    plot = max(LEAST_PLOT, height - top - bottom)
    upward = _axis(heights, radius / plot, ticks_over(height - 70), unit or options.unit, options.values)
    left = math.ceil(style.widest(upward.labels)) + 10
    width = style.inner - left - RIGHT
    count = max(2, min(9, round(width / 85)))
    across = _axis([spot.x for spot in spots], radius / width, count, columns.across.unit, options.along)
    return Field(left, top, width, plot, upward, across, columns, spots, bottom, names, radius, largest)


def _axis(values: Sequence[float], reach: float, count: int, unit: str, settings: AxisOptions) -> ValueAxis:
    """Return the axis of positions, extended for circles whose radius is a share `reach` of its length."""
    low, high = ends_of(values, reach / max(0.5, 1 - 2 * reach), settings)
    axis = value_axis((low, high), count, unit, zero=False, settings=settings)
    if not reach or settings.at or settings.count:
        return axis
    start = axis.domain[0] if settings.low is not None else max(axis.domain[0], low)
    end = axis.domain[1] if settings.high is not None else min(axis.domain[1], high)
    inside = tuple(tick for tick in axis.ticks if start <= tick <= end)
    if len(inside) < FEW_TICKS:
        inside = inner_ticks(start, end)
    if len(inside) < FEW_TICKS:
        return axis
    labels = tick_labels(inside, unit, settings, alike=not axis.log)
    return replace(axis, ticks=inside, labels=labels, domain=(start, end))


def ends_of(values: Sequence[float], air: float, settings: AxisOptions) -> tuple[float, float]:
    """Return the lowest and the highest value, moved apart if circles need space or all values are equal."""
    low, high = min(values), max(values)
    if settings.log:
        factor = (high / low) ** air if high > low else 2.0
        return low / factor, high * factor
    if low == high:
        return low - (abs(low) or 1), high + (abs(high) or 1)
    gap = (high - low) * air
    return (max(low - gap, 0.0) if low >= 0 else low - gap), high + gap


def _draw_axes(canvas: Canvas, area: Field) -> None:
    """Draw both grids with their labels, and the names of the axes."""
    style = canvas.style
    along, name = spread_labels(style, area.along, area.width), area.names[0]
    places = [area.x(tick) for tick in along.ticks]
    canvas.grid([((x, area.top), (x, area.bottom)) for x in places], style.palette.grid)
    draw_grid(canvas, area)
    ticks = ((x, (label,)) for x, label in zip(places, along.labels, strict=True))
    draw_along(canvas, area, ticks, signs=False, gap=8, reach=RIGHT)
    if name:
        name_along(canvas, name[:80], area.right, area.bottom + 14 + style.label * 1.55)
    if area.names[1]:
        name_upward(canvas, area.names[1][:80], style.label * 0.55)


def _draw_circles(canvas: Canvas, area: Field) -> None:
    """Draw the circles, large ones first, so that small ones are on top."""
    style, spots, names = canvas.style, area.spots, area.columns.series
    tones = style.tones(names)
    size, opacity = next(((s, o) for most, s, o in SIZES if len(spots) <= most), DENSE)
    usual = max(size, LEAST_OF_GROUPS * (len(names) > 1)) * style.closer
    edge = style.palette.paper if len(spots) <= MOST_READ else ""
    for spot in sorted(spots, key=lambda spot: -(spot.amount or 0)):
        reach = max(LEAST_RADIUS, area.reach(spot)) if area.radius else usual
        canvas.circle(
            *area.at(spot), reach, tones[spot.series], tip=point_tip(spot, area.columns),
            stroke=edge, width=0.8, opacity=0.65 if area.radius else opacity,
        )  # fmt: skip


def _size_key(style: Style, area: Field, options: ChartOptions) -> tuple[tuple[KeyEntry, ...], str]:
    """Return the key entries that explain areas, and their title; empty if areas show nothing."""
    size = area.columns.size
    if not area.radius or size is None:
        return (), ""
    rings = size_rings(style, area.radius, area.largest, replace(options, unit=size.unit))
    return rings, f"{say('Area')}: {size.name[:60]}"
