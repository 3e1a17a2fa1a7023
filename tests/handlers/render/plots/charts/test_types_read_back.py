"""Each type is read back from its picture: marks, axes and keys against the data, in light and dark."""

from __future__ import annotations

import math
from datetime import datetime

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.look.palette import MODES, Palette, on_ramp
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader, Shape, share_of
from tests.handlers.render.plots.words_of_types import BARS

NEAR = 1.1
"""Pixels by which a place may differ, because the lines of a grid are at whole pixels."""
NAMES = ("x", "y", "z")
SERIES = {"north": (10.0, 30.0, 20.0), "south": (5.0, None, -15.0)}
TABLE = "name,north,south\nx,10,5\ny,30,\nz,20,-15\n"
MONTHS = "month,north,south\n2026-01-01,10,5\n2026-02-01,30,15\n2026-04-01,20,25\n2026-05-01,12,8\n"
NORTH, SOUTH = (10, 30, 20, 12), (5, 15, 25, 8)
DAYS = [0, 31, 90, 120]
PLACES = "place,east,up\nA,1,20\nB,2,40\nC,4,10\n"
POINTS = "place,east,up,people\nA,1,20,100\nB,2,40,400\nC,4,10,900\n"


def read(type_: str, data: str, mode: str, **config: str) -> tuple[PictureReader, Palette]:
    drawn = draw(Plot(data, {"type": type_, **config}), Look(mode=mode))
    assert not [note for note in drawn.notes if "needs" in note or "No " in note]
    return PictureReader(drawn.svg), MODES[mode]


def near(*pairs: tuple[float, float]) -> None:
    for one, other in pairs:
        assert abs(one - other) <= NEAR


modes = pytest.mark.parametrize("mode", sorted(MODES))


def extent(bar: Shape, *, lying: bool) -> tuple[float, float]:
    left, top, right, bottom = bar.box
    return (left, right) if lying else (top, bottom)


def stacks(type_: str) -> dict[tuple[str, int], tuple[float, float]]:
    """Return the begin and the end of each bar, by series and row."""
    ends: dict[tuple[str, int], tuple[float, float]] = {}
    for row in range(3):
        up = down = 0.0
        for name, values in SERIES.items():
            value = values[row]
            if value is None:
                continue
            base = (up if value > 0 else down) if type_.endswith(("sbar", "abar")) else 0.0
            ends[name, row] = (base, base + value)
            up, down = (base + value, down) if value > 0 else (up, base + value)
    return ends


@modes
@pytest.mark.parametrize("type_", BARS)
def test_bars_begin_and_end_at_their_values(type_: str, mode: str) -> None:
    picture, palette = read(type_, TABLE, mode)
    lying = "h" in type_
    axis = picture.axis(upward=not lying)
    assert (axis.places[0] < axis.places[1]) == (lying != ("i" in type_))
    expected = stacks(type_)
    for index, name in enumerate(SERIES):
        rows = [row for row in range(3) if SERIES[name][row] is not None]
        bars = sorted(
            picture.of("rect", palette.category(index)), key=lambda bar: bar.middle[1 if lying else 0]
        )
        assert len(bars) == len(rows)
        for row, bar in zip(rows, bars, strict=True):
            wanted = sorted(axis.at(end) for end in expected[name, row])
            near(*zip(extent(bar, lying=lying), wanted, strict=True))
    assert {*NAMES, *SERIES} <= set(picture.words)


@modes
@pytest.mark.parametrize("type_", BARS)
def test_single_bars_are_as_long_as_their_values(type_: str, mode: str) -> None:
    picture, palette = read(type_, "name,north\nx,10\ny,30\nz,-20\n", mode)
    lying = "h" in type_
    bars = sorted(picture.of("rect", palette.category(0)), key=lambda bar: bar.middle[1 if lying else 0])
    lengths = [end - start for start, end in (extent(bar, lying=lying) for bar in bars)]
    assert [round(length / lengths[0], 1) for length in lengths] == [1.0, 3.0, 2.0]
    zero = {round(end) for bar in bars for end in extent(bar, lying=lying)}
    assert len(zero) == 4  # three ends and the line that they share
    assert {"10", "30", "−20", *NAMES} <= set(picture.words)


