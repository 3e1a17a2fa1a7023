"""Intervals, tasks, tiles, strips, funnels, pyramids and maps are read back from their pictures."""

from __future__ import annotations

import math
import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.palette import MODES, Palette, on_ramp
from handlers.render.plots.types.treemap import Area, squarify
from handlers.render.plots.world.areas import countries, find_country
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader, Shape

NEAR = 0.6
modes = pytest.mark.parametrize("mode", sorted(MODES))


def read(type_: str, data: str, mode: str, **config: str) -> tuple[PictureReader, Palette]:
    drawn = draw(Plot(data, {"type": type_, **config}), Look(mode=mode))
    assert not [note for note in drawn.notes if "needs" in note]
    return PictureReader(drawn.svg), MODES[mode]


def tips(picture: PictureReader) -> list[str]:
    """Return the tips for a pointer, without the name of the picture."""
    return [one.text or "" for one in picture.root.iter() if one.tag.endswith("title")][1:]


def width_of(shape: Shape) -> float:
    return shape.box[2] - shape.box[0]


@modes
@pytest.mark.parametrize(
    "data",
    [
        "field,yield,low,high\nRye,5,4,7\nOats,3,2,6\n",
        "field,yield,HIGH,Low\nRye,5,7,4\nOats,3,6,2\n",
        "field,rye,rye low,rye high\nRye,5,4,7\nOats,3,2,6\n",
    ],
)
def test_error_bars_reach_from_the_low_to_the_high_end(data: str, mode: str) -> None:
    picture, palette = read("errorbar", data, mode)
    axis = picture.axis(upward=False)
    lines = [rule for rule in picture.of("rule", palette.category(0)) if rule.box[1] == rule.box[3]]
    ends = [(rule.box[0], rule.box[2]) for rule in lines]
    for (left, right), (low, high) in zip(ends, ((4, 7), (2, 6)), strict=True):
        assert (left, right) == (
            pytest.approx(axis.at(low), abs=NEAR),
            pytest.approx(axis.at(high), abs=NEAR),
        )
    spots = [spot.middle[0] for spot in picture.of("symbol", palette.category(0))]
    assert spots == [pytest.approx(axis.at(5), abs=NEAR), pytest.approx(axis.at(3), abs=NEAR)]
    assert tips(picture)[0].startswith("Rye: 5 (4 to 7)")


@modes
def test_a_band_is_around_its_line(mode: str) -> None:
    picture, palette = read("band", "year,level,±\n2000,10,2\n2010,20,5\n2020,30,\n", mode)
    axis = picture.axis(upward=True)
    (band,) = picture.of("area", palette.category(0))
    assert [y for _, y in band.points[:4]] == [pytest.approx(axis.at(v), abs=NEAR) for v in (12, 25, 15, 8)]
    (line,) = picture.of("line", palette.category(0))
    assert [y for _, y in line.points] == [pytest.approx(axis.at(v), abs=NEAR) for v in (10, 20, 30)]


@modes
def test_tasks_are_along_their_days_and_the_last_is_whole(mode: str) -> None:
    data = "Task,FROM,Until,team\nA,2026-01-01,2026-01-10,x\nB,2026-01-11,2026-01-30,y\nC,2026-01-31,,x\n"
    picture, palette = read("gantt", data, mode)
    first, second = picture.of("rect", palette.category(0)), picture.of("rect", palette.category(1))
    assert width_of(second[0]) == pytest.approx(2 * width_of(first[0]), abs=NEAR)
    assert second[0].box[0] == pytest.approx(first[0].box[2], abs=NEAR)
    (stone,) = picture.of("symbol", palette.category(0))
    assert stone.middle[0] == pytest.approx(second[0].box[2], abs=NEAR)
    assert {"A", "B", "C", "x", "y"} <= set(picture.words)
    assert tips(picture)[0] == "A (x): 2026-01-01 to 2026-01-10"


def test_tasks_that_end_before_they_start_are_noted() -> None:
    data = "task,start,end\nA,2026-02-01,2026-01-01\nB,2026-01-01,2026-01-02\nC,,2026-01-02\n"
    drawn = draw(Plot(data, {"type": "gantt"}), Look())
    assert '1 row is left out: the end is before the start: "A".' in drawn.notes
    assert "1 row is left out: no start." in drawn.notes


