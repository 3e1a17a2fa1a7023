"""Maps: countries in the colours of their values, or circles as large as them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.ramps import ramp_of
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone, round_ticks
from handlers.render.plots.drawn.column_roles import ANY, NUMBERS, ColumnRole, find_roles, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, quote_names
from handlers.render.plots.forms.terminal.bars import write_bars
from handlers.render.plots.forms.terminal.screen import Screen
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.world.countries import Country, countries, find_country
from handlers.render.plots.world.equal_earth import project

CODES = (
    "iso",
    "iso2",
    "iso3",
    "iso 3166",
    "alpha 2",
    "alpha 3",
    "code",
    "country",
    "country code",
    "place",
    "name",
)
VALUE = ColumnRole("value", ("value", "amount", "rate", "share", "total"))
COUNTRIES = (ColumnRole("code", CODES, ANY), VALUE)
WHOLE = 0.55
"""The share of the world's width from which on all of it is shown."""
AIR = 0.06
LEAST_SPAN = 0.5
ANTARCTICA = "AQ"
LEAST = 5.0
"""Pixels below which a country has a dot on it, too."""
MOST_NAMED, LEAST_RADIUS = 12, 2.0
OF_HEIGHT = 0.07
"""Share of a box's height that the radius of the largest circle takes at most."""


PLACES = (
    ColumnRole("lat", ("lat", "latitude"), NUMBERS, by_place=False),
    ColumnRole("lon", ("lon", "lng", "long", "longitude"), NUMBERS, by_place=False),
    ColumnRole("name", ("name", "place", "city", "town"), frozenset({ColumnType.TEXT})),
    VALUE,
)


@dataclass(frozen=True, slots=True)
class MapPlace:
    """A place with its name, its value, its longitude and latitude, and its country if it is one."""

    name: str
    value: float
    at: tuple[float, float]
    country: Country | None = None


def map_roles(frame: Frame, *, circles: bool) -> Mapping[str, Column]:
    """The columns of codes and values, or for circles of places and values; none if one is missing."""
    if circles:
        found = find_roles(frame, PLACES)
        if {"lat", "lon", "value"} <= found.keys():
            return found
    found = find_roles(frame, COUNTRIES)
    known = "code" in found and any(find_country(text) is not None for text in found["code"].texts)
    return found if known and "value" in found else {}


def map_frame(frame: Frame, out: LeftOut, *, circles: bool) -> Frame:
    """The rows with a place and a value; of several of one country the last. Others are told."""
    found = map_roles(frame, circles=circles)
    if not found:
        return frame
    tell_unused(frame, list(found.values()), out)
    values = found["value"].numbers
    rows = [row for row in range(frame.height) if values[row] is not None]
    if "code" in found:
        rows = _known_rows(found["code"].texts, rows, out)
    else:
        known = [row for row in rows if _on_earth(found["lat"].numbers[row], found["lon"].numbers[row])]
        if len(known) < len(rows):
            out.show(f"{len(rows) - len(known):,} rows have no latitude or longitude and are left out.")
        rows = known
    if circles:
        negative = [row for row in rows if (values[row] or 0.0) < 0]
        if negative:
            out.show(
                f"{len(negative):,} negative {'value is' if len(negative) == 1 else 'values are'} left out."
            )
        rows = [row for row in rows if (values[row] or 0.0) >= 0]
    columns = [found["value"], *(replace(found[role], name=role) for role in found if role != "value")]
    if "code" in found:
        code = Column(found["code"].name, ColumnType.TEXT, found["code"].texts)
        return replace(frame, columns=(code, found["value"]), heads=()).of_rows(rows)
    names = found["name"].texts if "name" in found else tuple(str(row + 1) for row in range(frame.height))
    columns = [Column("name", ColumnType.TEXT, names), found["value"], found["lat"], found["lon"]]
    return replace(frame, columns=tuple(columns), heads=()).of_rows(rows)


def _known_rows(texts: tuple[str, ...], rows: list[int], out: LeftOut) -> list[int]:
    """The last row of each country; those of none are told."""
    unknown = [texts[row] for row in rows if find_country(texts[row]) is None]
    if unknown:
        have = "is" if len(unknown) == 1 else "are"
        out.show(f"{len(unknown):,} of the places {have} no country that a map has: {quote_names(unknown)}.")
    last: dict[str, int] = {}
    several = list[str]()
    for row in rows:
        country = find_country(texts[row])
        if country is not None:
            several += [country.name] if country.alpha2 in last else []
            last[country.alpha2] = row
    if several:
        out.show(f"Of several values of a country the last is drawn: {quote_names(dict.fromkeys(several))}.")
    return sorted(last.values())


def _on_earth(latitude: float | None, longitude: float | None) -> bool:
    return latitude is not None and longitude is not None and abs(latitude) <= 90 and abs(longitude) <= 180


def map_places(frame: Frame) -> list[MapPlace]:
    """The places of a frame that `map_frame` made, in its order."""
    names, values = frame.columns[0].texts, frame.columns[1].numbers
    places = []
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        if len(frame.columns) > 3:
            latitude, longitude = frame.columns[2].numbers[row], frame.columns[3].numbers[row]
            places.append(MapPlace(name, value or 0.0, (longitude or 0.0, latitude or 0.0)))
        elif (country := find_country(name)) is not None:
            places.append(MapPlace(country.name, value or 0.0, country.middle, country))
    return places


