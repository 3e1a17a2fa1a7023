"""Points: scatter plots and bubbles over two axes of numbers, the largest with their names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from handlers.render.plots.charts.chart import (
    Chart,
    KeyEntry,
    Padding,
    Spec,
    key_of,
    label_table,
    layer,
    left_axis,
    measure,
    others_told,
    own_color,
    pixels,
    series_color,
    specification,
    spread_labels,
)  # fmt: skip
from handlers.render.plots.charts.names.point_names import PlacedCircle, place_point_names
from handlers.render.plots.charts.scales import crossed_axes
from handlers.render.plots.charts.value_axis import ValueAxis, ticks_over, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import round_ticks
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.point_series import (
    DataPoint,
    PointColumns,
    point_columns,
    point_tip,
    spots_of,
    thin_points,
)
from handlers.render.plots.drawn.tips import add_tips
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.look.style import Style

POINT = 4.0
"""Pixels around a point without a size in which no name stands."""
LEAST_PLOT = 16.0
LOW_BOX = 150.0
"""Pixels of height below which axes have no names."""
ACROSS_AIR, UPWARD_AIR = 0.1, 0.12
"""Shares of the values by which the axes of bubbles reach further."""
MOST_DRAWN = 5_000
LEAST_RADIUS = 2.0
MOST_OF_HEIGHT = 0.14
"""Share of a box's height that the radius of the largest circle takes at most."""
MOST_READ = 400
"""Points up to which each has an edge, and the largest have names."""
SIZES = ((80, 46.0, 0.9), (400, 32.0, 0.85), (1500, 16.0, 0.7))
DENSE = (7.0, 0.55)
"""Area in square pixels and opacity of a point, by how many there are."""


@dataclass(frozen=True, slots=True)
class Field:
    """The plot's box in pixels and its two axes."""

    width: float
    height: float
    padding: Padding
    across: ValueAxis
    upward: ValueAxis
    names: tuple[str, str] = ("", "")

    def at(self, spot: DataPoint) -> tuple[float, float]:
        """Place of a point, in pixels."""
        return self.across.position(spot.x, self.width), self.height - self.upward.position(
            spot.y, self.height
        )


def draw_points(
    style: Style, frame: Frame, box: float | None, options: ChartOptions, *, sized: bool
) -> Chart:
    """Points at the first column of numbers and each further one, in a colour for each column or group.

    With `sized` the last column of numbers is their area.
    """
    columns = point_columns(frame, sized=sized)
    spots, _ = spots_of(frame, sized=sized)
    if columns is None or not spots:
        return Chart(style.line * 2, notes=("No row has both numbers.",), svg="")
    drawn = thin_points(spots, MOST_DRAWN)
    largest = max((spot.amount or 0.0 for spot in drawn), default=0.0)
    height = box or style.height(0.52)
    usual = (0.06 if style.narrow else 0.045) * style.inner
    radius = min(usual, height * MOST_OF_HEIGHT) if sized and largest > 0 else 0.0
    titled = height >= LOW_BOX
    title = style.line if titled and (len(columns.upward) == 1 or options.values.name) else 0
    area = _field(style, drawn, columns, height, options, air=bool(radius), title=title)
    tones = style.tones(columns.series)
    layers = [_marks(style, drawn, area, columns, radius, largest, titled=titled)]
    few = len(drawn) <= MOST_READ
    circles = [
        PlacedCircle(*area.at(spot), _reach(spot, radius, largest), spot.name[:40], tones[spot.series])
        for spot in sorted(drawn, key=lambda spot: -(spot.amount or 0))
    ]
    names = place_point_names(style, circles, (area.width, area.height)) if few else []
    if names:
        encoding = {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}, "fill": own_color()}
        layers.append(layer("text", encoding, names, {"align": "left"}))
    spec = specification(style, (area.width, area.height), area.padding, layers)
    notes = (f"{len(spots):,} points drawn as {len(drawn):,}.",) if len(drawn) < len(spots) else ()
    sizes, size_title = _size_key(style, columns, radius, largest, options)
    height = area.height + area.padding.top + area.padding.bottom
    told = (*others_told(style, columns.series), *_nameless(columns, spots, len(names)))
    told = told if titled else (*told, "For want of room without the names of the axes.")
    key = (*sizes, *key_of(style, columns.series, "dot"))
    scales = crossed_axes(area.across, area.upward, (area.width, area.height))
    return Chart(height, spec, key=key, key_title=size_title, notes=notes, told=told, scales=scales)


def _reach(spot: DataPoint, radius: float, largest: float) -> float:
    """The radius of the circle of a point, in pixels."""
    return radius * math.sqrt((spot.amount or 0) / largest) if radius else POINT


def _nameless(columns: PointColumns, spots: Sequence[DataPoint], placed: int) -> tuple[str, ...]:
    """A sentence about the points whose names find no room."""
    lost = sum(bool(spot.name) for spot in spots) - placed
    if columns.names is None or lost <= 0:
        return ()
    what = count_words(lost, "name", "", "").strip()
    return (f'No room for {what} of points in "{columns.names.name[:40]}".',)