@modes
def test_tiles_are_as_large_as_their_parts(mode: str) -> None:
    data = "kind,use,ha\nBuilt,Homes,40\nBuilt,Trade,10\nGreen,Woods,30\nGreen,Parks,20\n"
    picture, palette = read("treemap", data, mode)
    tiles = dict(zip(tips(picture), picture.of("rect"), strict=False))
    areas = {word.partition(" (")[0]: math.prod((width_of(one), one.box[3] - one.box[1]))
             for word, one in tiles.items()}  # fmt: skip
    assert areas["Homes"] == pytest.approx(4 * areas["Trade"], rel=0.06)
    assert areas["Woods"] == pytest.approx(1.5 * areas["Parks"], rel=0.06)
    assert tiles["Homes (Built): 40, 40.0%"].fill == palette.category(0)
    assert {"Homes", "Trade", "Woods", "Parks", "Built 50", "Green 50"} <= set(picture.words)


def test_squares_fill_their_area_and_keep_their_sizes() -> None:
    amounts = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0]
    found = squarify(amounts, Area(0, 0, 600, 400))
    assert [one.width * one.height / 10_000 for one in found] == pytest.approx(amounts)
    assert max(one.left + one.width for one in found) == pytest.approx(600)
    assert max(max(one.width / one.height, one.height / one.width) for one in found) < 3


@modes
def test_strips_have_a_dot_for_every_value(mode: str) -> None:
    picture, palette = read(
        "strip", "day,min\n" + "".join(f"Mon,{10 + at // 2}\nTue,{at}\n" for at in range(20)), mode
    )
    axis = picture.axis(upward=False)
    spots = picture.of("symbol", palette.category(0))
    assert len(spots) == 40
    assert min(spot.middle[0] for spot in spots) == pytest.approx(axis.at(0), abs=NEAR)
    medians = [rule.box[0] for rule in picture.of("rule", palette.ink)]
    assert medians == [pytest.approx(axis.at(14.5), abs=NEAR), pytest.approx(axis.at(9.5), abs=NEAR)]


@modes
def test_funnels_narrow_with_their_values(mode: str) -> None:
    picture, _ = read("funnel", "step,people\nSeen,200\nRead,100\nPaid,25\n", mode)
    bars = [bar for bar in picture.of("rect") if bar.box[3] - bar.box[1] > 15]
    assert [round(width_of(bar) / width_of(bars[0]), 2) for bar in bars] == [1, 0.5, 0.12]
    assert len({round(bar.middle[0]) for bar in bars}) == 1
    assert {"200", "100", "25", "50%", "12%, 25% of the step before"} <= set(picture.words)


@modes
def test_pyramids_are_back_to_back_on_one_scale(mode: str) -> None:
    picture, palette = read("pyramid", "age,women,men\nyoung,10,20\nold,30,15\n", mode)
    left, right = picture.of("rect", palette.category(0)), picture.of("rect", palette.category(1))
    each = width_of(left[0]) / 10
    assert [width_of(one) / each for one in (*left, *right)] == pytest.approx([10, 30, 20, 15], abs=0.1)
    assert left[0].box[2] == left[1].box[2] < right[0].box[0] == right[1].box[0]
    assert left[0].middle[1] > left[1].middle[1]
    assert {"women", "men", "young", "old"} <= set(picture.words)


@modes
def test_countries_have_the_colours_of_their_values(mode: str) -> None:
    picture, palette = read("choropleth", "ISO,share\nde,0\nFRA,5\nItaly,10\nSG,10\n", mode)
    shown = dict(zip(tips(picture), picture.of("shape"), strict=False))
    for word, value in (("Germany: 0", 0.0), ("France: 5", 0.5), ("Italy: 10", 1.0)):
        assert shown[word].fill == on_ramp(palette.ramp, value)
    assert shown["Spain: no value"].fill == palette.grid
    (dot,) = picture.of("symbol")
    assert dot.fill == on_ramp(palette.ramp, 1.0)


@modes
def test_circles_on_maps_have_areas_of_their_values(mode: str) -> None:
    data = "port,Lat,LONG,goods\nRotterdam,51.9,4.1,400\nHamburg,53.5,10,100\nPiraeus,37.9,23.6,-5\n"
    picture, palette = read("symbolmap", data, mode)
    spots = picture.of("symbol", palette.category(0))
    assert [round(spot.radius / spots[0].radius, 2) for spot in spots] == [1, 0.5]
    assert spots[0].middle[0] < spots[1].middle[0] and spots[0].middle[1] > spots[1].middle[1]
    assert {"Rotterdam", "Hamburg"} <= set(picture.words)