@dataclass(frozen=True, slots=True)
class Ground:
    """The shown part: its left top and its scale from projected places to pixels, and its size in pixels."""

    left: float
    top: float
    scale: float
    width: float
    height: float

    def at(self, longitude: float, latitude: float) -> tuple[float, float]:
        """The pixels of a place."""
        x, y = project(longitude, latitude)
        return (x - self.left) * self.scale, (y - self.top) * self.scale

    def shows(self, spots: Sequence[tuple[float, float]]) -> bool:
        """Whether a ring in pixels reaches into the shown part."""
        xs, ys = [x for x, _ in spots], [y for _, y in spots]
        return max(xs) > 0 and min(xs) < self.width and max(ys) > 0 and min(ys) < self.height


def ground_of(style: Style, places: Sequence[MapPlace], box: float | None, margin: float = 0.0) -> Ground:
    """The part of the world around the places, with a margin; all of it where they lie far apart."""
    width = float(style.inner)
    left, top, right, bottom = _bounds(places)
    world_left, world_right = project(-180, 0)[0], project(180, 0)[0]
    if right - left > WHOLE * (world_right - world_left):
        south = any(place.country is not None and place.country.alpha2 == ANTARCTICA for place in places)
        left, right = world_left, world_right
        top, bottom = project(0, 83.7)[1], project(0, -90 if south else -56)[1]
    height = box or min(width * (bottom - top) / (right - left), style.height(0.62))
    inner = max(width * 0.4, width - 2 * margin), max(height * 0.4, height - 2 * margin)
    scale = min(inner[0] / (right - left), inner[1] / (bottom - top))
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    return Ground(middle_x - width / scale / 2, middle_y - height / scale / 2, scale, width, height)


def _bounds(places: Sequence[MapPlace]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the places and of their countries, with air around."""
    spots = [project(*spot) for place in places for spot in _corners(place)]
    xs, ys = [x for x, _ in spots], [y for _, y in spots]
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    wide = max(max(xs) - min(xs), LEAST_SPAN) * (1 + 2 * AIR) / 2
    tall = max(max(ys) - min(ys), LEAST_SPAN * 0.6) * (1 + 2 * AIR) / 2
    return x - wide, y - tall, x + wide, y + tall


def _corners(place: MapPlace) -> Iterable[tuple[float, float]]:
    ring = place.country.largest if place.country is not None else ()
    return ring or (place.at,)


def draw_ground(
    canvas: Canvas,
    style: Style,
    ground: Ground,
    color: Callable[[Country], str],
    tip: Callable[[Country], str],
) -> dict[str, float]:
    """The outlines of all countries that are in sight, each in its colour; their sizes in pixels by code."""
    sizes: dict[str, float] = {}
    for country in countries():
        rings = [[ground.at(*spot) for spot in ring] for ring in country.rings]
        seen = [ring for ring in rings if ground.shows(ring)]
        if seen:
            drawn = "".join(_path(ring) for ring in seen)
            canvas.path("shape", drawn, fill=color(country), stroke=style.palette.paper, width=0.6,
                        tip=tip(country))  # fmt: skip
            xs = [x for ring in seen for x, _ in ring]
            ys = [y for ring in seen for _, y in ring]
            sizes[country.alpha2] = max(max(xs) - min(xs), max(ys) - min(ys))
    return sizes


def clip(svg: str, ground: Ground) -> str:
    """Elements of which nothing beyond the shown part is drawn."""
    size = f'width="{ground.width:g}" height="{ground.height:g}"'
    return f'<clipPath id="map"><rect {size}/></clipPath><g clip-path="url(#map)">{svg}</g>'


def _path(ring: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in ring) + "Z"


def draw_choropleth(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The part of the world in which the values are; countries too small to be seen are dots."""
    places = [place for place in map_places(frame) if place.country is not None]
    by_code = {place.country.alpha2: place for place in places if place.country is not None}
    ramp = ramp_of(style, [place.value for place in places], options.colors.scale)
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
    return Chart(
        ground.height, svg=clip(canvas.svg(), ground), key=ramp.key(options, missing), told=ramp.told
    )


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


def write_places(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """The places of a map as bars, the greatest value first, as a terminal has no room for outlines."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    named = Frame(
        (
            Column("place", ColumnType.TEXT, tuple(place.name for place in places)),
            Column("value", ColumnType.NUMBER, ("",) * len(places), tuple(place.value for place in places)),
        )
    )
    return write_bars(screen, named, options, stacked=False)


def tell_ends(frame: Frame, unit: str) -> list[str]:
    """The range of the values, and where the least and the greatest are."""
    places = sorted(map_places(frame), key=lambda place: place.value)
    least, most = places[0], places[-1]
    return [
        f"values {range_words([place.value for place in places], unit)}",
        f"least {alone(least.value, unit)} in {least.name[:LONGEST]}",
        f"greatest {alone(most.value, unit)} in {most.name[:LONGEST]}",
    ]


def _question(frame: Frame, *, circles: bool) -> str:
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
        terminal=write_places,
        tells=tell_ends,
        counts=lambda frame: 1,
        reads=frozenset(("legend",) if circles else ("legend", "colors/scale")),
        steps=(partial(map_frame, circles=circles),),
        asks=partial(_question, circles=circles),
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