@modes
@pytest.mark.parametrize("type_", ["line", "area"])
def test_lines_go_through_their_values(type_: str, mode: str) -> None:
    picture, palette = read(type_, MONTHS, mode)
    axis = picture.axis(upward=True)
    for index, values in enumerate((NORTH, SOUTH)):
        (line,) = picture.of("line", palette.category(index))
        (left, _), *_, (right, _) = line.points
        for (x, y), day, value in zip(line.points, DAYS, values, strict=True):
            near((x, left + day / DAYS[-1] * (right - left)), (y, axis.at(value)))
    assert {"north", "south"} <= set(picture.words)
    if type_ == "area":
        assert [len(picture.of("area", palette.category(index))) for index in (0, 1)] == [1, 1]
        assert axis.values[0] == 0


@modes
def test_steps_keep_their_value_until_the_next(mode: str) -> None:
    picture, palette = read("step", MONTHS, mode)
    axis = picture.axis(upward=True)
    (line,) = picture.of("line", palette.category(0))
    ys = [y for _, y in line.points]
    near(*zip(ys, (axis.at(value) for value in (10, 10, 30, 30, 20, 20, 12)), strict=True))


@modes
def test_stacked_areas_are_on_top_of_each_other(mode: str) -> None:
    picture, palette = read("sarea", MONTHS, mode)
    axis = picture.axis(upward=True)
    bases = [0.0] * 4
    for index, values in enumerate((NORTH, SOUTH)):
        (area,) = picture.of("area", palette.category(index))
        tops = [base + value for base, value in zip(bases, values, strict=True)]
        upper, lower = area.points[:4], area.points[4:8][::-1]
        near(*zip((y for _, y in upper), map(axis.at, tops), strict=True))
        near(*zip((y for _, y in lower), map(axis.at, bases), strict=True))
        bases = tops


@modes
def test_a_line_breaks_at_a_gap_and_a_lone_value_is_a_dot(mode: str) -> None:
    data = "month,a\n2026-01,1\n2026-02,2\n2026-03,\n2026-04,3\n2026-05,\n2026-06,4\n2026-07,5\n"
    picture, palette = read("line", data, mode)
    drawn = picture.of("line", palette.category(0))
    assert sum(len(line.points) for line in drawn) == 4
    assert len(picture.of("symbol", palette.category(0))) == 1


@modes
@pytest.mark.parametrize("type_", ["scatter", "bubble"])
def test_points_are_at_their_places(type_: str, mode: str) -> None:
    picture, palette = read(type_, POINTS if type_ == "bubble" else PLACES, mode)
    across, upward = picture.axis(upward=False), picture.axis(upward=True)
    spots = sorted(picture.of("symbol", palette.category(0)), key=lambda one: one.middle[0])
    assert len(spots) == 3
    for spot, (x, y) in zip(spots, ((1, 20), (2, 40), (4, 10)), strict=True):
        near((spot.middle[0], across.at(x)), (spot.middle[1], upward.at(y)))
    assert {"↑ up", "east →", "A", "B", "C"} <= set(picture.words)
    areas = [spot.radius**2 for spot in spots]
    wanted = [1, 4, 9] if type_ == "bubble" else [1, 1, 1]
    assert [round(area / areas[0], 1) for area in areas] == wanted


@modes
@pytest.mark.parametrize("type_", ["pie", "donut"])
def test_parts_take_their_shares(type_: str, mode: str) -> None:
    picture, palette = read(type_, "part,kWh\nwalls,50\nroof,20\nwindows,30\n", mode)
    shares = [share_of(picture.of("arc", palette.category(index))[0]) for index in range(3)]
    assert [round(share, 2) for share in shares] == [0.5, 0.3, 0.2]
    assert {"walls", "roof", "windows", "50%", "30%", "20%"} <= set(picture.words)
    assert ("100" in picture.words) == (type_ == "donut")


