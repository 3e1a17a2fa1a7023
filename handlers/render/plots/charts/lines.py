"""Lines, steps and areas over a calendar or over the rows in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from handlers.render.plots.charts.chart import (
    Chart,
    Spec,
    key_of,
    label_table,
    layer,
    left_axis,
    measure,
    others_told,
    pixels,
    quantity,
    series_color,
    specification,
    spread_apart,
    zero_line,
)  # fmt: skip
from handlers.render.plots.charts.line_box import LineKind, PlotBox, measure_box, places_of, ticks_of
from handlers.render.plots.charts.names.line_names import EndNames, end_of, name_layers, names_at_ends
from handlers.render.plots.charts.scales import Scales, along_line, pixels_along
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.stacked_areas import Band, stack_bands
from handlers.render.plots.data.thinning import Point, thin
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.tips import add_tips, tip_of
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MARKED, OTHERS = 1.25, 0.6
"""Strokes of lines that are marked by name, and of those that are not."""
MOST_TIPS = 400
"""Values of lines up to which each has a tip."""


def draw_lines(style: Style, frame: Frame, box: float | None, kind: LineKind, options: ChartOptions) -> Chart:
    """The series over the axis; their names stand at their ends where they fit, else in a key."""
    frame = frame.sorted_along()
    names = [column.name for column in frame.series]
    series = [list(zip(places_of(frame), column.numbers, strict=True)) for column in frame.series]
    area = measure_box(style, frame, box, kind, options)
    beside = names_at_ends(style, area, series, names, kind, options)
    if beside is not None:
        area.width, area.right = area.width + area.right - beside.room, beside.room
        area.ticks = ticks_of(style, frame, (area.low, area.high), area.width, options)
    most = int(max(200, 2 * area.width))
    if kind is LineKind.STACKED:
        step = max(1, math.ceil(frame.height / most))
        thinned = [points[::step] for points in series]
    else:
        thinned = [thin(points, most) for points in series]
    layers = _all_marks(style, area, thinned, names, kind, beside)
    layers += _tips(style, area, frame, names, kind, options)
    if frame.height == 1:
        layers.append(_only_values(style, area, series, options))
    spec = specification(style, (area.width, area.height), area.padding(), layers)
    key = () if beside is not None else key_of(style, names, "square" if kind is LineKind.STACKED else "line")
    whole, drawn = sum(map(len, series)), sum(map(len, thinned))
    notes = (f"{whole:,} points drawn as {drawn:,}.",) if drawn < whole else ()
    told = _names_told(style, options, beside, names)
    height = area.top + area.height + area.bottom
    return Chart(height, spec, key=key, notes=notes, told=told, scales=_scales(frame, area))


def _scales(frame: Frame, area: PlotBox) -> Scales:
    """The places of days, numbers or names along the lines, and of values."""
    ends = (area.low, area.high)
    across = along_line(frame, ends, area.width, log=area.log)
    return Scales(area.width, area.height, area.y, across, at=pixels_along(ends, area.width, log=area.log))


def _names_told(
    style: Style, options: ChartOptions, beside: EndNames | None, names: Sequence[str]
) -> tuple[str, ...]:
    """Sentences about names: those beside lines that find no room, those in the key that share an entry.

    And one where names that are asked to stand beside their lines stand in the key.
    """
    if beside is not None:
        lost = [name for at, name in enumerate(names) if at not in beside.series]
        return (f"These names find no room: {quote_names(lost)}.",) if lost else ()
    asked = "config/legend/type: the names find no room at the ends of their lines and stand in a key"
    in_vain = options.all_beside and not style.named and len(names) > 1
    return (*others_told(style, names), *([asked] if in_vain else []))


def _all_marks(
    style: Style,
    box: PlotBox,
    series: Sequence[Sequence[Point]],
    names: Sequence[str],
    kind: LineKind,
    beside: EndNames | None,
) -> list[Spec]:
    """The marks of the series, their names where they stand beside them, and those without one in grey."""
    if beside is None:
        return _marks(style, box, series, names, kind)
    named, layers = list(series), list[Spec]()
    if kind is not LineKind.STACKED and len(beside.series) < len(names):
        layers += _grey_lines(style, box, [one for at, one in enumerate(series) if at not in beside.series])
        named = [one if at in beside.series else [] for at, one in enumerate(series)]
    layers += _marks(style, box, named, names, kind)
    layers += name_layers(style, box, beside, style.tones(names))
    return layers + _ends(style, box, named, names, kind)


def _grey_lines(style: Style, box: PlotBox, series: Sequence[Sequence[Point]]) -> list[Spec]:
    """The lines that have no name, thin and grey behind those that have one."""
    x, y = _channels(style, box)
    rows = [
        {"at": at, "value": value, "series": str(number)}
        for number, points in enumerate(series)
        for at, value in points
    ]
    look = {"strokeWidth": style.stroke * 0.6, "color": style.palette.edge}
    detail = {"field": "series", "type": "nominal"}
    return [layer("line", {"x": x, "y": y, "detail": detail}, rows, look)]


def _marks(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], names: Sequence[str], kind: LineKind
) -> list[Spec]:
    """Areas, lines, the zero line, and a dot for each value that stands alone between gaps."""
    x, y = _channels(style, box)
    rows = [
        {"at": at, "value": value, "series": name, "order": order}
        for order, (name, points) in enumerate(zip(names, series, strict=True))
        for at, value in points
    ]
    color = series_color(style, names)
    stacked = kind is LineKind.STACKED
    layers = []
    if stacked:
        layers += _bands(style, box, series, names, {"x": x, "y": y, "color": color})
    elif kind.from_zero:
        look = {"opacity": 1, "fillOpacity": 0.22}
        layers.append(layer("area", {"x": x, "y": {**y, "stack": None}, "color": color}, rows, look))
    if not stacked:
        crowded = max((len(points) for points in series), default=0) > box.width
        form = {"interpolate": "step-after"} if kind is LineKind.STEP else {}
        width = style.stroke * (0.6 if crowded else 1)
        for weight, some in _by_weight(style, names):
            drawn = [row for row in rows if row["series"] in some]
            strong = {"strokeWidth": width * weight, **form}
            layers.append(layer("line", {"x": x, "y": y, "color": color}, drawn, strong))
    if not box.axis.log and box.axis.domain[0] <= 0 <= box.axis.domain[1]:
        layers.append(zero_line(style, y, -box.left, box.width))
    dots = [
        {"at": at, "value": value, "series": name}
        for name, points in zip(names, series, strict=True)
        for at, value in _lone(points)
    ]
    if dots and not (stacked and len(rows) > len(names)):
        layers.append(
            layer("point", {"x": x, "y": y, "color": color}, dots, {"size": style.stroke * 16, "opacity": 1})
        )
    return layers


def _by_weight(style: Style, names: Sequence[str]) -> list[tuple[float, frozenset[str]]]:
    """The names of lines with the weight of their stroke, those that lie below others first."""
    if not style.named.marks:
        return [(1.0, frozenset(names))]
    marked = frozenset(name for name in names if style.named.has(name))
    others = frozenset(names) - marked
    return [(OTHERS if style.named.others else 1.0, others), (MARKED, marked)]


def _bands(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], names: Sequence[str], encoding: Spec
) -> list[Spec]:
    """The bands of stacked areas, those above zero and those below it apart."""
    places = [at for at, _ in series[0]]
    bands = stack_bands(places, [[value or 0.0 for _, value in points] for points in series], log=box.log)
    look = {"opacity": 1, "fillOpacity": 1, "stroke": style.palette.paper, "strokeWidth": 0.8}
    sides = (_band_rows([band for band in bands if band.upward == upward], names) for upward in (True, False))
    encoding = {**encoding, "y": {**encoding["y"], "stack": None}, "y2": {"field": "base"}}
    return [layer("area", encoding, rows, look) for rows in sides if rows]


def _band_rows(bands: Sequence[Band], names: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {"at": at, "value": end, "base": base, "series": names[band.series]}
        for band in bands
        for at, end, base in zip(band.places, band.ends, band.bases, strict=True)
    ]


def _tips(
    style: Style, box: PlotBox, frame: Frame, names: Sequence[str], kind: LineKind, options: ChartOptions
) -> list[Spec]:
    """Clear circles at the values of lines that have few, on which a pointer finds their tips."""
    if kind is LineKind.STACKED or frame.height * len(names) > MOST_TIPS:
        return []
    places, order = places_of(frame), row_names(frame)
    rows = [
        {"at": places[row], "value": value,
         "tip": tip_of(order[row], name if len(names) > 1 else "", options.write(value))}
        for name, column in zip(names, frame.series, strict=True)
        for row, value in enumerate(column.numbers)
        if value is not None
    ]  # fmt: skip
    x, y = _channels(style, box)
    look = {"size": style.stroke * 60, "color": "transparent", "opacity": 1}
    return [add_tips(layer("point", {"x": x, "y": y}, rows, look), rows)] if rows else []


def _channels(style: Style, box: PlotBox) -> tuple[Spec, Spec]:
    axis = {
        "values": [tick.at for tick in box.ticks],
        "labelExpr": label_table({tick.at: list(tick.lines) for tick in box.ticks}),
        "grid": False,
        "ticks": box.signs,
        "tickSize": 5,
        "labelPadding": 4,
        "labelFlush": False,
        "title": None,
    }
    along = quantity("at", (box.low, box.high), axis)
    along = {**along, "scale": {**along["scale"], "type": "log"}} if box.log else along
    return along, measure("value", box.axis, left_axis(style, box.axis, box.left, box.height))


def _lone(points: Sequence[Point]) -> list[Point]:
    known = [value is not None for _, value in points]
    return [
        point
        for index, point in enumerate(points)
        if known[index]
        and not (index and known[index - 1])
        and not (index + 1 < len(points) and known[index + 1])
    ]


def _ends(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], names: Sequence[str], kind: LineKind
) -> list[Spec]:
    """A dot on the end of each line."""
    if kind is LineKind.STACKED:
        return []
    x, y = _channels(style, box)
    ends = [(name, end) for name, points in zip(names, series, strict=True) if (end := end_of(points))]
    dots = [{"at": end[0], "value": end[1], "series": name} for name, end in ends]
    color = series_color(style, names)
    look = {"size": style.stroke * 14, "opacity": 1}
    return [layer("point", {"x": x, "y": y, "color": color}, dots, look)]


def _only_values(
    style: Style, box: PlotBox, series: Sequence[Sequence[Point]], options: ChartOptions
) -> Spec:
    """The values of the only row, above their dots, a line apart."""
    values = [value for points in series for _, value in points if value is not None]
    places = spread_apart([box.y(value) for value in values], style.line, 0, box.height)
    rows = [
        {"x": box.width / 2, "y": y, "text": options.write(value)}
        for value, y in zip(values, places, strict=True)
    ]
    return layer(
        "text",
        {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}},
        rows,
        {"dy": -14, "fontWeight": 600},
    )
