"""Symbol maps: circles at places or in the middle of countries, their areas in proportion to values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.maps.ground import Ground, clip, draw_ground, ground_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import round_ticks
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.map_places import MapPlace, map_places
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style

MOST_NAMED, LEAST_RADIUS = 12, 2.0
OF_HEIGHT = 0.07
"""Share of a box's height that the radius of the largest circle takes at most."""
Box = tuple[float, float, float, float]


def draw_symbol_map(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The largest circles first, so that small ones lie upon them; names where they hide nothing."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    most = max((place.value for place in places), default=0.0) or 1.0
    largest = (0.05 if style.narrow else 0.036) * style.inner
    largest = max(LEAST_RADIUS * 2, min(largest, box * OF_HEIGHT)) if box is not None else largest
    ground, canvas, palette = ground_of(style, places, box, largest), Canvas(), style.palette
    draw_ground(canvas, style, ground, lambda country: palette.grid, lambda country: country.name)
    circles = [
        (*ground.at(*place.at), max(LEAST_RADIUS, largest * math.sqrt(place.value / most)))
        for place in places
    ]
    for place, (x, y, radius) in zip(places, circles, strict=True):
        tip = f"{place.name}: {options.write(place.value)}"
        canvas.circle(x, y, radius, style.category(0), tip=tip, stroke=palette.paper, opacity=0.75)
    lost = _write_names(canvas, style, ground, places, circles)
    told = (f"These names find no room on the map: {quote_names(lost)}.",) if lost else ()
    ticks = [tick for tick in round_ticks(0, most, 2)[1:] if tick <= most] or [most]
    key = tuple(
        KeyEntry("ring", palette.edge, options.write_key(amount), largest * math.sqrt(amount / most))
        for amount in (ticks[-1] / 4, ticks[-1])
    )
    return Chart(ground.height, svg=clip(canvas.svg(), ground), key=key, told=told)


def _write_names(
    canvas: Canvas,
    style: Style,
    ground: Ground,
    places: Sequence[MapPlace],
    circles: Sequence[tuple[float, float, float]],
) -> list[str]:
    """The names of the largest circles beside, above or below them; those that find no room."""
    taken, lost = list[Box](), list[str]()
    for place, (x, y, radius) in list(zip(places, circles, strict=True))[:MOST_NAMED]:
        width, half = style.text(place.name, 600), style.line / 2
        aside, beyond, start = radius + 3, radius + half + 2, x - width / 2
        spots = ((x + aside, y), (x - aside - width, y), (start, y - beyond), (start, y + beyond))
        for left, middle in spots:
            box = (left, middle - half, left + width, middle + half)
            if _free(box, taken, circles, ground):
                taken.append(box)
                canvas.text(left, middle, place.name, style.label, style.palette.ink, weight=600)
                break
        else:
            lost.append(place.name)
    return lost


def _free(
    box: Box, taken: Sequence[Box], circles: Sequence[tuple[float, float, float]], ground: Ground
) -> bool:
    left, top, right, bottom = box
    if left < 0 or right > ground.width or top < 0 or bottom > ground.height:
        return False
    if any(left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in taken):
        return False
    return all(
        max(left - x, 0, x - right) ** 2 + max(top - y, 0, y - bottom) ** 2 >= radius**2
        for x, y, radius in circles
    )
