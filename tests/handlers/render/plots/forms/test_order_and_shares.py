"""Bars in a chosen order, and stacks of shares: every form shows the same, and impossible ones are noted."""

from __future__ import annotations

import pytest

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

LANDS = "land,bog,fen\nOther,9,9\nEire,1,2\nSkye,6,2\nMull,,\n"


def plot_of(word: str, data: str = LANDS, **config: str) -> Plot:
    return Plot(data, {"type": word, **{key.replace("_", "/"): text for key, text in config.items()}})


def words_in(plot: Plot) -> list[str]:
    return PictureReader(draw(plot, Look()).svg).words


def test_every_form_has_the_order() -> None:
    plot = plot_of("hbar", axis_sort="value down")
    shown = shown_chart(plot, plot_frame(plot))
    native = native_chart(shown, 100)
    assert native is not None and native.names == ("Skye", "Eire", "Mull", "Other")
    lines = terminal_chart(plot, 60, 30, colored=False).splitlines()
    starts = [line.strip().split(" ")[0] for line in lines]
    assert [name for name in starts if name in native.names] == list(native.names)
    written = words_in(plot)
    assert [name for name in written if name in native.names] == list(native.names)


def test_largest_rows_are_those_that_find_room() -> None:
    data = "n,v\n" + "".join(f"r{row},{row}\n" for row in range(500))
    plot = plot_of("hbar", data, axis_sort="value down")
    assert shown_chart(plot, plot_frame(plot)).frame.categories[0] == "r499"


def test_shares_are_shares_in_every_form() -> None:
    plot = plot_of("sbar", axis_stack="share")
    shown = shown_chart(plot, plot_frame(plot))
    native = native_chart(shown, 100)
    assert native is not None and native.values.high == 1 and native.values.code.startswith("#,##0%")
    assert native.series[0].values[:3] == pytest.approx((0.5, 1 / 3, 0.75))
    assert {"0%", "50%", "100%", "75%", "25%", "33%", "67%"} <= set(words_in(plot))
    assert "1 row is left blank: nothing to share." in draw(plot, Look()).notes
    assert terminal_chart(plot, 40, colored=False).splitlines()[0].endswith("▒")


@pytest.mark.parametrize(
    ("word", "data", "reason"),
    [
        ("sbar", "n,v\na,1\n", "shares need two series"),
        ("sbar", "n,v,w\na,1,-2\n", "shares need values of 0 and above"),
    ],
)
def test_impossible_shares_are_noted(word: str, data: str, reason: str) -> None:
    notes = draw(plot_of(word, data, axis_stack="share"), Look()).notes
    assert any(note.startswith(f"config/axis/stack: {reason}") for note in notes)


def test_lines_keep_their_order_and_say_so() -> None:
    notes = draw(plot_of("line", "x,v\n1,3\n2,1\n", axis_sort="value up"), Look()).notes
    kinds = "bar, sbar, box, strip, heatmap, dot"
    assert notes == (f"config/axis/sort is kept, but has no effect on a line; it affects {kinds}",)
    notes = draw(plot_of("line", LANDS, axis_stack="share"), Look()).notes
    assert notes == ("config/axis/stack is kept, but has no effect on a line; it affects sbar, sarea",)
