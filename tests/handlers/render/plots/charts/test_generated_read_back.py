"""Generated tables are drawn by each type, and the marks show the values or a note names the difference."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, Picture, draw
from handlers.render.plots.look.palette import LIGHT, on_ramp
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader, share_of

NEAR = 1.2
POSITIVE = st.integers(1, 20_000)
SIGNED = st.integers(-60, 60)
SCALES = st.sampled_from(["", "y log", "x log", "x log\ny log"])
DAY = date(2024, 1, 1)


def sent(rows: Sequence[Sequence[object]], *names: str) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in (names, *rows))


def picture(type_: str, data: str, **config: str) -> tuple[PictureReader, Picture]:
    paths = {key.replace("__", "/"): text for key, text in config.items()}
    drawn = draw(Plot(data, {"type": type_, **paths}), Look(width=700))
    return PictureReader(drawn.svg), drawn


def near(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR


def number_in_notes(drawn: Picture, pattern: str) -> int:
    """Return the number in the notes that match a pattern; 0 without one."""
    found = [re.search(pattern, note) for note in drawn.notes]
    return sum(int(one[1].replace(",", "")) for one in found if one)


@pytest.mark.parametrize("type_", ["line", "step", "area"])
@given(st.dictionaries(POSITIVE, POSITIVE, min_size=3, max_size=12), SCALES)
def test_lines_go_through_their_numbers_on_every_scale(type_: str, pairs: dict[int, int], scale: str) -> None:
    read, drawn = picture(type_, sent([*pairs.items()], "x", "y"), axis__scale=scale)
    up, along = read.axis(upward=True), read.along()
    log_y = "y log" in scale and type_ != "area"
    assert any("begins at zero" in note for note in drawn.notes) == ("y log" in scale and type_ == "area")
    points = [point for line in read.of("line", LIGHT.category(0)) for point in line.points]
    for x, y in pairs.items():
        place = along.at(x, log="x log" in scale), up.at(y, log=log_y)
        assert any(near(place[0], px) and near(place[1], py) for px, py in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), POSITIVE, POSITIVE, POSITIVE), min_size=6, max_size=30),
    SCALES,
)
def test_points_of_groups_and_of_several_columns_are_at_their_places(
    rows: list[tuple[str, int, int, int]], scale: str
) -> None:
    read, drawn = picture("scatter", sent(rows, "group", "x", "y", "z"), axis__scale=scale)
    across, up = read.axis(upward=False), read.axis(upward=True)
    wanted = sorted(
        (round(across.at(x, log="x log" in scale)), round(up.at(y, log="y log" in scale)))
        for _, x, *ys in rows
        for y in ys
    )
    found = sorted((round(one.middle[0]), round(one.middle[1])) for one in read.of("symbol"))
    assert len(found) == len(wanted)
    assert all(near(a, b) and near(c, d) for (a, c), (b, d) in zip(found, wanted, strict=True)) or all(
        any(near(a, b) and near(c, d) for a, c in found) for b, d in wanted
    )
    groups = list(dict.fromkeys(group for group, *_ in rows))
    assert {f"{column}, {group}" for column in "yz" for group in groups} <= set(read.words)
    assert not any("needs" in note for note in drawn.notes)


@given(st.lists(st.tuples(POSITIVE, POSITIVE, SIGNED), min_size=3, max_size=20), SCALES)
def test_bubbles_and_noted_points_are_all_rows(rows: list[tuple[int, int, int]], scale: str) -> None:
    named = [(f"n{at}", *row) for at, row in enumerate(rows)]
    read, drawn = picture("bubble", sent(named, "n", "x", "y", "s"), axis__scale=scale)
    shown = [row for row in rows if row[2] >= 0]
    lost = number_in_notes(drawn, r"^([\d,]+) points? (?:is|are) left out: a negative value")
    assert lost == len(rows) - len(shown)
    if not shown:
        return
    assert len(read.of("symbol")) == len(shown)
    across, up = read.axis(upward=False), read.axis(upward=True)
    for x, y, _ in shown:
        place = across.at(x, log="x log" in scale), up.at(y, log="y log" in scale)
        middles = [one.middle for one in read.of("symbol")]
        assert any(near(px, place[0]) and near(py, place[1]) for px, py in middles)
    assert any(f"{lost} point" in word for word in read.words) == bool(lost)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=12, max_size=60), st.booleans())
def test_outliers_have_names_first(rows: list[tuple[int, int]], low: bool) -> None:
    far = (-400, -300) if low else (400, 300)
    named = [(f"n{at}", *row) for at, row in enumerate(rows)]
    named.insert(len(rows) // 2, ("OUTLIER", *far))
    read, _ = picture("scatter", sent(named, "n", "x", "y"))
    assert "OUTLIER" in read.words


@given(
    st.lists(st.tuples(st.integers(39, 83), POSITIVE, POSITIVE), min_size=2, max_size=30), SCALES,
    st.sampled_from([900, 400]),
)  # fmt: skip
def test_axes_of_bubbles_end_where_the_circles_do(
    rows: list[tuple[int, int, int]], scale: str, width: int
) -> None:
    data = sent([(f"n{at}", x, y, size) for at, (y, x, size) in enumerate(rows)], "n", "x", "y", "s")
    read = PictureReader(draw(Plot(data, {"type": "bubble", "axis/scale": scale}), Look(width=width)).svg)
    circles = read.of("symbol")
    radius = max(one.radius for one in circles)
    lines = [line.box for line in read.grid if line.box[0] == line.box[2]]
    ends = lines[0][1], lines[0][3]
    heights = [one.middle[1] for one in circles]
    if len(set(heights)) > 1:
        assert min(heights) - min(ends) <= radius + NEAR
        assert max(ends) - max(heights) <= radius + NEAR


@given(st.lists(st.lists(st.integers(0, 100), min_size=3, max_size=40), min_size=1, max_size=6))
def test_histograms_count_every_value_of_every_column(columns: list[list[int]]) -> None:
    height = max(map(len, columns))
    rows = [[(column[at] if at < len(column) else "") for column in columns] for at in range(height)]
    read, drawn = picture("hist", sent(rows, *(f"column {at}" for at in range(len(columns)))))
    panels = read.panels or [read]
    assert len(panels) == min(4, len(columns))
    for panel, column in zip(panels, columns, strict=False):
        axis = panel.axis(upward=True)
        one = axis.at(1) - axis.at(0)
        counts = [round((bar.box[1] - axis.at(0)) / one) for bar in panel.of("rect")]
        beyond = number_in_notes(drawn, r"^(\d+) of") if len(columns) == 1 else 0
        assert sum(counts) + beyond == len(column)
    for at in range(4, len(columns)):
        assert any(f'"column {at}"' in note for note in drawn.notes)
    assert any("more set" in word for word in read.words) == (len(columns) > 4)


@given(st.lists(st.lists(POSITIVE, min_size=3, max_size=12), min_size=2, max_size=6), st.booleans())
def test_boxes_have_the_median_of_every_column(columns: list[list[int]], log: bool) -> None:
    height = max(map(len, columns))
    rows = [[(column[at] if at < len(column) else "") for column in columns] for at in range(height)]
    names = [f"set {at}" for at in range(len(columns))]
    read, _ = picture("box", sent(rows, *names), axis__scale="y log" if log else "")
    axis = read.axis(upward=False)
    medians = [rule.box[0] for rule in read.of("rule", LIGHT.ink)]
    for column in columns:
        ordered, half = sorted(column), (len(column) - 1) / 2
        middle = (ordered[math.floor(half)] + ordered[math.ceil(half)]) / 2
        assert any(near(axis.at(middle, log=log), place) for place in medians)
    assert set(names) <= set(read.words)


@given(st.lists(st.tuples(SIGNED, SIGNED, SIGNED), min_size=2, max_size=8))
def test_bands_of_both_signs_keep_to_their_side(rows: list[tuple[int, int, int]]) -> None:
    dated = [(DAY + timedelta(days=30 * at), *row) for at, row in enumerate(rows)]
    read, _ = picture("sarea", sent(dated, "day", "a", "b", "c"))
    if not any(value for row in rows for value in row):
        return
    axis = read.axis(upward=True)
    bands = defaultdict(list)
    for number in range(3):
        for area in read.of("area", LIGHT.category(number)):
            half = len(area.points) // 2
            upper, lower = area.points[:half], area.points[half : 2 * half][::-1]
            for (x, y), (_, base) in zip(upper, lower, strict=True):
                assert not min(y, base) < axis.at(0) - NEAR < axis.at(0) + NEAR < max(y, base)
                bands[x, number].append((min(y, base), max(y, base)))
    left, right = min(x for x, _ in bands), max(x for x, _ in bands)
    one = axis.at(0) - axis.at(1)
    for at, row in enumerate(rows):
        x = left + (right - left) * at / (len(rows) - 1)
        for number, value in enumerate(row):
            sizes = [b - a for (px, n), ends in bands.items() if n == number and near(px, x) for a, b in ends]
            assert any(abs(size - abs(value) * one) <= NEAR for size in sizes) or not value
    for x in {x for x, _ in bands}:
        spans = sorted(span for (px, _), ends in bands.items() if px == x for span in ends)
        assert all(a[1] <= b[0] + NEAR for a, b in itertools.pairwise(spans))


@pytest.mark.parametrize("type_", ["line", "step", "area", "sarea"])
@given(st.dictionaries(st.integers(0, 900), st.integers(1, 99), min_size=3, max_size=10))
def test_time_is_sorted_and_spaced_by_time(type_: str, days: dict[int, int]) -> None:
    rows = [(DAY + timedelta(days=day), value) for day, value in days.items()]
    read, drawn = picture(type_, sent(rows, "day", "v"))
    marks = read.of("area" if type_ == "sarea" else "line", LIGHT.category(0))
    points = [point for mark in marks for point in mark.points]
    up = read.axis(upward=True)
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    first, last = min(days), max(days)
    for day, value in days.items():
        x = left + (day - first) / (last - first) * (right - left)
        assert any(near(px, x) and near(py, up.at(value)) for px, py in points)
    ends = [DAY + timedelta(days=day) for day in (first, last)]
    assert f"{ends[0]} to {ends[1]}" in drawn.description


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 50)), min_size=2, max_size=30))
def test_values_of_one_day_are_added_up_and_noted(rows: list[tuple[int, int]]) -> None:
    sums: dict[int, int] = defaultdict(int)
    for day, value in rows:
        sums[day] += value
    dated = [(DAY + timedelta(days=day), value) for day, value in rows]
    read, drawn = picture("calendar", sent(dated, "d", "v"))
    low, high = min(sums.values()), max(sums.values())
    shares = ((value - low) / (high - low) if high > low else 0.5 for value in sums.values())
    tones = {on_ramp(LIGHT.ramp, share) for share in shares}
    assert {cell.fill for cell in read.of("rect")} - {LIGHT.panel} == tones
    several = len(sums) - len([day for day in sums if sum(one == day for one, _ in rows) == 1])
    assert number_in_notes(drawn, r"^(\d+) places? ha(?:s|ve) several values") == several
    assert any("several values" in word for word in read.words) == bool(several)


@given(st.lists(st.tuples(st.sampled_from("pqrs"), st.integers(1, 50)), min_size=2, max_size=12))
def test_rows_of_one_name_are_added_up_in_heat_maps(rows: list[tuple[str, int]]) -> None:
    sums: dict[str, int] = defaultdict(int)
    for name, value in rows:
        sums[name] += value
    read, drawn = picture("heatmap", sent(rows, "n", "v"))
    assert {str(value) for value in sums.values()} <= set(read.words)
    assert any("added up" in note for note in drawn.notes) == (len(sums) < len(rows))


@pytest.mark.parametrize("type_", ["pie", "donut"])
@given(st.lists(SIGNED, min_size=2, max_size=14).filter(lambda values: any(value > 0 for value in values)))
def test_parts_and_noted_negative_values_are_all_rows(type_: str, values: list[int]) -> None:
    rows = [(f"part {at}", one, 1) for at, one in enumerate(values)]
    read, drawn = picture(type_, sent(rows, "n", "v", "w"))
    positive = sorted((value for value in values if value > 0), reverse=True)
    arcs = read.of("arc")
    shown = positive if len(positive) <= 7 else [*positive[:6], sum(positive[6:])]
    assert len(arcs) == len(shown)
    if len(shown) > 1:
        shares = sorted(share_of(arc) for arc in arcs)
        assert all(abs(a - b / sum(positive)) < 0.01 for a, b in zip(shares, sorted(shown), strict=True))
    assert number_in_notes(drawn, r"^(\d+) negative") == sum(value < 0 for value in values)
    named = " ".join([*read.words, *drawn.notes])
    for at, value in enumerate(values):
        assert value < 0 or f"part {at}" in named
    assert '"w"' in named
