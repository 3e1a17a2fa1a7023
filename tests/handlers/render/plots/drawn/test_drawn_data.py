"""Data are drawn or noted: columns, rows and values of generated tables, in every type."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.series import NO_NAME
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.drawn.drawn_data import drawn_data
from handlers.render.plots.drawn.point_series import point_columns
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TYPES
from handlers.render.plots.types.gantt import span_roles
from handlers.render.plots.types.intervals import interval_columns
from handlers.rendering.forms import FORMS
from handlers.rendering.port import RenderOrder
from handlers.words.plot import Plot
from tests.handlers.render.plots.words_of_types import DISTRIBUTIONS, INTERVALS, ON_A_LOG_SCALE, POINTS

WORDS = st.sampled_from(["fen", "bog", "mere", ""])
DATES = st.sampled_from(["2024-01-05", "2024-01-02", "2024-03-01", "2023-12-31"])
NUMBERS = st.one_of(st.integers(-50, 500).map(str), st.just(""))
COLUMNS = st.lists(st.sampled_from([WORDS, DATES, NUMBERS, NUMBERS]), min_size=1, max_size=6)


@st.composite
def tables(draw_: st.DrawFn) -> str:
    """A table of columns of words, dates and numbers with gaps."""
    kinds = draw_(COLUMNS)
    rows = draw_(st.lists(st.tuples(*kinds), min_size=1, max_size=12))
    names = [f"column-{at}" for at in range(len(kinds))]
    return "".join(",".join(row) + "\n" for row in (names, *rows))


def values(frame: Frame) -> float:
    return math.fsum(value or 0.0 for column in frame.series for value in column.numbers)


@pytest.mark.parametrize("type_", sorted(TYPES))
@example("column-0,column-1\n0,\n0,\n")
@given(tables())
def test_every_column_is_drawn_or_noted(type_: str, data: str) -> None:
    frame = read_frame(data)
    drawn = drawn_data(TYPES[type_], frame)
    notes = " ".join((*drawn.shown, *drawn.logged))
    kept = {column.name for column in drawn.frame.columns}
    if type_ in POINTS:
        kept -= set(re.findall(r'"(column-\d)"', notes))
    if type_ in ("gantt", *INTERVALS):  # columns of these types get other names
        found = interval_columns(frame) if type_ in INTERVALS else []
        kept |= {one.name for one in span_roles(frame).values()} if type_ == "gantt" else set()
        kept |= {one.name for columns in found for one in columns.values()}
    for column in frame.columns[1:]:
        only = len(drawn.frame.series) and [column] == [one for one in frame.columns if one.numbers]
        groups = type_ in DISTRIBUTIONS and (only or kept & {text or NO_NAME for text in column.texts})
        assert column.name in kept or f'"{column.name}"' in notes or groups
    picture = draw(Plot(data, {"type": type_}), Look(width=500))
    assert {*drawn.shown, *drawn.logged} <= set(picture.notes)
    for sentence in drawn.shown:
        shown = re.sub(r"<[^>]*>", " ", picture.svg)
        assert "needs" in picture.notes[-1] or "No " in picture.notes[-1] or sentence.split()[0] in shown
    terminal_chart(Plot(data, {"type": type_}), 40, 12)


@given(tables())
def test_drawn_and_noted_values_are_all_values_of_the_data(data: str) -> None:
    frame = read_frame(data)
    for type_ in ("abar", "heatmap", "bar", "line", "sarea", "area", "step"):
        drawn = drawn_data(TYPES[type_], frame)
        lost = [
            row
            for row in range(frame.height)
            if type_ not in ("abar", "heatmap", "bar")
            and frame.axis is not None
            and frame.axis.type is not ColumnType.TEXT
            and (frame.axis.dates or frame.axis.numbers)[row] is None
        ]
        if len(lost) == frame.height or not frame.series:
            continue
        rest = math.fsum(column.numbers[row] or 0.0 for column in frame.series for row in lost)
        assert math.isclose(values(drawn.frame) + rest, values(frame), abs_tol=1e-6)
        assert any(f"{len(lost):,} row" in note for note in drawn.shown) == bool(lost)


@given(tables())
def test_points_and_rows_without_one_are_all_rows(data: str) -> None:
    frame = read_frame(data)
    for sized in (False, True):
        columns = point_columns(frame, sized=sized)
        drawn = drawn_data(TYPES["bubble" if sized else "scatter"], frame)
        notes = (*drawn.shown, *drawn.logged)
        counted = sum(
            int(one) for note in notes for one in re.findall(r"^(\d+) (?:point|row)s? (?:is|are)", note)
        )
        spots = columns.spots if columns else ()
        if not columns or not spots:
            continue
        numbers = [columns.across, *columns.upward]
        known = [[one.numbers[row] is not None for one in numbers] for row in range(frame.height)]
        whole = sum(row[0] and any(row[1:]) for row in known)
        assert len({(spot.x, spot.y) for spot in spots}) <= sum(sum(row[1:]) for row in known if row[0])
        assert counted >= frame.height - whole - sum(not any(row) for row in known) or not counted
        assert counted or whole == sum(any(row) for row in known)


def test_the_check_of_data_names_points_and_settings_that_the_chart_leaves_out() -> None:
    texts = {"data": "n,x,y,s\na,1,2,3\nb,2,3,-4\nc,4,5,6\n", "config/type": "bubble"}
    order = RenderOrder("plot", "check", {**texts, "config/axis/scale": "x log"})
    warnings = json.loads(FORMS["plot"]["check"](order)[0])["notes"]
    assert warnings == ["1 point is left out: a negative value."]
    order = RenderOrder("plot", "check", {**texts, "config/type": "pie", "config/axis/scale": "y log"})
    notes = json.loads(FORMS["plot"]["check"](order)[0])["notes"]
    said = "config/axis/scale is kept, but has no effect on a pie; it affects "
    assert any(note.startswith(said) for note in notes)


SETTINGS = st.fixed_dictionaries(
    {
        "axis/scale": st.sampled_from(["", "y log", "x log", "x log\ny log"]),
        "axis/domains": st.sampled_from(["", "y 0 20", "x 1 3", "y 100 _\nx _ 2", "y -5 -1", "x 2024 2025"]),
        "axis/ticks": st.sampled_from(["", "x 4\ny 3", "x 1 2 3\ny 0 10"]),
        "legend/type": st.sampled_from(["", "direct", "key", "none"]),
    }
)


@given(st.sampled_from(sorted(TYPES)), tables(), SETTINGS)
def test_a_setting_that_is_not_applied_is_noted(type_: str, data: str, settings: dict[str, str]) -> None:
    plot = Plot(data, {"type": type_, **settings})
    drawn = draw(plot, Look(width=420))
    if shown_chart(plot, plot_frame(plot)).missing:
        return
    terminal_chart(plot, 40, 12)
    notes = [note for note in drawn.notes if note.startswith("config/axis/scale")]
    if type_ not in ON_A_LOG_SCALE and "y log" in settings["axis/scale"]:
        assert notes
    numbers_along = ("line", "step", "area", "sarea", "scatter", "bubble", "band")
    if type_ not in numbers_along and settings["axis/scale"] == "x log":
        assert notes


def test_a_log_axis_without_positive_values_is_noted_and_linear() -> None:
    rows = "x,y\n1,0\n2,10\n3,100\n"
    for type_ in ("line", "step", "scatter"):
        assert (
            "config/axis/scale: log needs values above 0"
            in draw(Plot(rows, {"type": type_, "axis/scale": "y log"}), Look()).notes
        )
    notes = draw(Plot("x,y\n0,1\n1,2\n", {"type": "line", "axis/scale": "x log"}), Look()).notes
    assert notes == ("config/axis/scale: x log needs numbers above 0 along x",)
    notes = draw(Plot("n,y\na,1\nb,2\n", {"type": "line", "axis/domains": "x 0 3\ny 0 1"}), Look()).notes
    assert notes == (
        "config/axis/domains: y goes on to 2, so that no value is cut off",
        "config/axis/domains: x has names here, and no ends",
    )
