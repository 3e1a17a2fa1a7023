"""Lines over bars: at the middles of their rows, on a second axis with the same zero, and in every form."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.render.plots.composed.overlays import draw_combined
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.style import style_of
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

SALES = "month,sales,cost,margin\nJan,52,40,11%\nFeb,58,30,14%\nMar,49,41,\nApr,60,45,9%\n"
VALUES = st.lists(st.tuples(st.integers(-9, 90), st.integers(-9, 9)), min_size=1, max_size=8)


def plot_of(word: str, data: str = SALES, line: str = "margin", place: str = "", **config: str) -> Plot:
    return Plot(data, {"type": word, "combo/line": line, "combo/place": place, **config})


@pytest.mark.parametrize("place", ["", "axis"])
@pytest.mark.parametrize("word", ["bar", "gbar", "sbar", "abar"])
def test_every_form_has_the_line(word: str, place: str) -> None:
    plot = plot_of(word, place=place)
    drawn = draw(plot, Look())
    picture = PictureReader(drawn.svg)
    assert "margin" in picture.words and not drawn.notes
    assert describe(plot, plot_frame(plot)).endswith("line margin from 11% to 9%")
    shown = shown_chart(plot, plot_frame(plot))
    assert [column.name for column in shown.frame.series] == ["sales", "cost"]
    assert native_chart(shown, 1000) is None  # the picture, which has the line
    assert "margin 11% ▆█ ▅ 9%" in terminal_chart(plot, 40, 30, colored=False).splitlines()


@settings(max_examples=20, deadline=None)
@example([(-5, 3)], "axis")
@example([(-5, -3)], "axis")
@given(VALUES, st.sampled_from(["", "axis"]))
def test_lines_are_at_their_values_and_share_a_zero(values: list[tuple[int, int]], place: str) -> None:
    rows = "".join(f"r{at},{bar},{line}\n" for at, (bar, line) in enumerate(values))
    plot = plot_of("bar", f"n,bars,lines\n{rows}", "lines", place)
    shown = shown_chart(plot, plot_frame(plot))
    chart = draw_combined(shown.kind.draw, style_of(600, "light"), shown.frame, None, shown.options)
    assert chart.scales is not None
    dots = [one.middle for one in PictureReader(f"<svg>{chart.drawn}</svg>").of("symbol")]
    step, left = chart.scales.width / len(values), chart.scales.left
    wanted = [left + (at + 0.5) * step for at in range(len(values))]
    assert [x for x, _ in dots] == pytest.approx(wanted, abs=0.01)
    pairs = sorted((line, y) for (_, line), (_, y) in zip(values, dots, strict=True))
    if place == "axis" and not chart.logged:
        zero = chart.scales.top + chart.scales.upward(0.0)
        for line, y in pairs:
            assert (line > 0) == (y < zero - 0.01) and (line < 0) == (y > zero + 0.01)
    (low, bottom), (high, top) = pairs[0], pairs[-1]
    for line, y in pairs:
        share = (line - low) / (high - low) if high > low else 0.0
        assert y == pytest.approx(bottom + share * (top - bottom), abs=0.02)


def test_series_that_cannot_be_lines_are_noted() -> None:
    note = "config/combo is kept, but has no effect on a hbar; it affects bar, sbar"
    assert note in draw(plot_of("hbar"), Look()).notes
    said = 'config/combo/line: "rain" is no series here: the first are "sales", "cost" and "margin"'
    assert said in draw(plot_of("bar", line="rain"), Look()).notes
    assert "config/combo/line: bars need at least one series: name fewer lines" in (
        draw(plot_of("bar", "n,a\nx,1\n", "a"), Look()).notes
    )
    below = draw(plot_of("bar", "n,a,b\nx,1,-2\ny,2,3\n", "b", "axis"), Look()).notes
    assert below == ("config/combo/place: both axes cannot have 0 at the same height: a panel is drawn",)


def test_a_low_picture_keeps_its_height() -> None:
    for height in (150, 300):
        assert f'height="{height}"' in draw(plot_of("bar"), Look(height=height, width=400)).svg


def test_data_without_series_are_noted_and_drawn() -> None:
    plot = plot_of("sbar", "group\nr1\nDE\n", "a, b")
    assert "is no series here: the first are none" in "".join(shown_chart(plot, plot_frame(plot)).logged)
    assert draw(plot, Look()).svg