def _field(
    style: Style,
    spots: Sequence[DataPoint],
    columns: PointColumns,
    height: float,
    options: ChartOptions,
    *,
    air: bool,
    title: float,
) -> Field:
    heights, unit = [spot.y for spot in spots], columns.unit
    upward = value_axis(
        ends_of(heights, UPWARD_AIR if air else 0.0, options.values),
        ticks_over(height - 70),
        unit or options.unit,
        zero=False,
        wishes=options.values,
    )
    left = math.ceil(style.widest(upward.labels)) + 10
    top = style.label + (14 if height >= LOW_BOX else 8) + title
    bottom = style.line * 2 + 14 if height >= LOW_BOX else style.line + 10
    width = style.inner - left - 14
    ends = ends_of([spot.x for spot in spots], ACROSS_AIR if air else 0.0, options.along)
    across = value_axis(
        ends, max(2, min(9, round(width / 85))), columns.across.unit, zero=False, wishes=options.along
    )
    names = (options.along.name, options.values.name) if height >= LOW_BOX else ("", "")
    height = max(LEAST_PLOT, height - top - bottom)
    return Field(width, height, Padding(left, 14, top, bottom), across, upward, names)


def ends_of(values: Sequence[float], air: float, wishes: AxisOptions) -> tuple[float, float]:
    """The least and the largest of some places, moved apart where circles need air or all are one."""
    low, high = min(values), max(values)
    if wishes.log:
        factor = (high / low) ** air if high > low else 2.0
        return low / factor, high * factor
    if low == high:
        return low - (abs(low) or 1), high + (abs(high) or 1)
    gap = (high - low) * air
    return (max(low - gap, 0.0) if low >= 0 else low - gap), high + gap


def _marks(
    style: Style,
    spots: Sequence[DataPoint],
    area: Field,
    columns: PointColumns,
    radius: float,
    largest: float,
    *,
    titled: bool,
) -> Spec:
    """The circles, large ones first, so that small ones lie upon them."""
    names = columns.series
    size, opacity = next(((s, o) for most, s, o in SIZES if len(spots) <= most), DENSE)
    rows = [
        {
            "x": s.x,
            "y": s.y,
            "area": _area(s, radius, largest),
            "series": names[s.series],
            "tip": point_tip(s, columns),
        }
        for s in sorted(spots, key=lambda s: -(s.amount or 0))
    ]
    upward = columns.upward[0].name if len(columns.upward) == 1 and titled else ""
    across = columns.across.name if titled else ""
    along = spread_labels(style, area.across, area.width)
    x = measure("x", area.across, _titled_across(along, area.names[0] or across))
    y = measure("y", area.upward, _titled_upward(style, area, area.names[1] or upward))
    encoding: Spec = {"x": x, "y": y, "color": series_color(style, names)}
    look: dict[str, Any] = {
        "fillOpacity": 0.65 if radius else opacity,
        "opacity": 1,
    }
    if len(spots) <= MOST_READ:
        look |= {"stroke": style.palette.paper, "strokeWidth": 0.8, "strokeOpacity": 1}
    if radius:
        encoding["size"] = {"field": "area", "type": "quantitative", "legend": None, "scale": None}
    else:
        look["size"] = size * style.closer**2
    return add_tips(layer("circle", encoding, rows, look), rows)


def _area(spot: DataPoint, radius: float, largest: float) -> float:
    """The area of a circle in square pixels, no smaller than one that is seen."""
    share = (spot.amount or 0.0) / largest if largest else 0.0
    return max(math.pi * LEAST_RADIUS**2, share * math.pi * radius**2)


def _titled_across(axis: ValueAxis, name: str) -> Spec:
    return {
        "values": list(axis.ticks),
        "labelExpr": label_table(dict(zip(axis.ticks, axis.labels, strict=True))),
        "grid": True,
        "labelPadding": 8,
        "title": f"{name[:80]} →" if name else None,
        "titleAnchor": "end",
        "titleAlign": "right",
        "titlePadding": 6,
    }


def _titled_upward(style: Style, area: Field, name: str) -> Spec:
    return {
        **left_axis(style, area.upward, area.padding.left, area.height),
        "title": f"↑ {name[:80]}" if name else None,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleX": -area.padding.left,
        "titleY": -area.padding.top + style.label * 0.55,
        "titleBaseline": "middle",
    }


def _size_key(
    style: Style, columns: PointColumns, radius: float, largest: float, options: ChartOptions
) -> tuple[tuple[KeyEntry, ...], str]:
    """Two rings that tell what an area means."""
    if not radius or columns.size is None:
        return (), ""
    ticks = [tick for tick in round_ticks(0, largest, 2)[1:] if tick <= largest] or [largest]
    amounts = (ticks[-1] / 4, ticks[-1])
    options = replace(options, unit=columns.size.unit)
    rings = tuple(
        KeyEntry("ring", style.palette.edge, options.write_key(amount), radius * math.sqrt(amount / largest))
        for amount in amounts
    )
    return rings, f"Area: {columns.size.name[:60]}"
