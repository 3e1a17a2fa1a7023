"""Settings of types: each changes the drawing, or the log says that it does not."""

from __future__ import annotations

import pytest

from handlers.render.plots.data.table_text import NUMBERS_ABOVE
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.plot_type import reads_setting
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TYPES
from handlers.render.plots.types.gantt import task_spans
from handlers.words.plot import Plot
from tests.handlers.render.plots.words_of_types import BARS, POINTS

SAID = {
    "notes": 'y 3 "limit"',
    "trend": "linear",
    "axis/sort": "name",
    "axis/stack": "share",
    "axis/domains": "y -900 4000",
    "axis/labels": "y ,.3f",
    "axis/ticks": "y 1 7",
    "axis/scale": "y log",
    "axis/names": "x Across\ny Upward",
    "split/by": "series",
    "combo/line": "south",
    "value/format": ".3f",
    "value/good": "down",
    "value/than": "last year",
    "value/labels": "ends",
    "map/area": "Germany",
    "map/geojson": "[]",
    "legend/type": "none",
    "legend/position": "bottom",
    "colors/theme": "plum",
    "colors/scale": "-5 5",
}
"""A value of each setting that changes the drawing of a type that reads it."""
TURNED = {word for word in BARS if word.startswith("i") or word.endswith("abar")}
SAME = {
    # These values are the defaults: no key, one series, the order of the data, colours about zero.
    **dict.fromkeys(TYPES, ("legend/type", "legend/position", "axis/sort", "value/good")),
    **dict.fromkeys(POINTS, ("legend/type", "legend/position", "axis/sort", "split/by")),
    "heatmap": ("legend/type", "legend/position", "axis/sort", "colors/theme"),
}
ROWS = "place,north,south\nUlm,12,8\nBonn,5,3\nKiel,14,40\n"
BOUNDS = "place,value,low,high\nUlm,12,8,14\nBonn,5,3,6\nKiel,14,4,20\n"
SETS = "place,n\nUlm,12\nUlm,13\nBonn,5\nBonn,3\nKiel,14\nKiel,40\n"


@pytest.mark.repeats
@pytest.mark.parametrize("word", [word for word in TYPES if word not in TURNED])
def test_a_setting_is_drawn_or_noted(word: str) -> None:
    data = TYPES[word].example
    plain = draw(Plot(data, {"type": word}), Look(width=500))
    for path, said in SAID.items():
        drawn = draw(Plot(data, {"type": word, path: said}), Look(width=500))
        notes = [note for note in drawn.notes if note.startswith(f"config/{path.partition('/')[0]}")]
        if not reads_setting(word, path):
            assert notes, f"{word} does not read {path}, and no note says so"
        assert notes or drawn.svg != plain.svg or path in SAME.get(word, ()), f"{word}: {path} is in vain"


@pytest.mark.parametrize(
    "word",
    ["hbar", "dot", "lollipop", "dumbbell", "range", "funnel", "pyramid", "heatmap", "errorbar", "strip"],
)
@pytest.mark.parametrize("order", ["name", "value down", "value up"])
def test_rows_and_sets_are_sorted(word: str, order: str) -> None:
    data = {"errorbar": BOUNDS, "strip": SETS}.get(word, ROWS)
    plot = Plot(data, {"type": word, "axis/sort": order})
    frame = shown_chart(plot, plot_frame(plot)).frame
    names = [column.name for column in frame.series] if word == "strip" else list(frame.categories)
    wanted = {"name": "Bonn Kiel Ulm", "value down": "Kiel Ulm Bonn", "value up": "Bonn Ulm Kiel"}[order]
    assert " ".join(names) == wanted


def test_tasks_are_sorted_by_their_start() -> None:
    plot = Plot("task,start,end\nB,2026-03-01,2026-03-09\nA,2026-01-01,2026-06-01\n", {"type": "gantt"})
    for order, names in (("data", "BA"), ("name", "AB"), ("value up", "AB"), ("value down", "BA")):
        one = Plot(plot.data, {**plot.config, "axis/sort": order})
        frame = shown_chart(one, plot_frame(one)).frame
        assert "".join(task.name for task in task_spans(frame)) == names


def test_settings_that_a_table_does_not_read_are_noted() -> None:
    notes = draw(Plot(ROWS, {"type": "table", "axis/sort": "name", "legend/type": "none"}), Look()).notes
    expected = [f"config/{what} is kept, but has no effect on a table" for what in ("axis/sort", "legend")]
    assert all(any(note.startswith(one) for note in notes) for one in expected)


@pytest.mark.parametrize("word", ["pie", "bar", "hist", "scatter"])
def test_a_first_line_of_numbers_is_not_a_row_and_is_noted(word: str) -> None:
    assert NUMBERS_ABOVE in draw(Plot("3,1\n4,2\n5,6\n", {"type": word}), Look()).notes
    assert NUMBERS_ABOVE not in draw(Plot("a,b\n4,2\n5,6\n", {"type": word}), Look()).notes