def test_places_that_are_not_countries_are_noted() -> None:
    drawn = draw(Plot("iso,v\nDE,1\nXQ,2\nDEU,3\n", {"type": "choropleth"}), Look())
    assert '1 place is not on the map: "XQ".' in drawn.notes
    assert 'Of several values of a place the last is drawn: "Germany".' in drawn.notes
    refused = draw(Plot("town,v\nParis,1\n", {"type": "choropleth"}), Look())
    assert refused.notes[-1] == (
        'A choropleth needs countries, or regions of a country, by code or name, and it is unknown: "Paris". '
        "config/map/area and config/map/geojson choose the map, and symbolmap draws name,lat,lon,value."
    )
    bare = draw(Plot("v\n1\n", {"type": "choropleth"}), Look())
    assert bare.notes[-1] == (
        "A choropleth needs countries, or regions of a country, by code or name and values, "
        'such as iso,value: found "v" (numbers).'
    )


@pytest.mark.parametrize("type_", ["choropleth", "symbolmap"])
@pytest.mark.parametrize(
    ("places", "unknown"),
    [("Jordan Chad Paris Lyon Oporto Galway", 4), ("AL CA GA XQ ZQ", 2)],
)
def test_no_map_is_drawn_of_places_that_are_mostly_on_no_map(type_: str, places: str, unknown: int) -> None:
    names = places.split()
    drawn = draw(Plot("state,v\n" + "".join(f"{one},1\n" for one in names), {"type": type_}), Look())
    assert f"{unknown} of {len(names)} places are unknown" in drawn.notes[-1]
    assert f'"{names[-1]}"' in drawn.notes[-1]
    assert not PictureReader(drawn.svg).of("shape")


def test_every_code_of_iso_3166_names_a_country() -> None:
    assert len(countries()) == 250
    assert sum(bool(one.rings) for one in countries()) == 175
    assert len({one.code for one in countries()} | {one.alpha3 for one in countries()}) == 500
    for word, name in (
        ("no", "Norway"),
        ("NOR", "Norway"),
        ("578", "Norway"),
        ("côte d'ivoire", "Côte d’Ivoire"),
    ):
        found = find_country(word)
        assert found is not None and found.name == name
    assert all(abs(x) <= 180 and abs(y) <= 90 for one in countries() for ring in one.rings for x, y in ring)


OFFICES = {
    "US": "United States of America;USA;U.S.A.;US", "RU": "Russian Federation", "TR": "Turkey;Türkiye",
    "GB": "UK;Great Britain;United Kingdom of Great Britain and Northern Ireland", "CZ": "Czech Republic",
    "SK": "Slovak Republic", "KR": "Korea, Rep.;Republic of Korea;Korea, Republic of;South Korea;S. Korea",
    "KP": "Korea, Dem. People's Rep.;Dem. People's Republic of Korea;North Korea",
    "IR": "Iran, Islamic Rep.;Iran (Islamic Republic of)", "EG": "Egypt, Arab Rep.", "MM": "Burma",
    "SY": "Syrian Arab Republic", "SZ": "Swaziland", "MK": "Macedonia;Macedonia, FYR;North Macedonia",
    "CV": "Cape Verde", "CI": "Ivory Coast;Cote d'Ivoire", "GM": "Gambia;Gambia, The",
    "BS": "Bahamas;Bahamas, The", "NL": "Holland;Netherlands, The", "LC": "St. Lucia", "TL": "Timor-Leste",
    "LA": "Lao PDR;Lao People's Democratic Republic", "YE": "Yemen, Rep.", "KG": "Kyrgyz Republic",
    "VE": "Venezuela, RB;Venezuela (Bolivarian Republic of)", "CG": "Congo;Congo, Rep.;Republic of Congo",
    "CD": "Congo, Dem. Rep.;Democratic Republic of the Congo;Congo, Democratic Republic of the",
    "HK": "Hong Kong SAR;Hong Kong SAR, China;China, Hong Kong SAR", "PS": "West Bank and Gaza",
    "VA": "Vatican;Holy See", "GR": "EL", "XK": "UNK;XKX", "VN": "Viet Nam",
    "BO": "Bolivia, Plurinational State of", "FM": "Micronesia, Fed. Sts.",
    "TZ": "Tanzania, United Republic of", "MD": "Moldova, Rep.",
    "TW": "Taiwan Province of China", "VC": "St. Vincent & the Grenadines", "GQ": "Eq. Guinea",
}  # fmt: skip
NOWHERE = (
    "Alabama", "New Mexico", "West Virginia", "Northern Ireland", "Jersey City", "Central Macedonia",
    "Total", "World", "Luxembourg, Belgium", "Republic of China", "Republic", "The", "",
)  # fmt: skip


def test_countries_are_known_by_the_names_of_large_offices() -> None:
    wanted = [(code, name) for code, names in OFFICES.items() for name in names.split(";")]
    found = [(one.code if (one := find_country(name)) else "", name) for _, name in wanted]
    assert found == wanted
    assert [name for name in NOWHERE if find_country(name)] == []


