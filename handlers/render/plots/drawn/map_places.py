"""Places on maps with their values: countries by codes or names, or points by latitude and longitude."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.drawn.column_roles import ANY, NUMBERS, ColumnRole, find_roles, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut, quote_names
from handlers.render.plots.world.countries import Country, find_country

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
POINTS = (
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
        found = find_roles(frame, POINTS)
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
