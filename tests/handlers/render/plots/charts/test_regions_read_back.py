"""Maps of regions and of custom GeoJSON are read back: names, places and colours of their values."""

from __future__ import annotations

import json
from typing import Any

import pycountry
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.data_settings import BadSetting
from handlers.render.plots.look.palette import LIGHT, on_ramp
from handlers.render.plots.world.areas import area_of, read_area
from handlers.render.plots.world.geojson import MOST_POINTS, read_geojson
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.kit.counting.amount import points

few = settings(max_examples=points(12), deadline=None)
REGIONS = {
    country: sorted(
        (one.code, one.name)
        for one in pycountry.subdivisions.get(country_code=country)
        if one.parent_code is None and one.name.isascii()
    )
    for country in ("US", "DE", "BR", "CA", "AT", "ZA")
}
"""Codes and names of ISO 3166-2, of a package that the product does not use."""
OUTLYING = {"US-AS", "US-GU", "US-MP", "US-PR", "US-UM", "US-VI"}


def colored(data: str, type_: str = "choropleth", **config: str) -> dict[str, str]:
    """Return the colours of a map by the name and the value in their tips."""
    drawn = draw(Plot(data, {"type": type_, **{k.replace("_", "/"): v for k, v in config.items()}}), Look())
    picture = PictureReader(drawn.svg)
    titles = [
        one[-1].text or "" for one in map(list, picture.root.iter()) if one and one[-1].tag.endswith("title")
    ]
    return dict(
        zip(titles[-len(picture.of("shape")) :], (one.fill for one in picture.of("shape")), strict=False)
    )


@few
@given(st.sampled_from(sorted(REGIONS)).flatmap(lambda one: st.lists(
    st.sampled_from([region for region in REGIONS[one] if region[0] not in OUTLYING]),
    min_size=5, max_size=12, unique=True)), st.booleans())  # fmt: skip
def test_regions_are_known_by_codes_and_names_of_iso_3166(rows: list[tuple[str, str]], by_code: bool) -> None:
    texts = [code if by_code else name for code, name in rows]
    area = area_of((), texts)
    assert [one.code if (one := area.find(text)) else "" for text in texts] == [code for code, _ in rows]


@pytest.mark.parametrize(
    ("places", "codes"),
    [
        ("Alabama Georgia Texas", "US-AL US-GA US-TX"),
        ("CA TX GA AL IN", "US-CA US-TX US-GA US-AL US-IN"),
        ("Bayern Sachsen Hessen", "DE-BY DE-SN DE-HE"),
        ("Bavaria Saxony Hesse", "DE-BY DE-SN DE-HE"),
        ("DE2 FRH ITC4 BE2", "DE-BY FR-BRE IT-25 BE-VLG"),
        ("FR-BRE DE-BY ES-CT", "FR-BRE DE-BY ES-CT"),
        ("Toscana Sicilia Lazio", "IT-52 IT-82 IT-62"),
        ("England Scotland Wales", "GB-ENG GB-SCT GB-WLS"),
        ("Georgia Armenia Azerbaijan", "GE AM AZ"),
        ("DE FR IT ES", "DE FR IT ES"),
    ],
)
def test_the_map_is_the_one_on_which_most_places_are(places: str, codes: str) -> None:
    area = area_of((), places.split())
    assert [one.code if (one := area.find(text)) else "" for text in places.split()] == codes.split()


def test_states_have_the_colours_of_their_values_in_every_form() -> None:
    data = "state,murder\nAlabama,0\nGeorgia,5\nTexas,10\nXanadu,3\n"
    fills = colored(data)
    for word, share in (("Alabama: 0", 0.0), ("Georgia: 5", 0.5), ("Texas: 10", 1.0)):
        assert fills[word] == on_ramp(LIGHT.ramp, share)
    assert fills["Ohio: no value"] == LIGHT.grid and "Germany: no value" not in fills
    drawn = draw(Plot(data, {"type": "choropleth"}), Look())
    assert drawn.notes == ('1 place is not on the map: "Xanadu".',)
    assert "greatest 10 (Texas)" in drawn.description
    assert "Texas" in terminal_chart(Plot(data, {"type": "choropleth"}), 60, 20, colored=False)


def test_a_setting_chooses_the_map() -> None:
    assert "Armenia: no value" in colored("place,v\nGeorgia,1\nTexas,2\n", map_area="world")
    fills = colored("place,v\nGeorgia,1\n", map_area="United States")
    assert "Texas: no value" in fills and "Georgia: 1" in fills
    for wrong in ("Atlantis", "US, Nowhere"):
        with pytest.raises(BadSetting, match="no country with regions"):
            read_area(wrong)