@pytest.mark.parametrize(
    "form", ["Republic of {}", "{}, Rep.", "{} (Kingdom of the)", "The {}", "{}, State of"]
)
def test_a_form_of_state_does_not_hide_a_country(form: str) -> None:
    lost = [one.name for one in countries() if find_country(form.format(one.name)) is not one]
    of_forms = {one for one in lost if {"Republic", "States", "Kingdom", "Arab"} & {*one.split()}}
    assert {*lost} - of_forms <= {"China", "Congo", "South Korea", "North Korea", "Taiwan"}


def test_a_circle_upon_another_has_its_name_above_or_below() -> None:
    data = "name,lat,lon,value\nRotterdam,51.9,4.5,440\nAntwerp,51.2,4.4,280\nNaples,40.8,14.3,20\n"
    drawn = draw(Plot(data, {"type": "symbolmap"}), Look())
    assert {"Rotterdam", "Antwerp"} <= set(PictureReader(drawn.svg).words) and not drawn.notes


FLOWS = st.lists(
    st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("CDEFGH"), st.integers(1, 90)),
    min_size=1,
    max_size=25,
)


@settings(max_examples=20, deadline=None)
@given(FLOWS)
def test_flows_are_as_thick_as_their_amounts(rows: list[tuple[str, str, int]]) -> None:
    rows = [(a, b, value) for a, b, value in rows if a < b] or [("A", "B", 7)]
    plot = Plot("source,target,value\n" + "".join(f"{a},{b},{v}\n" for a, b, v in rows), {"type": "sankey"})
    root = ElementTree.fromstring(draw(plot, Look(width=600)).svg)
    sums, thick = Counter[str](), dict[str, float]()
    into, out = Counter[str](), Counter[str]()
    for a, b, value in rows:
        sums[f"{a} → {b}"] += value
        out[a] += value
        into[b] += value
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        if (title := path.find("{http://www.w3.org/2000/svg}title")) is not None:
            name, drawn = (title.text or "").partition(":")[0], path.get("d", "")
            numbers = [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", drawn)]
            if "→" in name:
                thick[name] = numbers[8] - numbers[7]
    assert thick.keys() == sums.keys()
    each = sum(thick.values()) / sum(sums.values())
    for name, value in sums.items():
        assert thick[name] == pytest.approx(value * each, abs=0.1)
    lines = terminal_chart(plot, rows=99, colored=False).splitlines()
    assert [int(line.rsplit(" ", 1)[1]) for line in lines] == sorted(sums.values(), reverse=True)
    words = PictureReader(root).words
    assert {f"{name} {max(into[name], out[name])}" for name in into | out} <= set(words)


def test_flows_that_lead_back_or_have_no_amount_are_noted() -> None:
    plot = Plot("source,target,value\nA,B,5\nB,A,3\nA,A,1\nB,C,-2\nC,,4\n", {"type": "sankey"})
    assert draw(plot, Look()).notes == (
        "2 rows are left out: no two names or no amount above 0.",
        'What leads back to its source is left out: "B → A" and "A → A".',
    )
    lost = Plot("source,target,value\nA,B,0\n", {"type": "sankey"})
    assert draw(lost, Look()).notes[-1] == "No values yet."


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.none() | st.integers(-50, 200), st.integers(1, 200)), min_size=1, max_size=9),
    st.sampled_from(sorted(MODES)),
)
def test_bullets_end_at_their_values_and_targets(rows: list[tuple[int | None, int]], mode: str) -> None:
    rows = [*rows, (120, 100)]
    data = "".join(f"t{at},{'' if a is None else a},{b},{b * 2}\n" for at, (a, b) in enumerate(rows))
    plot = Plot(f"name,value,target,good\n{data}", {"type": "bullet", "legend/type": "none"})
    picture, palette = PictureReader(draw(plot, Look(mode=mode)).svg), MODES[mode]
    axis = picture.axis(upward=False)
    bars = picture.of("rect", palette.category(0))
    known = [a for a, _ in rows if a is not None]
    ends = [one.box[2] if a >= 0 else one.box[0] for one, a in zip(bars, known, strict=True)]
    assert ends == pytest.approx([axis.at(a) for a in known], abs=NEAR)
    targets = picture.of("rect", palette.ink)
    assert [one.middle[0] for one in targets] == pytest.approx([axis.at(b) for _, b in rows], abs=NEAR)
    lines = terminal_chart(plot, rows=99, colored=False).splitlines()
    shares = [f"{a / b:.0%}" for a, b in rows if a is not None]
    assert [word for line in lines for word in line.split() if word.endswith("%")] == shares
    assert all("┃" in line for line in lines)
