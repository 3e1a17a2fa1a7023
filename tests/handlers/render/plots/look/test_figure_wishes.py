"""Figures: their format, what they are compared with, and the colour of what is good."""

from __future__ import annotations

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.plot import Plot
from handlers.trees.visuals.plots import CHECKS
from vfs.errors import Invalid

CHURN = "month,churn\n2026-01,0.05\n2026-02,0.046\n2026-03,0.052\n"


def plot_of(word: str = "value", **config: str) -> Plot:
    return Plot(CHURN, {"type": word, **{f"value/{name}": text for name, text in config.items()}})


@pytest.mark.parametrize(
    ("good", "color"), [("", LIGHT.good), ("up", LIGHT.good), ("down", LIGHT.bad), ("none", LIGHT.quiet)]
)
def test_the_way_that_is_good_has_its_colour(good: str, color: str) -> None:
    svg = draw(plot_of(good=good), Look()).svg
    assert f'fill="{color}" font-weight="600">▲ 0.006' in svg


def test_a_figure_is_compared_with_a_row() -> None:
    plot = plot_of(against="2026-01", format=".1%")
    assert "▲ 0.2% (4.0%) since 2026-01" in draw(plot, Look()).svg
    assert terminal_chart(plot, 60, colored=False).startswith("5.2%  ▲ 0.2% (4.0%) since 2026-01")
    (note,) = draw(plot_of(against="May"), Look()).notes
    assert note == 'config/value/against: "May" is no row with a value: nothing is compared'


def test_amounts_and_the_sum_of_shares_have_the_format() -> None:
    svg = draw(plot_of("donut", format=".1%"), Look()).svg
    assert ">14.8%<" in svg and ">4.6%<" in svg


@pytest.mark.parametrize(("name", "text"), [("good", "left"), ("format", "percent"), ("against", "a" * 200)])
def test_what_is_wrong_is_refused(name: str, text: str) -> None:
    with pytest.raises(Invalid, match="line 1, column 1: "):
        CHECKS[f"value/{name}"](text)
    assert any(f"config/value/{name}" in note for note in draw(plot_of(**{name: text}), Look()).notes)
