"""GeoJSON (RFC 7946): the places of a user's map, parsed with limits on their number and size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from handlers.render.plots.look.data_settings import BadSetting
from handlers.render.plots.world.areas import MapArea, index_names
from handlers.render.plots.world.outlines import HALF, Outline, Ring, Spot, unbroken

MOST_POINTS, MOST_FEATURES, MOST_NAMES = 50_000, 5_000, 40
LARGEST_BYTES = 2 * 1024 * 1024
DRAWN = "a map draws Point, Polygon and MultiPolygon"
TOPOLOGY = 'this is TopoJSON: convert it to GeoJSON, such as with "topo2geo"'
Feature = tuple[Outline, Mapping[str, str]]


@lru_cache(maxsize=4)
def read_geojson(text: str) -> tuple[Feature, ...]:
    """Return the places of a FeatureCollection with the texts of their properties. Raises BadSetting."""
    if not text.strip():
        return ()
    if len(text) > LARGEST_BYTES:
        raise BadSetting(1, 1, f"a map has at most {LARGEST_BYTES:,} characters: simplify its outlines")
    try:
        sent = orjson.loads(text)
    except orjson.JSONDecodeError as wrong:
        raise BadSetting(wrong.lineno, wrong.colno, f"this is not JSON: {wrong.msg}") from None
    kind = sent.get("type") if isinstance(sent, dict) else None
    features = [sent] if kind == "Feature" else sent.get("features") if kind == "FeatureCollection" else None
    if not isinstance(features, list):
        reason = "this is not GeoJSON: write an object with the type FeatureCollection and a list of features"
        raise _wrong("", TOPOLOGY if kind == "Topology" else reason)
    if len(features) > MOST_FEATURES:
        raise _wrong(
            "features", f"a map has at most {MOST_FEATURES:,} places, and these are {len(features):,}"
        )
    reader = _Reader()
    found = [
        one for at, feature in enumerate(features) if (one := reader.feature(f"features[{at}]", feature))
    ]
    if not found:
        raise _wrong("features", f"no feature has a place: {DRAWN}")
    whole = unbroken([outline for outline, _ in found])
    return tuple((one, words) for one, (_, words) in zip(whole, found, strict=True))


def own_area(text: str, chosen: str, texts: Iterable[str]) -> MapArea:
    """Return the area of a GeoJSON text; its places are named by a property, by default the best match."""
    features = read_geojson(text)
    sent = list(dict.fromkeys(one for one in texts if one.strip()))
    known = dict.fromkeys(key for _, words in features for key in words)
    keys = [chosen] if chosen else list(known)[:MOST_NAMES] or ["id"]
    areas = [_name_by(features, key) for key in keys]
    return max(areas, key=lambda area: area.count(sent))


def _name_by(features: Sequence[Feature], key: str) -> MapArea:
    outlines, names = [], dict[str, Outline]()
    for at, (outline, words) in enumerate(features):
        value = words.get(key, "")
        one = replace(outline, code=str(at), name=words.get("name") or value or str(at + 1))
        outlines.append(one)
        index_names(names, one, (value,))
    return MapArea(tuple(outlines), names, own=True)


class _Reader:
    """Parser of features, which counts their points."""

    def __init__(self) -> None:
        self.points = 0

    def feature(self, where: str, sent: Any) -> Feature | None:
        """Return the place of a feature; None without geometry."""
        if not isinstance(sent, dict) or sent.get("type") != "Feature":
            raise _wrong(where, "this is not a Feature: write an object with the type Feature")
        properties, geometry = sent.get("properties") or {}, sent.get("geometry")
        if not isinstance(properties, dict):
            raise _wrong(f"{where}.properties", "this has to be an object, or null")
        if geometry is None:
            return None
        named = {**properties, **({"id": sent["id"]} if "id" in sent else {})}
        words = {key: str(one)[:80] for key, one in named.items() if isinstance(one, (str, int, float))}
        rings, spot = self._geometry(f"{where}.geometry", geometry)
        return Outline("", "", spot, rings), words

    def _geometry(self, where: str, sent: Any) -> tuple[tuple[Ring, ...], Spot]:
        kind = sent.get("type") if isinstance(sent, dict) else None
        if kind not in ("Point", "Polygon", "MultiPolygon"):
            raise _wrong(where, f"its type is {str(kind)[:40]}: {DRAWN}")
        inside, where = sent.get("coordinates"), f"{where}.coordinates"
        if kind == "Point":
            return (), self._spot(where, inside)
        polygons = [inside] if kind == "Polygon" else _list(where, inside)
        rings = tuple(self._ring(where, ring) for one in polygons for ring in _list(where, one))
        if not rings:
            raise _wrong(where, "it has no ring: write at least one list of positions")
        return rings, rings[0][0]

    def _ring(self, where: str, sent: Any) -> Ring:
        """Return a ring, with longitudes beyond 180 degrees where it crosses that meridian."""
        spots, turn = list[Spot](), 0.0
        for x, y in (self._spot(where, one) for one in _list(where, sent)):
            if spots:
                step = x + turn - spots[-1][0]
                turn += -2 * HALF if step > HALF else 2 * HALF if step < -HALF else 0.0
            spots.append((x + turn, y))
        if len(set(spots)) < 3:
            raise _wrong(
                where, "a ring has at least three different positions, and the first again at its end"
            )
        return tuple(spots)

    def _spot(self, where: str, sent: Any) -> Spot:
        self.points += 1
        if self.points > MOST_POINTS:
            raise _wrong(where, f"a map has at most {MOST_POINTS:,} positions: simplify its outlines")
        numbers = sent[:2] if isinstance(sent, list) else []
        if len(numbers) < 2 or any(type(one) not in (int, float) for one in numbers):
            raise _wrong(where, "a position is a list of longitude and latitude, such as [13.4, 52.5]")
        x, y = float(numbers[0]), float(numbers[1])
        if abs(x) > 2 * HALF or abs(y) > HALF / 2:
            reason = f"[{x:g}, {y:g}] is not a longitude and latitude in degrees (WGS 84)"
            raise _wrong(where, f"{reason}: convert other coordinates to EPSG:4326")
        return x, y


def _list(where: str, sent: Any) -> list[Any]:
    if not isinstance(sent, list):
        raise _wrong(where, "this has to be a list")
    return sent


def _wrong(where: str, reason: str) -> BadSetting:
    return BadSetting(1, 1, f"{where}: {reason}" if where else reason)
