"""Names of axes: every form has them, and lines that name none are refused."""

from __future__ import annotations

import pytest

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.trees.visuals.plots import CHECKS
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.words_of_types import reading
from vfs.errors import Invalid

DATA = "x,a,b\n1,5,4\n2,7,9\n"


@pytest.mark.parametrize("word", ["bar", "hbar", "gbar", "sbar", "line", "area", "scatter"])
def test_every_form_has_the_names(word: str) -> None:
    plot = Plot(DATA, {"type": word, "axis/names": "y  Tonnes, dry\nx Day"})
    words = " ".join(PictureReader(draw(plot, Look()).svg).words)
    assert "Tonnes, dry" in words and "Day" in words
    native = native_chart(shown_chart(plot, plot_frame(plot)), 1000)
    assert native is not None and (native.values.title, native.along.title) == ("Tonnes, dry", "Day")
    assert "Day" in terminal_chart(plot, 60, 20, colored=False)
    for height in (140, 300):
        assert f'height="{height}"' in draw(plot, Look(height=height, width=400)).svg


@pytest.mark.parametrize("word", sorted(reading("axis")))
def test_every_type_with_axes_has_their_names_in_pictures_and_terminals(word: str) -> None:
    plot = Plot(type_of(word).example, {"type": word, "axis/names": "y Tonnes, dry\nx Day"})
    for size in (Look(), Look(width=400, height=300), Look(width=360)):
        drawn = draw(plot, size)
        words = " ".join(PictureReader(drawn.svg).words)
        assert "Tonnes, dry" in words and "Day" in words
        assert not any("axis/names" in note for note in drawn.notes)
        assert size.height is None or f'height="{size.height}"' in drawn.svg
    shown = terminal_chart(plot, 60, 0, colored=False)
    assert "Tonnes, dry" in shown and "Day" in shown


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [("Tonnes", 1, '"Tonnes" names no axis'), ("x Day\ny " + "a" * 99, 2, "up to 80 characters")],
)
def test_a_line_that_names_no_axis_is_refused(text: str, line: int, said: str) -> None:
    with pytest.raises(Invalid, match=f"^line {line}, column ") as refusal:
        CHECKS["axis/names"](text)
    assert said in refusal.value.detail
