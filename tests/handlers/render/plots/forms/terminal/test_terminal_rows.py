"""Lines of plots in text: a line for each row unless fewer are requested, and the words around them."""

from __future__ import annotations

import re

import pytest

from handlers.render.plots.forms.terminal.chart import ALL_ROWS, terminal_chart
from handlers.render.terminal_picture import MOST_LINES, terminal_svg
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder
from handlers.rules.render_options import options_of
from handlers.words.plot import Plot

COUNT = 70
ROWS = "name,north,south\n" + "".join(f"row {at},{at + 1},{COUNT - at}\n" for at in range(COUNT))
SPANS = "name,value,low,high\n" + "".join(f"row {at},5,{at % 4},{6 + at % 3}\n" for at in range(COUNT))
TASKS = "task,start,end\n" + "".join(f"row {at},{at},{at + 3}\n" for at in range(COUNT))
DATA = {**dict.fromkeys(("errorbar", "band"), SPANS), "gantt": TASKS}
ROWED = [
    "bar",
    "gbar",
    "hsbar",
    "dot",
    "dumbbell",
    "slope",
    "errorbar",
    "heatmap",
    "table",
    "pyramid",
    "gantt",
]


def text(word: str, data: str = "", rows: int = ALL_ROWS, **config: str) -> list[str]:
    plot = Plot(data or DATA.get(word, ROWS), {"type": word, **config})
    return terminal_chart(plot, 60, rows, colored=False).splitlines()


@pytest.mark.parametrize("word", ROWED)
def test_each_row_has_a_line_unless_fewer_are_requested(word: str) -> None:
    whole, part = text(word), text(word, rows=20)
    names = {found[0] for line in whole for found in re.finditer(r"row \d+", line)}
    assert names == {f"row {at}" for at in range(COUNT)}
    assert len(part) <= 21 and re.search(rf"more|of {COUNT} rows shown", part[-1])


@pytest.mark.parametrize("word", ["line", "area", "scatter"])
def test_a_type_without_rows_has_the_usual_height(word: str) -> None:
    assert 8 <= len(text(word)) <= 20


def test_each_panel_has_its_lines() -> None:
    data = "month,land,bogs\n" + "".join(f"{at},{land},{at}\n" for land in "abcdef" for at in range(9))
    for word in ("bar", "line"):
        lines = text(word, data, **{"split/by": "land"})
        assert [line for line in lines if line in list("abcdef")] == list("abcdef")
        assert not any("more panels" in line for line in lines)


def test_a_query_says_how_many_lines() -> None:
    assert options_of("txt", {})["rows"] == options_of("ansi", {"rows": "all"})["rows"] == ALL_ROWS
    assert options_of("txt", {"rows": "40"})["rows"] == 40
    assert [options_of("txt", {"rows": word})["rows"] for word in ("5", "201", "none")] == [ALL_ROWS] * 3
    order = RenderOrder("plot", "txt", {"data": ROWS, "config/type": "bar"}, options_of("txt", {}))
    assert render_order(order).body.count(b"row ") == COUNT


def test_a_picture_of_a_long_text_counts_the_lines_that_it_leaves_out() -> None:
    drawn = terminal_svg("\n".join("abc" for _ in range(MOST_LINES + 7)) + "\n")
    words = "".join(re.findall(r">([^<]+)</text>", drawn))
    assert words.replace(" ", "").endswith("(8morelines)")
    assert "more" not in terminal_svg("\n".join("abc" for _ in range(MOST_LINES)) + "\n")


LONG = "Twelve curlews were seen at the mouth of the river before the rain came, and four stayed on"


@pytest.mark.parametrize("word", ["bar", "line", "pie", "value", "table", "heatmap", "scatter", "treemap"])
def test_words_are_around_every_type(word: str) -> None:
    said = {"title": LONG, "subtitle": "Birds, counted at dawn", "caption": "Source: the *station*"}
    lines = text(word, "place,a,b\nx,1,2\ny,3,4\n", **said)
    assert " ".join(lines[:2]) == LONG
    assert lines[2] == "Birds, counted at dawn"
    assert lines[-1] == "Source: the station"
    low = text(word, "place,a,b\nx,1,2\ny,3,4\n", rows=8, **said)
    assert low[0].endswith("…") and len(low[0]) <= 60
    assert "Source" not in "".join(low)


def test_a_ring_has_its_sum() -> None:
    assert text("donut", "kind,use\nheat,9400 kWh\nlight,6200 kWh\n")[-1].split() == [
        "total",
        "100%",
        "15,600",
        "kWh",
    ]