def square(west: float, south: float, size: float) -> list[list[list[float]]]:
    """A polygon with four corners."""
    east, north = west + size, south + size
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def feature(at: int, geometry: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A feature with a name."""
    return {"type": "Feature", "properties": {"name": f"Part {at}", **more}, "geometry": geometry}


def collection(*features: Any) -> str:
    """The text of a collection."""
    return json.dumps({"type": "FeatureCollection", "features": features})


@few
@given(
    st.integers(-170, 170),
    st.integers(-70, 60),
    st.floats(0.01, 5),
    st.lists(st.integers(1, 99), min_size=2, max_size=9),
    st.booleans(),
    st.sampled_from(["name", "kind", "id"]),
)
def test_outlines_of_ones_own_have_their_values(
    west: int, south: int, size: float, values: list[int], reverse: bool, key: str
) -> None:
    features = []
    for at, _ in enumerate(values):
        ring = square(west + at * size, south, size)
        ring = [ring[0][::-1]] if reverse else ring
        whole = {"type": "Polygon", "coordinates": ring}
        geometry = {"type": "MultiPolygon", "coordinates": [ring]} if at % 2 else whole
        features.append({**feature(at, geometry, kind=f"k{at}"), "id": 1000 + at})
    named = {"name": "Part {}", "kind": "k{}", "id": "100{}"}[key]
    data = "place,v\n" + "".join(f"{named.format(at)},{value}\n" for at, value in enumerate(values))
    fills = colored(data, map_geojson=collection(*features))
    assert {f"Part {at}: {value}" for at, value in enumerate(values)} == set(fills)
    low, high = min(values), max(values)
    for at, value in enumerate(values):
        share = 0.5 if low == high else (value - low) / (high - low)
        assert fills[f"Part {at}: {value}"] == on_ramp(LIGHT.ramp, share)


def test_a_map_over_the_meridian_of_180_degrees_is_not_torn() -> None:
    parts = [feature(0, {"type": "Polygon", "coordinates": square(177, -18, 2)}),
             feature(1, {"type": "Polygon", "coordinates": square(-180, -18, 2)})]  # fmt: skip
    drawn = draw(
        Plot("place,v\nPart 0,1\nPart 1,2\n", {"type": "choropleth", "map/geojson": collection(*parts)}),
        Look(),
    )
    first, second = PictureReader(drawn.svg).of("shape")
    assert first.middle[0] < second.middle[0]
    assert abs(first.box[2] - first.box[0]) > 100


def test_points_are_dots() -> None:
    parts = [feature(at, {"type": "Point", "coordinates": [at, 10 + at]}) for at in range(3)]
    config = {"type": "choropleth", "map/geojson": collection(*parts)}
    drawn = draw(Plot("place,v\nPart 0,1\nPart 2,2\nOslo,1\n", config), Look())
    assert len(PictureReader(drawn.svg).of("symbol")) == 2
    assert drawn.notes == ('1 place is not on the map: "Oslo".',)


BROKEN = {
    "not JSON": "{", "not GeoJSON": "[]", "no FeatureCollection": '{"type":"Polygon","coordinates":[]}',
    "TopoJSON": '{"type":"Topology"}', "not a Feature": collection(7),
    "its type is LineString": collection(feature(0, {"type": "LineString", "coordinates": [[1, 2], [3, 4]]})),
    "longitude and latitude in degrees": collection(feature(0, {"type": "Point", "coordinates": [5e5, 4e6]})),
    "a position is": collection(feature(0, {"type": "Point", "coordinates": ["1", 2]})),
    "has to be a list": collection(feature(0, {"type": "Polygon", "coordinates": 4})),
    "three different": collection(feature(0, {"type": "Polygon", "coordinates": [[[1, 2], [1, 2]]]})),
    "no feature has a place": collection({"type": "Feature", "properties": None, "geometry": None}),
    "this is not": "[" * 100_000,
    f"{MOST_POINTS:,} positions": collection(
        *(feature(at, {"type": "Point", "coordinates": [1, 2]}) for at in range(4000)),
        feature(0, {"type": "Polygon", "coordinates": [[[1, 2]] * MOST_POINTS]}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("said", BROKEN)
def test_broken_outlines_are_refused_with_the_reason(said: str) -> None:
    with pytest.raises(BadSetting) as refusal:
        read_geojson(BROKEN[said])
    words = {"no FeatureCollection": "type FeatureCollection"}.get(said, said)
    assert words in refusal.value.reason


MEMBERS = st.sampled_from(["type", "features", "geometry", "coordinates", "properties", "id"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
    | st.sampled_from(["Feature", "FeatureCollection", "Polygon", "Point"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(MEMBERS, inner),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=points(60), deadline=None)
@given(json_values, json_values)
def test_any_text_is_read_or_refused(sent: Any, geometry: Any) -> None:
    for text in (json.dumps(sent), collection(feature(0, geometry))):
        try:
            read_geojson(text)
        except BadSetting:
            continue
        assert read_geojson(text)
