"""Maps: countries in the colours of their values, or circles as large as them."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.maps.choropleths import draw_choropleth
from handlers.render.plots.charts.maps.symbol_maps import draw_symbol_map
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.map_places import map_frame, map_places, map_roles
from handlers.render.plots.forms.terminal import parts as terminal
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import LONGEST, range_words


def tell_ends(frame: Frame, unit: str) -> list[str]:
    """The range of the values, and where the least and the greatest are."""
    places = sorted(map_places(frame), key=lambda place: place.value)
    least, most = places[0], places[-1]
    return [
        f"values {range_words([place.value for place in places], unit)}",
        f"least {alone(least.value, unit)} in {least.name[:LONGEST]}",
        f"greatest {alone(most.value, unit)} in {most.name[:LONGEST]}",
    ]


def _asked(frame: Frame, *, circles: bool) -> str:
    if map_roles(frame, circles=circles):
        return ""
    points = " or name,lat,lon,value" if circles else ""
    return f"countries by ISO code or English name and values, such as iso,value{points}"


def _map(word: str, noun: str, title: str, order: float, draw: Makes, drawing: str) -> PlotType:
    """One type of maps."""
    circles = word == "symbolmap"
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example="iso,share\nDK,57\nDE,29\nNLD,27\nLU,6\n",
        drawing=drawing,
        draw=draw,
        terminal=terminal.draw_places,
        tells=tell_ends,
        counts=lambda frame: 1,
        reads=frozenset(("legend",)),
        steps=(partial(map_frame, circles=circles),),
        asks=partial(_asked, circles=circles),
        units="one",
        sorted="parts",
        rows=True,
    )


TYPES = (
    _map(
        "choropleth", "map", "Map", 11.1, draw_choropleth,
        (
            '<path class="p2" d="M3 8l7-5 8 2 2 6-5 3-2 10-6-4z"/><path class="p1" d="M22 6l9-3 6 4-2'
            ' 7-6 1 1 6-4 4-4-9z"/>'
        ),
    ),
    _map(
        "symbolmap", "map with circles", "Map, circles", 11.2, draw_symbol_map,
        (
            '<path class="p2" d="M3 8l7-5 8 2 2 6-5 3-2 10-6-4zM22 6l9-3 6 4-2 7-6 1 1 6-4 4-4-9z"/>'
            '<g class="p1"><circle cx="11" cy="11" r="5"/></g><g class="p1"><circle'
            ' cx="29" cy="9" r="3"/></g>'
        ),
    ),
)  # fmt: skip
