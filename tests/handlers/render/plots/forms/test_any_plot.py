"""Any data, settings and type: every form is made, and its drawing is sound XML."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw, left_out
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.shown.test_settings_read import SAID

NAMES = "name value low high error start end task team done iso lat lon group x y size kind total"
HEADS = st.sampled_from(NAMES.split(" "))
CELLS = st.one_of(
    st.sampled_from(
        ["", "Oslo", "Other", "n/a", "**b**", "[l](https://x.y)", "עברית", "東京", "DK", "total"]
    ),
    st.sampled_from(["0", "12 %", "€4", "1e308", "-1e150", "1e-300", "1,204.5", "(20)", "nan"]),
    st.dates().map(str),
    st.integers(-99, 99).map(str),
    st.floats(-1e7, 1e7).map("{:.2f}".format),
)
SETTINGS = st.dictionaries(st.sampled_from(sorted(SAID)), st.none(), max_size=5)


@st.composite
def plots(draw_from: st.DrawFn) -> Plot:
    """A plot of any type with a small table and some settings."""
    word = draw_from(st.sampled_from([*TYPES, "table", "nosuch"]))
    width = draw_from(st.integers(1, 6))
    rows = draw_from(st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=12))
    heads = draw_from(st.lists(HEADS, min_size=width, max_size=width))
    table = "".join("\t".join(row) + "\n" for row in (heads, *rows))
    data = draw_from(st.sampled_from([table, table, type_of(word).example]))
    settings = {path: SAID[path] for path in draw_from(SETTINGS)}
    return Plot(data, {"type": word, "title": "**T** `c`", **settings})


@settings(max_examples=60, deadline=None)
@example(Plot("at\tvalue\n-1e150\t0\n", {"type": "line"}), 900, None)
@given(plots(), st.sampled_from([1, 160, 360, 900]), st.sampled_from([None, 1, 80, 200, 600]))
def test_every_form_is_made(plot: Plot, width: int, height: int | None) -> None:
    ElementTree.fromstring(draw(plot, Look(width=width, height=height)).svg)
    frame = plot_frame(plot)
    describe(plot, frame)
    left_out(plot, frame)
    text = terminal_chart(plot, 60, 20, colored=False)
    assert text.endswith("\n")
