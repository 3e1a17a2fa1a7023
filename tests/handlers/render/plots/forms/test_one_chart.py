"""Every form of a plot shows the same: read back from drawing, slide, workbook, terminal, page and print.

Each type is tried with generated tables; the expected values are computed from the tables alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.plots.data.numbers import alone
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.palette import LIGHT, on_ramp
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader, read_label, share_of
from tests.handlers.render.plots.forms.chart_readers import charts
from tests.handlers.render.plots.forms.one_chart import (
    NEAR,
    NUMBER,
    Forms,
    Table,
    amounts,
    dated,
    holds,
    named,
    same,
    sorted_table,
    usual,
    values,
)
from tests.handlers.render.plots.words_of_types import BARS, COLUMNED, MAPS, PARTS, RANGES, SPANS

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("type_", BARS)
@usual
@given(data=st.data())
def test_bars(type_: str, data: st.DataObject) -> None:
    table = data.draw(named(st.one_of(values, values, st.none()), values))
    if data.draw(st.booleans()):
        table.config["axis/domains"] = "y -5000 5000"
    forms = Forms(table.plot(type_))
    stacked, lying, turned = type_.endswith(("sbar", "abar")), "h" in type_, type_.startswith("i")
    axis = forms.svg.axis(upward=not lying)
    (low, high), (start, end) = axis.values, axis.places
    assert (start < end) == (lying != turned)
    sides = {row: [0.0, 0.0] for row in range(len(table.along))}
    for at, numbers in enumerate(table.series.values()):
        bars = forms.svg.of("rect", LIGHT.category(at))
        bars.sort(key=lambda bar: bar.middle[1 if lying else 0])
        known = [(row, value) for row, value in enumerate(numbers) if value is not None]
        for bar, (row, value) in zip(bars, known, strict=True):
            base = sides[row][value < 0] if stacked else 0.0
            sides[row][value < 0] += value
            left, top, right, bottom = bar.box
            drawn = sorted((left, right) if lying else (top, bottom))
            for place, wanted in zip(drawn, sorted(map(axis.at, (base, base + value))), strict=True):
                assert abs(place - wanted) <= NEAR
    for chart in forms.native("bar"):
        assert (chart.lying, chart.stacked, chart.upward.turned) == (lying, stacked, turned)
        assert [one.name for one in chart.series] == list(table.series)
        for one, numbers in zip(chart.series, table.series.values(), strict=True):
            same(one.values, numbers)
            assert list(one.along) == table.along
        assert chart.along.labels == ("high" if turned else "low")
        assert chart.along.turned == lying
        assert chart.along.skip == ("1" if lying else "")
        holds(chart, low, high)
    _terminal_bars(forms, table, stacked=stacked)
    printed = forms.printed()
    for word in (*table.along, *table.series):
        assert word in forms.svg.words and word in printed


def _terminal_bars(forms: Forms, table: Table, *, stacked: bool) -> None:
    body, key = forms.lines[1:-1], forms.lines[-1]
    assert re.findall(r"s\d", key) == list(table.series)
    starts = [row for row, line in enumerate(body) if line.split()[0] in table.along]
    assert [body[row].split()[0] for row in starts] == table.along
    count = len(table.series)
    each = 0.0
    for row, start in enumerate(starts):
        numbers = [one[row] for one in table.series.values()]
        if stacked:
            total = sum(number or 0.0 for number in numbers)
            assert read_label(body[start].split()[-1]) == total
            continue
        for line, number in zip(body[start : start + count], numbers, strict=True):
            words = line.removeprefix(
                table.along[row].rjust(len(line) - len(line.lstrip()) + len(table.along[row]))
            )
            if number is None:
                assert words.split()[-1] == "n/a"
                continue
            labels = [read_label(found) for found in NUMBER.findall(words)]
            assert labels == [number]
            length = sum(sign in "█▒▓░" for sign in line)
            each = max(each, length / abs(number))
    if not stacked:
        longest = max(abs(number) for one in table.series.values() for number in one if number is not None)
        assert each >= (0 if "axis/domains" in table.config else 1) / longest


@pytest.mark.parametrize("type_", ["pie", "donut"])
@usual
@given(table=named(values, values, most=1, least=1))
def test_shares(type_: str, table: Table) -> None:
    (numbers,) = table.series.values()
    if not any(value is not None and value > 0 for value in numbers):
        return
    forms = Forms(table.plot(type_))
    parts = sorted(
        ((value, name) for value, name in zip(numbers, table.along, strict=True) if value and value > 0),
        key=lambda part: -part[0],
    )
    total = sum(value for value, _ in parts)
    if len(parts) > 1:
        for at, (value, _) in enumerate(parts):
            (arc,) = forms.svg.of("arc", LIGHT.category(at))
            assert abs(share_of(arc) - value / total) <= 0.01
    for chart in forms.native("pie" if type_ == "pie" else "doughnut"):
        (one,) = chart.series
        same(one.values, [value for value, _ in parts])
        assert list(one.along) == [name for _, name in parts]
    rows = [line.split() for line in forms.lines[1 : 1 + len(parts)]]
    assert [(words[0], read_label(words[2])) for words in rows] == [(name, value) for value, name in parts]
    left_out = sum(value is not None and value < 0 for value in numbers)
    assert any("negative" in line for line in forms.lines) == bool(left_out)
    assert any("negative" in note for note in forms.picture.notes) == bool(left_out)
    assert any("negative" in chart.words for chart in charts(forms.workbook)) == bool(left_out)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("type_", ["scatter", "bubble"])
@usual
@given(data=st.data())
def test_points(type_: str, log: bool, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(
            st.tuples(st.integers(1, 900), st.integers(1, 900), st.integers(1, 90)),
            min_size=3,
            max_size=9,
            unique_by=(lambda row: row[0], lambda row: row[1]),
        )
    )
    text = "east,up" + (",people" if type_ == "bubble" else "") + "\n"
    text += "".join(",".join(map(str, row if type_ == "bubble" else row[:2])) + "\n" for row in rows)
    if any(1500 <= row[0] < 2200 for row in rows):
        return
    config = {"type": type_, "title": "Twelve curlews"} | ({"axis/scale": "y log"} if log else {})
    forms = Forms(Plot(text, config, "n"))
    if not log:
        across, upward = forms.svg.axis(upward=False), forms.svg.axis(upward=True)
        drawn = sorted(one.middle for one in forms.svg.of("symbol", LIGHT.category(0)))
        for (x, y), row in zip(drawn, sorted(rows), strict=True):
            assert abs(x - across.at(row[0])) <= NEAR and abs(y - upward.at(row[1])) <= NEAR
    found = list(charts(forms.slide, *([forms.workbook] if type_ == "scatter" else [])))
    assert len(found) == (2 if type_ == "scatter" else 1)
    for chart in found:
        (one,) = chart.series
        assert sorted(zip(one.along, one.values, *([one.sizes] if one.sizes else []), strict=True)) == sorted(
            row if type_ == "bubble" else row[:2] for row in rows
        )
        assert (chart.upward.base == 10) == log
        for axis, at in ((chart.along, 0), (chart.upward, 1)):
            assert axis.low is not None and axis.low <= min(row[at] for row in rows)
            assert axis.high is not None and axis.high >= max(row[at] for row in rows)
    assert "↑ up" in forms.lines[-1] and "east →" in forms.lines[-1]


def bins_of(tips: Sequence[str | None]) -> list[tuple[str, int]]:
    """The words of bins with their counts, without those that are empty."""
    found = (tip.rpartition(": ") for tip in tips if tip and ": " in tip)
    return [(name, int(count)) for name, _, count in found if count != "0"]


@usual
@given(
    numbers=st.lists(st.integers(-9, 99), min_size=1, max_size=60) | st.lists(st.integers(0, 9), min_size=1),
    step=st.sampled_from([1.0, 0.5, 0.1, 0.007]),
)
def test_histograms(numbers: list[int], step: float) -> None:
    values = [round(number * step, 3) for number in numbers]
    forms = Forms(Table([f"n{at}" for at in range(len(numbers))], {"v": [*values]}).plot("hist"))
    upward = forms.svg.axis(upward=True)
    bars = forms.svg.of("rect", LIGHT.category(0))
    counts = [(bar.box[1] - upward.at(0)) / (upward.at(1) - upward.at(0)) for bar in bars]
    assert round(sum(map(round, counts))) == len(numbers)
    bins = bins_of([one.text for one in forms.svg.root.iter() if one.tag.endswith("title")][1:])
    lines = terminal_chart(forms.plot, 100, 0, colored=False).splitlines()[1:]
    found = [re.fullmatch(r" *(.*?) [█▉▊▋▌▍▎▏]* (\d+)", line) for line in lines]
    assert [(one[1], int(one[2])) for one in found if one and one[2] != "0"] == bins
    phone = PictureReader(draw(forms.plot, Look(width=300)).svg)
    assert len(phone.of("rect", LIGHT.category(0))) == len(bars)
    if step == 1 and max(numbers) - min(numbers) < 25:
        wanted = Counter(alone(number) for number in sorted(numbers))
        assert bins == [*wanted.items()]
    assert forms.slide is None and forms.workbook is None


@usual
@given(
    numbers=st.lists(st.integers(1, 500), min_size=5, max_size=20, unique=True),
    log=st.booleans(),
)
def test_boxes(numbers: list[int], log: bool) -> None:
    rows = [("west", float(one)) for one in numbers] + [("east", 250.0), ("east", 20.0)]
    table = Table([name for name, _ in rows], {"v": [value for _, value in rows]})
    if log:
        table.config["axis/scale"] = "y log"
    forms = Forms(table.plot("box"))
    (line,) = [line for line in forms.lines if line.strip().startswith("west")]
    low, high = min(20, *numbers), max(250, *numbers)
    ordered = sorted(numbers)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    share = math.log(middle / low) / math.log(high / low) if log else (middle - low) / (high - low)
    assert abs(line.index("┃") - len("west ") - share * 94) <= 1
    assert forms.lines[-1].split() == [str(low), str(high)]
    if not log:
        axis = forms.svg.axis(upward=False)
        medians = [rule.box[0] for rule in forms.svg.of("rule", LIGHT.ink)]
        assert min(abs(place - axis.at(middle)) for place in medians) <= NEAR


@usual
@given(table=named(st.one_of(amounts, st.none()), amounts, most=4))
def test_heat_maps(table: Table) -> None:
    known = [value for one in table.series.values() for value in one if value is not None]
    forms = Forms(table.plot("heatmap"))
    low, high = min(known), max(known)
    cells = sorted(forms.svg.of("rect"), key=lambda cell: (round(cell.middle[1]), cell.middle[0]))
    rows = [value for at in range(len(table.along)) for value in (one[at] for one in table.series.values())]
    for cell, value in zip(cells, rows, strict=True):
        share = 0.5 if value is None or high == low else (value - low) / (high - low)
        assert cell.fill == (LIGHT.panel if value is None else on_ramp(LIGHT.ramp, share))
    assert forms.lines[1].split() == list(table.series)
    for line, name, at in zip(forms.lines[2:], table.along, range(len(table.along)), strict=True):
        first, *words = line.split()
        assert first == name
        numbers = [None if word == "–" else read_label(word) for word in words]
        assert numbers == [one[at] for one in table.series.values()]


@usual
@given(table=dated(amounts, most=1))
def test_calendars(table: Table) -> None:
    forms = Forms(table.plot("calendar"))
    (numbers,) = table.series.values()
    low, high = min(map(float, (n or 0 for n in numbers))), max(map(float, (n or 0 for n in numbers)))
    tones = [on_ramp(LIGHT.ramp, ((n or 0) - low) / (high - low) if high > low else 0.5) for n in numbers]
    cells = [cell.fill for cell in forms.svg.of("rect") if cell.fill != LIGHT.panel]
    assert sorted(cells) == sorted(tones)
    lines = [line for line in forms.lines if line[:3] in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")]
    assert len(lines) % 7 == 0
    if not any("earlier" in line for line in forms.lines):
        shades = [[sign for line in lines[at::7] for sign in line[4:] if sign != " "] for at in range(7)]
        for weekday, signs in enumerate(shades):
            days = [day for day in table.along if datetime.fromisoformat(day).weekday() == weekday]
            assert len(signs) in (len(days), 2 * len(days))


@pytest.mark.parametrize("type_", ["value", "spark"])
@usual
@given(table=dated(amounts, most=1))
def test_figures(type_: str, table: Table) -> None:
    forms = Forms(table.plot(type_))
    last = next(iter(sorted_table(table).series.values()))[-1]
    assert f"{last:g}" in forms.svg.words
    assert f"{last:g}" in forms.lines[1].split()
    assert f"{last:g}" in forms.printed()


def test_every_type_is_read_back_above() -> None:
    read = {*BARS, "line", "step", "area", "sarea", "pie", "donut", "scatter", "bubble"}
    elsewhere = {*RANGES, *PARTS, *SPANS, *MAPS, *COLUMNED, "strip"}  # in test_drawn_forms.py
    assert {*read, "hist", "box", "heatmap", "calendar", "value", "spark"} | elsewhere == set(TYPES)
