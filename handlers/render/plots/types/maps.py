"""Maps: countries or regions coloured by their values, or circles sized by them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from handlers.render.plots.charts.chart import Chart, KeyEntry, ramp_of, size_rings
from handlers.render.plots.charts.map_ground import Ground, MapPlace, clip, draw_ground, ground_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.points import MOST_NAMED, PlacedCircle, write_point_names
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ANY, NUMBERS, ColumnRole, find_roles, log_unused
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.forms.terminal.screen import Screen, write_bars
from handlers.render.plots.look.data_settings import BadSetting
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.world.areas import MapArea, area_of, read_area, world
from handlers.render.plots.world.geojson import own_area, read_geojson
from handlers.render.plots.world.outlines import Outline
from handlers.words.language import say

CODES = (
    "iso", "iso2", "iso3", "iso 3166", "alpha 2", "alpha 3", "code", "country", "country code",
    "state", "region", "province", "nuts", "place", "name",
)  # fmt: skip
VALUE = ColumnRole("value", ("value", "amount", "rate", "share", "total"))
COUNTRIES = (ColumnRole("code", CODES, ANY), VALUE)
LEAST = 5.0
"""Size in pixels below which a country also has a dot."""
MOST_UNKNOWN, MOST_UNKNOWN_CODES = 0.5, 0.25
"""Shares of unknown places above which no map is drawn: usually, and if all are two-letter codes."""
LEAST_RADIUS = 2.0
MOST_OF_MAP, CROWD = 0.15, 4.0
"""Largest share of the map for all circles, and the side of a crowded area in default radii."""
OF_HEIGHT = 0.07
"""Largest share of a box's height for the radius of the largest circle."""


PLACES = (
    ColumnRole("lat", ("lat", "latitude"), NUMBERS, by_place=False),
    ColumnRole("lon", ("lon", "lng", "long", "longitude"), NUMBERS, by_place=False),
    ColumnRole("name", ("name", "place", "city", "town"), frozenset({ColumnType.TEXT})),
    VALUE,
)
FindArea = Callable[[Iterable[str]], MapArea]
by_places: FindArea = partial(area_of, ())
"""Function that returns the area of places if no setting requests one."""


def map_roles(frame: Frame, *, circles: bool, find: FindArea = by_places) -> Mapping[str, Column]:
    """Return the columns of codes and values, or for circles of places; empty if the map is not possible."""
    if circles:
        found = find_roles(frame.columns, PLACES, "lat", "lon", "value")
        if found:
            return found
    found = find_roles(frame.columns, COUNTRIES, "code", "value")
    texts = found["code"].texts if found else ()
    return {} if _mostly_unknown(find(texts), texts) else found


def _unknown(area: MapArea, texts: Sequence[str]) -> tuple[list[str], int]:
    """Return the unknown places, and the number of all places."""
    places = [text for text in dict.fromkeys(texts) if text.strip()]
    return [text for text in places if area.find(text) is None], len(places)


def _mostly_unknown(area: MapArea, texts: Sequence[str]) -> bool:
    """Return whether most places are unknown, or some of two-letter codes, which have several meanings."""
    unknown, count = _unknown(area, texts)
    codes = all(len(text.strip()) <= 2 for text in texts)
    return not count or len(unknown) > count * (MOST_UNKNOWN_CODES if codes else MOST_UNKNOWN)


def map_frame(frame: Frame, out: LeftOut, *, circles: bool, find: FindArea = by_places) -> Frame:
    """Return the rows with a place and a value, and their area; for repeated places the last row.

    Other rows are noted.
    """
    found = map_roles(frame, circles=circles, find=find)
    if not found:
        return frame
    log_unused(frame, list(found.values()), out)
    values = found["value"].numbers
    rows = [row for row in range(frame.height) if values[row] is not None]
    area = find(found["code"].texts if "code" in found else ())
    frame = replace(frame, ground=area if "code" in found or area.own else world())
    if "code" in found:
        rows = _known_rows(frame.ground, found["code"].texts, rows, out)
    else:
        known = [row for row in rows if _on_earth(found["lat"].numbers[row], found["lon"].numbers[row])]
        if len(known) < len(rows):
            out.show(f"{count_words(len(rows) - len(known), 'row')} left out: no place on earth.")
        rows = known
    if circles:
        negative = [row for row in rows if (values[row] or 0.0) < 0]
        if negative:
            out.show(f"{count_words(len(negative), 'row')} left out: a negative value.")
        rows = [row for row in rows if (values[row] or 0.0) >= 0]
    if "code" in found:
        code = Column(found["code"].name, ColumnType.TEXT, found["code"].texts)
        return frame.of_columns(code, found["value"]).of_rows(rows)
    names = found["name"].texts if "name" in found else tuple(str(row + 1) for row in range(frame.height))
    columns = (Column("name", ColumnType.TEXT, names), found["value"], found["lat"], found["lon"])
    return frame.of_columns(*columns).of_rows(rows)


