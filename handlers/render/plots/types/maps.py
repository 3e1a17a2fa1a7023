"""Maps: countries in the colours of their values, or circles as large as them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.chart import Chart, KeyEntry, size_rings
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.points import MOST_NAMED, PlacedCircle, place_point_names
from handlers.render.plots.charts.ramps import ramp_of
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ANY, NUMBERS, ColumnRole, find_roles, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.forms.terminal.bars import write_bars
from handlers.render.plots.forms.terminal.screen import Screen
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.world.countries import Country, countries, find_country, project
from handlers.words.language import say

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
MOST_UNKNOWN, MOST_UNKNOWN_CODES = 0.5, 0.25
"""Shares of places that are no country from which on no map is drawn."""
LEAST_RADIUS = 2.0
MOST_OF_MAP, CROWD = 0.15, 4.0
"""Share of the map that all circles take at most, and the side of a crowd in largest radii."""
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
    return found if found.keys() == {"code", "value"} and not _mostly_unknown(found["code"].texts) else {}


def _unknown(texts: Sequence[str]) -> tuple[list[str], int]:
    """The places that are no country, and how many there are."""
    places = [text for text in dict.fromkeys(texts) if text.strip()]
    return [text for text in places if find_country(text) is None], len(places)


def _mostly_unknown(texts: Sequence[str]) -> bool:
    """Whether most places are no country, or many of codes of two letters, which states have, too."""
    unknown, count = _unknown(texts)
    codes = all(len(text.strip()) <= 2 for text in texts)
    return not count or len(unknown) > count * (MOST_UNKNOWN_CODES if codes else MOST_UNKNOWN)


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
            out.show(f"{count_words(len(rows) - len(known), 'row')} left out for want of a place on earth.")
        rows = known
    if circles:
        negative = [row for row in rows if (values[row] or 0.0) < 0]
        if negative:
            out.show(f"{count_words(len(negative), 'row')} left out for a negative value.")
        rows = [row for row in rows if (values[row] or 0.0) >= 0]
    if "code" in found:
        code = Column(found["code"].name, ColumnType.TEXT, found["code"].texts)
        return replace(frame, columns=(code, found["value"]), heads=()).of_rows(rows)
    names = found["name"].texts if "name" in found else tuple(str(row + 1) for row in range(frame.height))
    columns = (Column("name", ColumnType.TEXT, names), found["value"], found["lat"], found["lon"])
    return replace(frame, columns=columns, heads=()).of_rows(rows)


def _known_rows(texts: tuple[str, ...], rows: list[int], out: LeftOut) -> list[int]:
    """The last row of each country; those of none are told."""
    unknown, _ = _unknown([texts[row] for row in rows])
    if unknown:
        what = count_words(len(unknown), "place", "is no country", "are no countries")
        out.show(f"{what} that a map has: {quote_names(unknown)}.")
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
    """The shown part: its left top and its scale from projected places to pixels, and its size in pixels.

    `crop` is its part around the places, in pixels: left, top, width and height.
    """

    left: float
    top: float
    scale: float
    width: float
    height: float
    crop: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

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
    whole = right - left >= world_right - world_left
    wide = width if whole else min(width, max(right - left, bottom - top) * scale)
    tall = height if whole else min(height, (bottom - top) * scale)
    crop = (width - wide) / 2, (height - tall) / 2, wide, tall
    return Ground(middle_x - width / scale / 2, middle_y - height / scale / 2, scale, width, height, crop)


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


def clip(svg: str, left: float, top: float, width: float, height: float) -> str:
    """Elements that are clipped to a part of the drawing."""
    size = f'x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
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
        return f"{country.name}: {options.exact(known.value) if known else say('no value')}"

    sizes = draw_ground(canvas, style, ground, color, tip)
    for code, place in by_code.items():
        x, y = ground.at(*place.at)
        if sizes.get(code, 0.0) < LEAST and place.country is not None:
            canvas.circle(x, y, 3.2, ramp.color(place.value), tip=tip(place.country), stroke=palette.edge)
    missing = KeyEntry("square", palette.grid, say("no value"))
    part = clip(canvas.svg(), *ground.crop)
    return Chart(ground.height, svg=part, key=ramp.key(options, missing), told=ramp.told)


def draw_symbol_map(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """The largest circles first, so that small ones lie upon them; names where they hide nothing."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    most = max((place.value for place in places), default=0.0) or 1.0
    largest = (0.05 if style.narrow else 0.036) * style.inner
    largest = max(LEAST_RADIUS * 2, min(largest, box * OF_HEIGHT)) if box is not None else largest
    ground, canvas, palette = ground_of(style, places, box, largest), Canvas(), style.palette
    largest = min(largest, _radius_without_crowds(ground, places, most, largest))
    draw_ground(canvas, style, ground, lambda country: palette.grid, lambda country: country.name)
    least, tone = min(LEAST_RADIUS, largest), style.category(0)
    circles = list[PlacedCircle]()
    for place in places:
        x, y = ground.at(*place.at)
        radius = max(least, largest * math.sqrt(place.value / most))
        circles.append(PlacedCircle(x, y, radius, place.name, tone))
        tip = f"{place.name}: {options.exact(place.value)}"
        canvas.circle(x, y, radius, tone, tip=tip, stroke=palette.paper, opacity=0.75)
    names = place_point_names(style, circles, (0.0, 0.0, ground.width, ground.height), 600)
    for name in names:
        canvas.text(name.x, name.y, name.text, style.label, name.color, weight=600)
    lost = [one.name for one in circles[:MOST_NAMED] if one.name not in {name.text for name in names}]
    told = (f"These names find no room on the map: {quote_names(lost)}.",) if lost else ()
    part = clip(canvas.svg(), 0, 0, ground.width, ground.height)
    return Chart(ground.height, svg=part, key=size_rings(style, largest, most, options), told=told)


def _radius_without_crowds(ground: Ground, places: Sequence[MapPlace], most: float, usual: float) -> float:
    """The largest radius with which all circles are a small part of the map, and crowds are not one spot."""
    side = usual * CROWD
    crowds = defaultdict[tuple[int, int], float](float)
    total = 0.0
    for place in places:
        x, y = ground.at(*place.at)
        share = max(place.value / most, (LEAST_RADIUS / usual) ** 2)
        total += share
        crowds[int(x // side), int(y // side)] += share
    of_all = MOST_OF_MAP * ground.width * ground.height / total
    return math.sqrt(min(of_all, side * side / max(crowds.values())) / math.pi)


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
    found = find_roles(frame, COUNTRIES)
    points = " or name,lat,lon,value" if circles else ""
    if found.keys() != {"code", "value"} or not (places := _unknown(found["code"].texts))[1]:
        return f"countries by ISO code or English name and values, such as iso,value{points}"
    unknown, count = places
    have = "it is none" if count == 1 else f"{len(unknown):,} of {count:,} places are none"
    named = f"countries by ISO code or English name, and {have}: {quote_names(unknown)}"
    return f"{named}. Other places are drawn by symbolmap, with name,lat,lon,value."


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
