"""Makes `handlers/render/plots/world/countries.json` of Natural Earth's outlines and ISO 3166 codes.

`python -m tests.look.world_outlines countries-110m.json codes.json`: the first is the TopoJSON of Natural
Earth at 1:110m (public domain) that the npm package `world-atlas` carries, the second a list of objects with
`alpha2`, `alpha3`, `numeric`, `name` and `place` (longitude and latitude of the middle).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

OUT = Path("handlers/render/plots/world/countries.json")
HUNDREDTHS = 100
WORLD, SOUTH = 36_000, -9_000
Point = tuple[int, int]
PARTS = {"N. Cyprus": "CY", "Somaliland": "SO", "Kosovo": "XK"}
"""Shapes without a code, and the code that ISO 3166 or its users have for their territory."""


def main() -> None:
    """Write the file."""
    topology, codes = (json.loads(Path(path).read_text()) for path in sys.argv[1:3])
    arcs = [_decoded(arc, topology["transform"]) for arc in topology["arcs"]]
    rings: dict[str, list[list[int]]] = {}
    by_number = {entry["numeric"]: entry["alpha2"] for entry in codes}
    for shape in topology["objects"]["countries"]["geometries"]:
        code = by_number.get(shape.get("id", "")) or PARTS.get(shape["properties"]["name"], "")
        polygons = [shape["arcs"]] if shape["type"] == "Polygon" else shape["arcs"]
        if code:
            for ring in (ring for polygon in polygons for ring in polygon):
                rings.setdefault(code, []).extend(map(_flat, _parts(_ring(ring, arcs))))
    made = [
        [entry["alpha2"], entry["alpha3"], entry["numeric"], entry["name"], entry["place"],
         rings.get(entry["alpha2"], [])]
        for entry in sorted(codes, key=lambda entry: entry["alpha2"])
    ]  # fmt: skip
    OUT.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n")


def _decoded(arc: list[list[int]], transform: dict[str, Any]) -> list[Point]:
    """An arc in hundredths of a degree, of steps from point to point."""
    (scale_x, scale_y), (start_x, start_y) = transform["scale"], transform["translate"]
    x = y = 0
    points = []
    for dx, dy in arc:
        x, y = x + dx, y + dy
        points.append(
            (round((x * scale_x + start_x) * HUNDREDTHS), round((y * scale_y + start_y) * HUNDREDTHS))
        )
    return points


def _ring(indices: list[int], arcs: list[list[Point]]) -> list[Point]:
    """A ring of arcs, those of negative numbers backward; it continues across the meridian of 180°."""
    points: list[Point] = []
    for index in indices:
        arc = arcs[index] if index >= 0 else arcs[~index][::-1]
        points += arc[1:] if points else arc
    going, turn = points[:1], 0
    for (before, _), (x, y) in pairwise(points):
        turn += WORLD if x - before < -WORLD // 2 else -WORLD if x - before > WORLD // 2 else 0
        going.append((x + turn, y))
    if turn:  # around the pole
        going += [(going[-1][0], SOUTH), (going[0][0], SOUTH)]
    return going


def _parts(ring: list[Point]) -> Iterator[list[Point]]:
    """Return the part of a ring on each turn of the world, moved to where it is drawn."""
    for turn in (-1, 0, 1):
        low, high = turn * WORLD - WORLD // 2, turn * WORLD + WORLD // 2
        part = _beyond(_beyond(ring, low, 1), high, -1)
        if len(part) > 2:
            yield [(x - turn * WORLD, y) for x, y in part]


def _beyond(ring: list[Point], edge: int, side: int) -> list[Point]:
    """Return the part of a ring on one side of a meridian (Sutherland and Hodgman, 1974)."""
    kept: list[Point] = []
    for (x0, y0), (x1, y1) in pairwise([*ring[-1:], *ring]):
        before, after = (x0 - edge) * side >= 0, (x1 - edge) * side >= 0
        if before != after:
            kept.append((edge, round(y0 + (y1 - y0) * (edge - x0) / (x1 - x0))))
        if after:
            kept.append((x1, y1))
    return kept


def _flat(ring: list[Point]) -> list[int]:
    """Longitudes and latitudes in turn."""
    return [part for point in ring for part in point]


if __name__ == "__main__":
    main()
