"""Choropleths: countries in the colours of their values."""

from __future__ import annotations

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.maps.ground import clip, draw_ground, ground_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.matrices import ramp_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.map_places import map_places
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.world.countries import Country

LEAST = 5.0
"""Pixels below which a country has a dot on it, too."""


def draw_choropleth(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The part of the world in which the values are; countries too small to be seen are dots."""
    places = [place for place in map_places(frame) if place.country is not None]
    by_code = {place.country.alpha2: place for place in places if place.country is not None}
    ramp = ramp_of(style, [place.value for place in places])
    ground, canvas, palette = ground_of(style, places, box), Canvas(), style.palette

    def color(country: Country) -> str:
        known = by_code.get(country.alpha2)
        return palette.grid if known is None else ramp.color(known.value)

    def tip(country: Country) -> str:
        known = by_code.get(country.alpha2)
        return f"{country.name}: {options.write(known.value) if known else 'no value'}"

    sizes = draw_ground(canvas, style, ground, color, tip)
    for code, place in by_code.items():
        x, y = ground.at(*place.at)
        if sizes.get(code, 0.0) < LEAST and place.country is not None:
            canvas.circle(x, y, 3.2, ramp.color(place.value), tip=tip(place.country), stroke=palette.edge)
    missing = KeyEntry("square", palette.grid, "no value")
    return Chart(ground.height, svg=clip(canvas.svg(), ground), key=ramp.key(options, missing))
