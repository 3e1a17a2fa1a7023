"""Colours by name: of series, bars and parts, in every form, and notes on unknown names and colours."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.colors import color_of, read_line
from handlers.render.plots.look.options import read_options
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

TOWNS = "town,bogs\nUlm,5\nBonn,70\nKiel,30\n"
YEARS = "year,Ulm,Bonn,Kiel,Bern\n2000,1,2,3,4\n2001,2,3,2,5\n"
RED, GRAY = "#d03040", "#808080"


def plot_of(word: str, data: str, colors: str = f"Kiel {RED}\n* gray") -> Plot:
    return Plot(data, {"type": word, "colors/colors": colors})


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Oslo #d03040", ("oslo", RED)),
        ("  South  Korea: #d03040 ", ("south korea", RED)),
        ('"Red" #d03040', ("red", RED)),
        ("* gray", ("*", GRAY)),
        ("red #d03040", None),
        ("#d03040", None),
        ("Oslo", None),
        ("Oslo vermilionish", None),
        ('"Oslo" vermilionish', ("oslo", "")),
        ("", None),
    ],
)
def test_lines(line: str, wanted: tuple[str, str] | None) -> None:
    assert read_line(line, color_of) == wanted


def test_colours_in_order_can_be_beside_colours_by_name() -> None:
    found = read_options({"colors/colors": "navy teal\nOslo 2\n"}, "light").colors
    assert found.series == ("#000080", "#008080")
    assert found.named.marks == (("oslo", "#d0600f"),) and not found.named.others


@pytest.mark.parametrize("word", ["bar", "hbar"])
def test_a_bar_is_marked_in_every_form(word: str) -> None:
    plot = plot_of(word, TOWNS)
    picture = PictureReader(draw(plot, Look()).svg)
    assert len(picture.of("rect", RED)) == 1 and len(picture.of("rect", GRAY)) == 2
    native = native_chart(shown_chart(plot, plot_frame(plot)), 100)
    assert native is not None and native.series[0].colors == (GRAY, GRAY, RED)
    (line,) = [one for one in terminal_chart(plot, 40).splitlines() if "Kiel" in one]
    assert "38;2;208;48;64" in line


def test_a_marked_line_is_drawn_last_and_stronger_and_all_are_named() -> None:
    svg = draw(plot_of("line", YEARS), Look()).svg
    drawn = re.findall(r'stroke="(#\w+)" stroke-width="([\d.]+)"', svg)
    widest = {color: max(float(width) for one, width in drawn if one == color) for color in (RED, GRAY)}
    assert widest[RED] > 2 * widest[GRAY]
    assert [one.stroke for one in PictureReader(svg).of("line")][-1] == RED
    assert {"Ulm", "Bonn", "Kiel", "Bern"} <= set(PictureReader(svg).words)


def test_a_key_names_the_marked_and_counts_the_others() -> None:
    plot = Plot(YEARS, {"type": "gbar", "colors/colors": f"Kiel {RED}\n* gray"})
    drawn = draw(plot, Look())
    assert {"Kiel", "3 others"} <= set(PictureReader(drawn.svg).words)


def test_parts_have_the_colours_of_their_names() -> None:
    plot = plot_of("donut", TOWNS, f"Kiel {RED}")
    assert len(PictureReader(draw(plot, Look()).svg).of("arc", RED)) == 1
    native = native_chart(shown_chart(plot, plot_frame(plot)), 100)
    assert native is not None and native.series[0].colors[1] == RED


def test_unknown_names_are_noted() -> None:
    notes = draw(plot_of("bar", TOWNS, 'Oslo #d03040\n"Ulm" reddish'), Look()).notes
    assert notes == (
        'config/colors/colors: ""Ulm" reddish" has no colour: write #rrggbb after the name',
        'config/colors/colors: "oslo" is no name here: the first are "Ulm", "Bonn" and "Kiel"',
    )


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-40, 40), min_size=2, max_size=12), st.sampled_from(["bar", "hbar", "ibar"]))
def test_bars_have_the_colours_of_their_signs(values: list[int], word: str) -> None:
    data = "town,n\n" + "".join(f"t{at},{value}\n" for at, value in enumerate(values))
    plot = plot_of(word, data, f"+ gray\n- {RED}\nt0 navy")
    picture, rest = PictureReader(draw(plot, Look()).svg), values[1:]
    assert len(picture.of("rect", RED)) == sum(value < 0 for value in rest)
    assert len(picture.of("rect", GRAY)) == sum(value > 0 for value in rest)
    native = native_chart(shown_chart(plot, plot_frame(plot)), 100)
    assert native is not None
    for value, color in zip(rest, native.series[0].colors[1:], strict=True):
        assert color == {1: GRAY, -1: RED}.get((value > 0) - (value < 0), color)
    shown = terminal_chart(plot, colored=True)
    assert ("38;2;208;48;64" in shown) == any(value < 0 for value in rest)


def test_colours_of_signs_are_noted_without_bars_of_one_series() -> None:
    for word, data in (("line", TOWNS), ("gbar", YEARS)):
        assert any("+ and -" in note for note in draw(plot_of(word, data, "- #d03040"), Look()).notes)