def _known_rows(area: MapArea, texts: tuple[str, ...], rows: list[int], out: LeftOut) -> list[int]:
    """Return the last row of each place; unknown places are noted."""
    unknown, _ = _unknown(area, [texts[row] for row in rows])
    if unknown:
        out.show(f"{count_words(len(unknown), 'place', 'is', 'are')} not on the map: {quote_names(unknown)}.")
    last: dict[str, int] = {}
    several = list[str]()
    for row in rows:
        place = area.find(texts[row])
        if place is not None:
            several += [place.name] if place.code in last else []
            last[place.code] = row
    if several:
        out.show(f"Of several values of a place the last is drawn: {quote_names(dict.fromkeys(several))}.")
    return sorted(last.values())


def _on_earth(latitude: float | None, longitude: float | None) -> bool:
    return latitude is not None and longitude is not None and abs(latitude) <= 90 and abs(longitude) <= 180


def map_places(frame: Frame) -> list[MapPlace]:
    """Return the places of a frame from `map_frame`, in its order."""
    names, values, area = frame.columns[0].texts, frame.columns[1].numbers, frame.ground
    places = []
    for row, (name, value) in enumerate(zip(names, values, strict=True)):
        if len(frame.columns) > 3:
            latitude, longitude = frame.columns[2].numbers[row], frame.columns[3].numbers[row]
            places.append(MapPlace(name, value or 0.0, (longitude or 0.0, latitude or 0.0)))
        elif area is not None and (one := area.find(name)) is not None:
            places.append(MapPlace(one.name, value or 0.0, one.middle, one))
    return places


