"""Dots, ranges, slopes and waterfalls are read back from their pictures, in light and dark."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.palette import LIGHT, MODES, Palette
from handlers.render.plots.look.style import style_of
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.text_boxes import text_faults
from tests.kit.counting.amount import points

TOWNS = "town,2010,2025\nOslo,10,40\nBergen,30,20\nTromsø,20,\n"
NEAR = 0.6
few = settings(max_examples=points(5), deadline=None)
modes = pytest.mark.parametrize("mode", sorted(MODES))


def read(type_: str, data: str, mode: str, **config: str) -> tuple[PictureReader, Palette]:
    drawn = draw(Plot(data, {"type": type_, **config}), Look(mode=mode))
    assert not [note for note in drawn.notes if "needs" in note]
    return PictureReader(drawn.svg), MODES[mode]


def tips(picture: PictureReader) -> list[str]:
    """Return the tips for a pointer, without the name of the picture."""
    return [one.text or "" for one in picture.root.iter() if one.tag.endswith("title")][1:]


@modes
def test_dots_are_at_their_values(mode: str) -> None:
    picture, palette = read("dot", "town,a,b\nOslo,10,40\nBergen,30,20\nTromsø,20,\n", mode)
    axis = picture.axis(upward=False)
    for index, values in enumerate(((10, 30, 20), (40, 20))):
        spots = sorted(picture.of("symbol", palette.category(index)), key=lambda one: one.middle[1])
        assert [
            round(spot.middle[0] - axis.at(value), 1) for spot, value in zip(spots, values, strict=True)
        ] == [pytest.approx(0, abs=NEAR)] * len(values)
    assert {"Oslo", "Bergen", "Tromsø", "a", "b"} <= set(picture.words)
    assert "Bergen: a 30" in tips(picture) and len(tips(picture)) == 5


PRICES = st.lists(st.tuples(*[st.integers(1, 900)] * 4), min_size=1, max_size=40)


@settings(max_examples=15, deadline=None)
@given(PRICES, st.sampled_from(sorted(MODES)))
def test_candles_are_at_their_prices(rows: list[tuple[int, ...]], mode: str) -> None:
    ordered = [(a, max(a, b, c, d), min(a, b, c, d), d) for a, b, c, d in rows]
    data = "".join(f"{1950 + at},{','.join(map(str, one))}\n" for at, one in enumerate(ordered))
    plot = Plot(
        f"year,open,high,low,close\n{data}2050,1,,2,3\n",
        {"type": "candlestick", "colors/colors": "+ #0a0b0c\n- #d03040"},
    )
    drawn = draw(plot, Look(mode=mode))
    assert any("1 row is left out" in note for note in drawn.notes)
    picture = PictureReader(drawn.svg)
    axis = picture.axis(upward=True)
    bodies = sorted((one for one in picture.of("rect") if one.stroke), key=lambda one: one.middle[0])
    assert len(bodies) == len(ordered)
    for body, (opens, high, low, close) in zip(bodies, ordered, strict=True):
        assert body.box[1] == pytest.approx(axis.at(max(opens, close)), abs=1.1)
        assert body.box[3] == pytest.approx(axis.at(min(opens, close)), abs=1.1)
        assert (body.fill == "#d03040") == (close < opens) and body.stroke in ("#d03040", "#0a0b0c")
        wicks = [one for one in picture.of("rule", body.stroke) if abs(one.middle[0] - body.middle[0]) < 0.1]
        assert min(one.box[1] for one in wicks) == pytest.approx(axis.at(high), abs=0.6)
        assert max(one.box[3] for one in wicks) == pytest.approx(axis.at(low), abs=0.6)
    lines = terminal_chart(plot, rows=99, colored=False).splitlines()
    assert ["█" in line for line in lines[: len(ordered)]] == [one[3] < one[0] for one in ordered]


def test_many_candles_are_joined_and_keep_their_ends() -> None:
    rows = "".join(f"{1000 + at},{at + 10},{at + 12},{at + 5},{at + 11}\n" for at in range(1500))
    drawn = draw(Plot(f"year,open,high,low,close\n{rows}", {"type": "candlestick"}), Look(width=400))
    assert any(note.startswith("1,500 rows drawn as ") for note in drawn.notes)
    assert "open 10, " in drawn.svg and "close 1,510" in drawn.svg


@modes
def test_sticks_begin_at_zero(mode: str) -> None:
    picture, palette = read("lollipop", "town,a\nOslo,10\nBergen,-30\nTromsø,\n", mode)
    sticks = picture.of("rule", palette.category(0))
    lengths = [stick.points[1][0] - stick.points[0][0] for stick in sticks]
    assert lengths[1] == pytest.approx(-3 * lengths[0], abs=NEAR)
    heads = picture.of("symbol", palette.category(0))
    assert [head.middle[0] for head in heads] == pytest.approx(
        [stick.points[1][0] for stick in sticks], abs=NEAR
    )
    assert {"10", "−30", "n/a"} <= set(picture.words)


@modes
def test_dumbbells_join_the_least_and_the_greatest(mode: str) -> None:
    data = "town,from,to\nOslo,10,40\nBergen,30,20\nTromsø,20,\n"
    picture, palette = read("dumbbell", data, mode, **{"axis/ticks": "y 5"})
    axis = picture.axis(upward=False)
    joints = [rule for rule in picture.of("rule", palette.edge) if rule.box[1] == rule.box[3]]
    ends = [sorted(x for x, _ in joint.points) for joint in joints]
    assert ends == [
        pytest.approx([axis.at(10), axis.at(40)], abs=NEAR),
        pytest.approx([axis.at(20), axis.at(30)], abs=NEAR),
    ]
    assert len(picture.of("symbol", palette.category(0))) == 3
    bare, _ = read("dumbbell", data, mode)
    assert {"from", "to", "10", "40", "30", "20"} <= set(bare.words)


@modes
def test_a_range_is_a_bar_between_two_values(mode: str) -> None:
    picture, palette = read("range", "month,low,high\nJan,-10,5\nJul,10,25\n", mode, **{"axis/ticks": "y 5"})
    axis = picture.axis(upward=False)
    bars = picture.of("rect", palette.category(0))
    ends = [(bar.box[0], bar.box[2]) for bar in bars]
    for (left, right), (low, high) in zip(ends, ((-10, 5), (10, 25)), strict=True):
        assert (left, right) == (
            pytest.approx(axis.at(low) - 1, abs=NEAR),
            pytest.approx(axis.at(high) + 1, abs=NEAR),
        )
    assert tips(picture) == ["Jan: −10 to 5", "Jul: 10 to 25"]


@modes
def test_slopes_rise_and_fall_by_their_values(mode: str) -> None:
    picture, palette = read("slope", TOWNS, mode)
    (rising,) = picture.of("line", palette.category(0))
    (falling,) = picture.of("line", palette.category(1))
    rise, fall = (line.points[0][1] - line.points[-1][1] for line in (rising, falling))
    assert rise > 0 > fall
    assert rise == pytest.approx(-3 * fall, abs=NEAR)
    assert {"Oslo", "Bergen", "Tromsø", "2010", "2025", "rises", "falls"} <= set(picture.words)
    assert len(picture.of("symbol")) == 5


def test_names_of_slopes_are_never_over_each_other() -> None:
    rows = "".join(f"town {at},{at % 3},{at % 5}\n" for at in range(40))
    drawn = draw(Plot(f"town,a,b\n{rows}", {"type": "slope"}), Look(width=600, height=300))
    picture = PictureReader(drawn.svg)
    sides: dict[float, list[float]] = {}
    for one in picture.root.iter():
        if one.tag.endswith("text") and (one.text or "").startswith("town"):
            x, y = (float(part) for part in one.get("transform", "")[10:-1].split(","))
            sides.setdefault(x, []).append(y)
    assert sides and all(
        b - a >= 15 for ys in sides.values() for a, b in zip(sorted(ys), sorted(ys)[1:], strict=False)
    )
    assert any("do not fit beside their lines" in note for note in drawn.notes)


@few
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 99)), min_size=2, max_size=24),
    st.sampled_from([900, 400]),
)
def test_names_of_slopes_are_near_their_dots(rows: list[tuple[int, int]], width: int) -> None:
    data = "town,a,b\n" + "".join(f"town {at},{a},{b}\n" for at, (a, b) in enumerate(rows))
    drawn = draw(Plot(data, {"type": "slope"}), Look(width=width))
    picture = PictureReader(drawn.svg)
    assert not text_faults(drawn.svg)
    heights = [one.middle[1] for one in picture.of("symbol")]
    low, high = min(map(min, rows)), max(map(max, rows))
    span = (max(heights) - min(heights)) / ((high - low) or 1)
    rules = [rule.points for rule in picture.of("rule", LIGHT.edge)]
    style = style_of(width, "light")
    for side, x in enumerate(sorted({one.middle[0] for one in picture.of("symbol")})):
        wanted = [max(heights) - (row[side] - low) * span for row in rows]
        placed = sorted(amounts(picture, x, left=not side, drop=style.label * 0.34))
        assert all(b - a >= style.line - 0.1 for a, b in pairwise(placed))
        groups: list[list[tuple[float, float]]] = []
        for at, pair in enumerate(zip(placed, sorted(wanted), strict=True)):
            if not at or pair[0] - placed[at - 1] > style.line + 0.1:
                groups.append([])
            groups[-1].append(pair)
            led = any(abs(a[1] - pair[1]) < NEAR and abs(b[1] - pair[0]) < NEAR for a, b in rules)
            assert led == (abs(pair[0] - pair[1]) > 3) or abs(abs(pair[0] - pair[1]) - 3) < NEAR
        for group in groups:
            assert sum(a for a, _ in group) / len(group) == pytest.approx(
                sum(b for _, b in group) / len(group), abs=NEAR
            )


def amounts(picture: PictureReader, x: float, *, left: bool, drop: float) -> list[float]:
    """The middles of the bold numbers at one side of a column."""
    found = []
    for one in picture.root.iter():
        if one.tag.endswith("text") and one.get("font-weight") == "600" and (one.text or "").isdigit():
            at, y = (float(part) for part in one.get("transform", "")[10:-1].split(","))
            found += [y - drop] if (at < x) == left and abs(at - x) < 60 else []
    return found


@modes
def test_bars_of_waterfalls_begin_where_the_bar_before_ended(mode: str) -> None:
    data = "item,sum,kind\nSales,100,\nWages,-40,\nNet,,Total\nTax,-80,\nResult,-20,total\n"
    picture, palette = read("waterfall", data, mode, **{"axis/ticks": "y 5"})
    axis = picture.axis(upward=False)
    expected = {palette.category(0): [(0, 100)], palette.category(1): [(60, 100), (-20, 60)],
                palette.edge: [(0, 60), (-20, 0)]}  # fmt: skip
    for color, bars in expected.items():
        drawn = [bar for bar in picture.of("rect", color) if bar.box[3] - bar.box[1] > 14]
        ends = [(bar.box[0], bar.box[2]) for bar in drawn]
        assert ends == [tuple(pytest.approx(axis.at(end), abs=NEAR) for end in bar) for bar in bars]
    bare, _ = read("waterfall", data, mode)
    assert {"+100", "−40", "60", "−80", "−20", "adds", "takes away", "sum"} <= set(bare.words)


def test_a_total_that_is_not_the_sum_of_its_rows_is_noted() -> None:
    drawn = draw(Plot("item,sum,kind\na,1,\nb,2,\nc,4,total\n", {"type": "waterfall"}), Look())
    assert '"c" is not the sum of the rows before it: 4 ≠ 3.' in drawn.notes
    assert '"c" is not the sum of the rows before it: 4 ≠ 3.' in " ".join(PictureReader(drawn.svg).words)


@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        ("dumbbell", "names and two columns of numbers, such as name,from,to"),
        ("slope", "names and two columns of numbers, such as name,before,after"),
        ("lollipop", "names and a column of numbers, such as name,value"),
    ],
)
def test_a_refusal_names_the_columns_that_are_wanted_and_found(type_: str, wanted: str) -> None:
    data = "town,note\nOslo,fine\n" if type_ == "lollipop" else "town,a\nOslo,1\n"
    found = '"town" (words), "note" (words)' if type_ == "lollipop" else '"town" (words), "a" (numbers)'
    drawn = draw(Plot(data, {"type": type_}), Look())
    assert drawn.notes[-1] == f"A {type_} needs {wanted}: found {found}."
