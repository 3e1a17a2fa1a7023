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
)  # fmt: skip
from handlers.render.plots.charts.value_axis import ValueAxis, ticks_over, value_axis
from handlers.render.plots.composed.scales import crossed_axes
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

MOST_NAMED = 14
ACROSS_AIR, UPWARD_AIR = 0.1, 0.12
"""Shares of the values by which the axes of bubbles reach further."""
MOST_DRAWN = 5_000
LEAST_RADIUS = 2.0
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
    radius = (0.06 if style.narrow else 0.045) * style.inner if sized and largest > 0 else 0.0
    title = style.line if len(columns.upward) == 1 or options.values.name else 0
    area = _field(style, drawn, columns, box or style.height(0.52), options, air=bool(radius), title=title)
    tones = style.tones(columns.series)
    layers = [_marks(style, drawn, area, columns, radius, largest)]
    few = len(drawn) <= MOST_READ
    names = _place_names(style, drawn, tones, area, radius, largest) if few else []
    if names:
        encoding = {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}, "fill": own_color()}
        layers.append(layer("text", encoding, names, {"align": "left"}))
    spec = specification(style, (area.width, area.height), area.padding, layers)
    notes = (f"{len(spots):,} points drawn as {len(drawn):,}.",) if len(drawn) < len(spots) else ()
    sizes, size_title = _size_key(style, columns, radius, largest, options)
    height = area.height + area.padding.top + area.padding.bottom
    told = (*others_told(style, columns.series), *_nameless(columns, spots, len(names)))
    key = (*sizes, *key_of(style, columns.series, "dot"))
    scales = crossed_axes(area.across, area.upward, (area.width, area.height))
    return Chart(height, spec, key=key, key_title=size_title, notes=notes, told=told, scales=scales)


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
    top, bottom = style.label + 14 + title, style.line * 2 + 14
    width = style.inner - left - 14
    ends = ends_of([spot.x for spot in spots], ACROSS_AIR if air else 0.0, options.along)
    across = value_axis(
        ends, max(2, min(9, round(width / 85))), columns.across.unit, zero=False, wishes=options.along
    )
    names = options.along.name, options.values.name
    height = max(80.0, height - top - bottom)
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
    upward = columns.upward[0].name if len(columns.upward) == 1 else ""
    x = measure("x", area.across, _titled_across(area.across, area.names[0] or columns.across.name))
    y = measure("y", area.upward, _titled_upward(style, area, area.names[1] or upward))
    encoding: Spec = {"x": x, "y": y, "color": series_color(style, names)}
    look: dict[str, Any] = {
        "fillOpacity": 0.75 if radius else opacity,
        "opacity": 1,
    }
    if len(spots) <= MOST_READ:
        look |= {"stroke": style.palette.paper, "strokeWidth": 0.8, "strokeOpacity": 1}
    if radius:
        encoding["size"] = {"field": "area", "type": "quantitative", "legend": None, "scale": None}
    else:
        look["size"] = size
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
        "title": f"{name[:80]} →",
        "titleAnchor": "end",
        "titleAlign": "right",
        "titlePadding": 6,
    }


def _titled_upward(style: Style, area: Field, name: str) -> Spec:
    return {
        **left_axis(style, area.upward, area.padding.left),
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


def _place_names(
    style: Style,
    spots: Sequence[DataPoint],
    tones: Sequence[str],
    area: Field,
    radius: float,
    largest: float,
) -> list[dict[str, Any]]:
    """Names of the largest points, inside, right, left, above or below, where they hide nothing."""

    def reach(spot: DataPoint) -> float:
        return radius * math.sqrt((spot.amount or 0) / largest) if radius else 4.0

    circles = [(*area.at(spot), reach(spot)) for spot in spots]
    taken: list[tuple[float, float, float, float]] = []
    names = []
    for spot in sorted(spots, key=lambda s: -(s.amount or 0))[:MOST_NAMED]:
        text = spot.name[:40]
        for box, inside in _spaces(style, text, area.at(spot), reach(spot)) if text else ():
            if _free(box, taken, [] if inside else circles, area):
                taken.append(box)
                color = style.palette.on(tones[spot.series]) if inside else style.palette.ink
                names.append({"x": box[0], "y": (box[1] + box[3]) / 2, "text": text, "color": color})
                break
    return names


def _spaces(
    style: Style, text: str, at: tuple[float, float], reach: float
) -> list[tuple[tuple[float, float, float, float], bool]]:
    """Boxes in which a name may stand, best first; and whether that is inside the circle."""
    (x, y), width, half = at, style.text(text), style.label * 0.6
    starts = [
        (x + reach + 4, y),
        (x - reach - 4 - width, y),
        (x - width / 2, y - reach - half - 2),
        (x - width / 2, y + reach + half + 2),
    ]
    outside = [((left, middle - half, left + width, middle + half), False) for left, middle in starts]
    if reach * 1.8 > width:
        return [((x - width / 2, y - half, x + width / 2, y + half), True), *outside]
    return outside


def _free(
    box: tuple[float, float, float, float],
    taken: Sequence[tuple[float, float, float, float]],
    circles: Sequence[tuple[float, float, float]],
    area: Field,
) -> bool:
    left, top, right, bottom = box
    if left < 0 or right > area.width + 14 or top < 0 or bottom > area.height:
        return False
    if any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken):
        return False
    return all(
        max(left - x, 0, x - right) ** 2 + max(top - y, 0, y - bottom) ** 2 >= radius**2
        for x, y, radius in circles
    )
