"""Figures: their format, the value that they are compared with, and the colour of good changes."""

from __future__ import annotations

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.terminal.screen import ESCAPE
from handlers.render.plots.look.palette import LIGHT
from handlers.trees.visuals.plots import CHECKS
from handlers.words.plot import Plot
from vfs.errors import Invalid

CHURN = "month,churn\n2026-01,0.05\n2026-02,0.046\n2026-03,0.052\n"


def plot_of(word: str = "value", **config: str) -> Plot:
    return Plot(CHURN, {"type": word, **{f"value/{name}": text for name, text in config.items()}})


@pytest.mark.parametrize(
    ("good", "color"), [("", LIGHT.good), ("up", LIGHT.good), ("down", LIGHT.bad), ("none", LIGHT.quiet)]
)
def test_the_good_direction_has_its_colour(good: str, color: str) -> None:
    svg = draw(plot_of(good=good), Look()).svg
    assert f'fill="{color}" font-weight="600">▲ 13% more than Feb 2026 (+0.006)' in svg
    shown = terminal_chart(plot_of(good=good), 60)
    assert ("\x1b[38;2;" in shown.splitlines()[0]) == (good != "none")


def test_good_and_bad_differ_on_any_background_of_a_terminal() -> None:
    tones = {good: terminal_chart(plot_of(good=good), 60).splitlines()[0] for good in ("up", "down")}
    assert tones["up"] != tones["down"]
    assert {ESCAPE.sub("", line) for line in tones.values()} == {"0.052  ▲ 13% more than Feb 2026 (+0.006)"}


def test_a_figure_is_compared_with_a_row() -> None:
    plot = plot_of(against="2026-01", format=".1%")
    assert "▲ 0.2 points more than Jan 2026" in draw(plot, Look()).svg
    assert terminal_chart(plot, 60, colored=False).startswith("5.2%  ▲ 0.2 points more than Jan 2026")
    assert (
        "▲ 0.2 points more than a year ago"
        in draw(plot_of(against="2026-01", format=".1%", than="a year  ago"), Look()).svg
    )
    (note,) = draw(plot_of(against="May"), Look()).notes
    assert note == 'config/value/against: "May" is no row with a value: nothing is compared'


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("8,14", "▲ 75% more than a (+6)"),
        ("14,8", "▼ 43% less than a (−6)"),
        ("8,8", "▶ as much as a"),
        ("0,8", "▲ 8 more than a"),
        ("-8,4", "▲ 12 more than a"),
        ("4,-8", "▼ 12 less than a"),
        ("1284300,1290000", "▲ 0.44% more than a (+5,700)"),
        ("12 %,13 %", "▲ 1 point more than a"),
        ("40 €,50.50 €", "▲ 26% more than a (+€10.50)"),
    ],
)
def test_a_change_is_written_in_words(values: str, words: str) -> None:
    before, last = values.split(",")
    plot = Plot(f"name,n\na,{before}\nb,{last}\n", {"type": "value"})
    assert words in draw(plot, Look()).svg
    assert terminal_chart(plot, 60, colored=False).splitlines()[0].endswith(words)


def test_a_figure_of_one_column_is_compared_with_the_value_before() -> None:
    assert terminal_chart(Plot("n\n4\n5\n", {"type": "value"}), 60, colored=False).startswith(
        "5  ▲ 25% more than before (+1)"
    )


def test_three_digits_are_a_format() -> None:
    data = "name,n\na,1284300\nb,1290400\n"
    for word, path in (("value", "value/format"), ("bar", "axis/labels"), ("donut", "value/format")):
        said = "y .2s" if path == "axis/labels" else ".2s"
        plot = Plot(data, {"type": word, path: said})
        assert "1.3m" in draw(plot, Look()).svg and "1.3m" in terminal_chart(plot, 60, colored=False)


def test_settings_that_a_type_does_not_read_are_noted() -> None:
    for word in ("donut", "spark"):
        notes = draw(plot_of(word, good="down", than="May", format=".1%"), Look()).notes
        assert [one for one in notes if "config/value" in one] == [
            f"config/value/{name} is kept, but has no effect on a {word}; it affects value"
            for name in ("good", "than")
        ]


def test_amounts_and_the_sum_of_shares_have_the_format() -> None:
    svg = draw(plot_of("donut", format=".1%"), Look()).svg
    assert ">14.8%<" in svg and ">4.6%<" in svg


@pytest.mark.parametrize(
    ("name", "text"), [("good", "left"), ("format", "percent"), ("against", "a" * 200), ("than", "a" * 200)]
)
def test_mistakes_are_refused(name: str, text: str) -> None:
    with pytest.raises(Invalid, match="line 1, column 1: "):
        CHECKS[f"value/{name}"](text)
    assert any(f"config/value/{name}" in note for note in draw(plot_of(**{name: text}), Look()).notes)