@modes
def test_a_histogram_counts(mode: str) -> None:
    values = [1, 1.5, 2.5, 2.6, 2.7, 3.5, 3.6, 4.2, 4.5, 4.9]
    picture, palette = read("hist", "v\n" + "".join(f"{value}\n" for value in values), mode)
    upward = picture.axis(upward=True)
    bars = sorted(picture.of("rect", palette.category(0)), key=lambda bar: bar.middle[0])
    heights = [round((bar.box[1] - upward.at(0)) / (upward.at(1) - upward.at(0))) for bar in bars]
    assert [height for height in heights if height] == [1, 1, 3, 2, 1, 2]
    assert sum(heights) == len(values)
    assert any(word.startswith("Median 3.1") for word in picture.words)


@modes
def test_a_box_spans_the_middle_half(mode: str) -> None:
    values = [10, 20, 30, 40, 50, 60, 70, 80, 90, 300]
    rows = "".join(f"g,{value}\n" for value in values)
    picture, palette = read("box", "group,v\n" + rows + "h,5\n", mode)
    axis = picture.axis(upward=False)
    box = max(picture.of("rect"), key=lambda one: one.box[2])
    near((box.box[0], axis.at(32.5)), (box.box[2], axis.at(77.5)))
    medians = [rule.box[0] for rule in picture.of("rule", palette.ink)]
    assert min(abs(place - axis.at(55)) for place in medians) <= NEAR
    (outlier,) = picture.of("symbol", palette.quiet)
    near((outlier.middle[0], axis.at(300)))
    assert {"g", "h", "median"} <= set(picture.words)


@modes
def test_cells_of_a_heat_map_have_the_colours_of_their_values(mode: str) -> None:
    picture, palette = read("heatmap", "day,am,pm\nMon,0,5\nTue,10,\n", mode)
    cells = picture.of("rect")
    tones = [on_ramp(palette.ramp, value / 10) for value in (0, 5, 10)]
    assert [cell.fill for cell in cells] == [*tones, palette.panel]
    assert cells[0].middle[1] == cells[1].middle[1] < cells[2].middle[1]
    assert cells[0].middle[0] == cells[2].middle[0] < cells[1].middle[0]
    assert len(picture.of("rule", palette.edge)) == 1
    assert {"Mon", "Tue", "am", "pm", "no value"} <= set(picture.words)


@modes
def test_a_calendar_has_a_square_for_every_day(mode: str) -> None:
    days = [datetime(2026, 1, 1 + day) for day in range(31)]  # noqa: DTZ001
    rows = "".join(f"{day:%Y-%m-%d},{index}\n" for index, day in enumerate(days))
    picture, palette = read("calendar", "day,runs\n" + rows, mode)
    cells = picture.of("rect")
    assert len(cells) == 31
    assert [cell.fill for cell in cells] == [on_ramp(palette.ramp, index / 30) for index in range(31)]
    side = cells[1].middle[1] - cells[0].middle[1]
    rows_of = [round((cell.middle[1] - cells[4].middle[1]) / side) for cell in cells]
    assert rows_of == [day.weekday() for day in days]
    assert {"2026", "Jan", "Mon", "Wed", "Fri"} <= set(picture.words)


@modes
@pytest.mark.parametrize("type_", ["spark", "value"])
def test_a_figure_shows_the_last_value_over_its_line(type_: str, mode: str) -> None:
    picture, palette = read(type_, "day,v\n2026-01-04,2\n2026-01-02,3\n2026-01-01,1\n", mode)
    assert "2" in picture.words
    assert ("▼ 33% less than 2 Jan (−1)" in picture.words) == (type_ == "value")
    (path,) = [
        one
        for one in picture.root.iter()
        if one.get("stroke") == palette.category(0) and one.get("fill") == "none"
    ]
    numbers = [tuple(map(float, pair.split())) for pair in path.get("d", "")[1:].split("L")]
    (x0, low), (x1, high), (x2, middle) = numbers
    assert math.isclose(2 * (x1 - x0), x2 - x1, abs_tol=0.4)
    assert math.isclose(middle, (low + high) / 2, abs_tol=0.2)


@modes
def test_a_single_series_needs_no_key(mode: str) -> None:
    assert "north" not in read("line", "month,north\n2026-01,1\n2026-02,2\n", mode)[0].words
