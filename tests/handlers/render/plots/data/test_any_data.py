"""Every form of every type is rendered for any data of a plot."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.render.plots.types import TYPES
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder

WRITTEN = """
1 -2 3.5 1,234 1.234 1.200.000 (20) 5- 12% 0.5 $1,204.50 €5 12€ 5kg 300g 1'234 5'11 12,34,567 1e150
-1e150 1e-300 1e308 -1e308 1e999 0 -0 007 E10 1E5 nan n/a - 99999999999999999999 1e300%
"""
NUMBERS = st.sampled_from(WRITTEN.split())
MOMENTS = """
2024|1999|2199|1500|2024-01|2024-02-30|2024/01/31|31.01.2024|31.01.24|1/2/2024|13/2/2024|Jan 2024|31 Jan 2024
2024Q1|2024-W05|2024-W54|0000-01-01|0001-01-01|9999-12-31|9999-12-31T23:59:59-12:00|0001-01-01T00:00:00+14:00
10000-01-01|-0044-03-15|2024-03-01T00:00:00+01:00|2024-01-01 24:00|2024-01-01T00:00:00.000001Z|1/31/2024 2 PM
"""
DATES = st.sampled_from(MOMENTS.strip().replace("\n", "|").split("|"))
ODD = st.sampled_from(['"', '""', '"a', 'a"b', "", " ", "=1+1", "日本", "if", "\u202eabc"])
WORDS = st.one_of(ODD, st.text(max_size=8))
CELLS = st.one_of(NUMBERS, DATES, WORDS)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """Draw a text of rows; most columns have cells of one kind."""
    delimiter = draw(st.sampled_from([",", ";", "\t", "   "]))
    kinds = draw(st.lists(st.sampled_from([NUMBERS, DATES, WORDS, CELLS]), min_size=1, max_size=4))
    rows = draw(st.integers(0, 7))
    lines = [delimiter.join(f"c{number}" for number in range(len(kinds)))]
    lines += [delimiter.join(draw(kind) for kind in kinds) for _ in range(rows)]
    return draw(st.sampled_from(["", "", "\ufeff", "sep=;\n"])) + draw(st.sampled_from(["\n", "\r\n"])).join(
        lines
    )


@pytest.mark.soak
@given(st.one_of(tables(), st.text(max_size=120)), st.sampled_from([*TYPES, "table", "custom"]))
@example("d,v\n9999-12-31,1\n0001-01-01,2\n", "line")
@example("d,v\n9999-12-31,1\n9999-12-30,2\n", "calendar")
@example("d,v\n0001-01-01,1\n0001-01-02,2\n", "calendar")
@example("x,y\n1,1e150\n2,-1e150\n", "bar")
@example("x,y\n1,1e308\n2,-1e308\n", "bar")
@example("x,y\n1,1e-300\n2,3e-310\n", "line")
@example("d,v\n0001-01-01,1\n9998-01-02,2\n", "calendar")
@settings(max_examples=60, deadline=None)
def test_no_data_break_a_form(text: str, word: str) -> None:
    texts = {"data": text, "config/type": word}
    for form in ("check", "svg", "txt", "csv", "xlsx", "pptx", "html"):
        made = render_order(RenderOrder("plot", form, texts))
        assert made.body
        if form == "check":
            assert json.loads(made.body)["rows"] >= 0