def draw_choropleth(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the part of an area with the values; very small places are dots."""
    places, area = map_places(frame), frame.ground
    by_code = {place.outline.code: place for place in places if place.outline is not None}
    ramp = ramp_of(style, [place.value for place in places], options.colors.scale)
    ground, canvas, palette = ground_of(style, area, places, box), Canvas(style), style.palette

    def color(one: Outline) -> str:
        known = by_code.get(one.code)
        return palette.grid if known is None else ramp.color(known.value)

    def tip(one: Outline) -> str:
        known = by_code.get(one.code)
        return f"{one.name}: {options.exact(known.value) if known else say('no value')}"

    sizes = draw_ground(canvas, area, ground, color, tip)
    for code, place in by_code.items():
        x, y = ground.at(*place.at)
        if sizes.get(code, 0.0) < LEAST and place.outline is not None:
            canvas.circle(x, y, 3.2, ramp.color(place.value), tip=tip(place.outline), stroke=palette.edge)
    missing = KeyEntry("square", palette.grid, say("no value"))
    part = clip(canvas.svg(), *ground.crop)
    return Chart(ground.height, svg=part, key=ramp.key(options, missing), logged=ramp.logged)


def draw_symbol_map(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw circles, the largest first so that small ones are on top, and names that cover nothing."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    most = max((place.value for place in places), default=0.0) or 1.0
    largest = (0.05 if style.narrow else 0.036) * style.inner
    largest = max(LEAST_RADIUS * 2, min(largest, box * OF_HEIGHT)) if box is not None else largest
    area = frame.ground
    ground, canvas, palette = ground_of(style, area, places, box, largest), Canvas(style), style.palette
    largest = min(largest, _radius_without_crowds(ground, places, most, largest))
    draw_ground(canvas, area, ground, lambda one: palette.grid, lambda one: one.name)
    least, tone = min(LEAST_RADIUS, largest), style.category(0)
    circles = list[PlacedCircle]()
    for place in places:
        x, y = ground.at(*place.at)
        radius = max(least, largest * math.sqrt(place.value / most))
        circles.append(PlacedCircle(x, y, radius, place.name, tone))
        tip = f"{place.name}: {options.exact(place.value)}"
        canvas.circle(x, y, radius, tone, tip=tip, stroke=palette.paper, opacity=0.75)
    names = write_point_names(canvas, circles, (0.0, 0.0, ground.width, ground.height), 600)
    lost = [one.name for one in circles[:MOST_NAMED] if one.name not in names]
    logged = (f"These names do not fit on the map: {quote_names(lost)}.",) if lost else ()
    part = clip(canvas.svg(), 0, 0, ground.width, ground.height)
    return Chart(ground.height, svg=part, key=size_rings(style, largest, most, options), logged=logged)


def _radius_without_crowds(ground: Ground, places: Sequence[MapPlace], most: float, usual: float) -> float:
    """Return the largest radius with which circles cover little of the map and of its crowded parts."""
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
    """Return the places of a map as bars, highest value first, because a terminal cannot show outlines."""
    places = sorted(map_places(frame), key=lambda place: -place.value)
    names = Column("place", ColumnType.TEXT, tuple(place.name for place in places))
    values = frame.columns[1].with_numbers(place.value for place in places)
    return write_bars(screen, frame.of_columns(names, values), options, stacked=False)


def describe_ends(frame: Frame, unit: str) -> list[str]:
    """Return the range of the values, and the places with the lowest and the highest value."""
    places = sorted(map_places(frame), key=lambda place: place.value)
    least, most = places[0], places[-1]
    return [
        say("values %s") % range_words([place.value for place in places], unit),
        say("least %s") % f"{alone(least.value, unit)} ({least.name[:LONGEST]})",
        say("greatest %s") % f"{alone(most.value, unit)} ({most.name[:LONGEST]})",
    ]


def _question(frame: Frame, *, circles: bool, find: FindArea = by_places) -> str:
    if map_roles(frame, circles=circles, find=find):
        return ""
    found = find_roles(frame.columns, COUNTRIES, "code", "value")
    points = " or name,lat,lon,value" if circles else ""
    places = "countries, or regions of a country, by code or name"
    texts = found["code"].texts if found else ()
    unknown, count = _unknown(find(texts), texts)
    if not count:
        return f"{places} and values, such as iso,value{points}"
    have = "it is unknown" if count == 1 else f"{len(unknown):,} of {count:,} places are unknown"
    named = f"{places}, and {have}: {quote_names(unknown)}"
    ways = "config/map/area and config/map/geojson choose the map, and symbolmap draws name,lat,lon,value"
    return f"{named}. {ways}."


def _settle(kind: PlotType, config: Mapping[str, str], circles: bool) -> PlotType:
    """Return the type for the area in the settings."""
    own, asked = config.get("map/geojson", ""), config.get("map/area", "")
    try:
        chosen, _ = read_area(asked), read_geojson(own)
    except BadSetting as wrong:
        reason = f"settings below config/map that can be read: {wrong.reason}."
        return replace(kind, steps=(), asks=lambda frame: reason)
    if own.strip():
        find: FindArea = partial(own_area, own, config.get("map/name", "").strip())
    elif chosen:
        find = partial(area_of, chosen)
    else:
        return kind
    asks = partial(_question, circles=circles, find=find)
    return replace(kind, steps=(partial(map_frame, circles=circles, find=find),), asks=asks)


def _map(word: str, noun: str, title: str, order: float, draw: Makes) -> PlotType:
    """Return one type of maps."""
    circles = word == "symbolmap"
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example="iso,share\nDK,57\nDE,29\nNLD,27\nLU,6\n",
        draw=draw,
        terminal=write_places,
        describes=describe_ends,
        counts=lambda frame: 1,
        reads=frozenset(("legend", "map") if circles else ("legend", "map", "colors/scale")),
        settle=partial(_settle, circles=circles),
        steps=(partial(map_frame, circles=circles),),
        asks=partial(_question, circles=circles),
        units="one",
    )


TYPES = (
    _map("choropleth", "map", "Map", 11.1, draw_choropleth),
    _map("symbolmap", "map with circles", "Bubble map", 11.2, draw_symbol_map),
)
