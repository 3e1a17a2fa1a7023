"""Guard: a registered type has every part that a type has, and a test that reads its picture back."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.pages.charts.plot_words import FURTHER, PICKED_WORDS
from handlers.reference import manual
from handlers.render.plots import types
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, describe, draw
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.shown.native_chart import native_chart
from handlers.render.plots.shown.shown_chart import shown_chart
from handlers.render.plots.types import TABLE, TYPES
from handlers.trees.visuals.plots import CONFIG
from handlers.words.plot import Plot
from tests.handlers.render.plots import words_of_types
from tests.handlers.render.plots.charts import (
    test_parts_read_back,
    test_ranges_read_back,
    test_types_read_back,
)
from vfs.nodes import Dir, Node

READ_BACK = (test_types_read_back, test_ranges_read_back, test_parts_read_back)


@pytest.mark.parametrize("word", TYPES)
def test_a_type_has_all_its_parts(word: str) -> None:
    kind = TYPES[word]
    assert kind.word == word and kind.noun and kind.title
    assert kind.terminal is not None and kind.describes is not None and kind.steps
    assert (word in PICKED_WORDS) == bool(kind.drawing) and (word in FURTHER) != bool(kind.drawing)
    files = {f"{folder}/{name}" for folder, one in CONFIG.children.items() for name in _names(one)}
    assert kind.reads <= files | set(CONFIG.children)


def test_a_drawing_of_the_editor_is_that_of_a_type() -> None:
    drawn = {path.stem: path.read_text() for path in Path(types.__file__).parent.glob("drawings/*.svg")}
    assert drawn == {kind.word: kind.drawing for kind in (*TYPES.values(), TABLE) if kind.drawing}


@pytest.mark.parametrize("word", TYPES)
def test_the_example_of_a_type_is_drawn_in_every_form(word: str) -> None:
    kind = TYPES[word]
    plot = Plot(kind.example, {"type": word})
    frame = plot_frame(plot)
    shown = shown_chart(plot, frame)
    assert not shown.missing and shown.kind is kind
    assert "<title>" in draw(plot, Look(width=500)).svg
    size, _, details = describe(plot, frame).partition("; ")
    assert size.startswith(kind.noun) and details, "say what its marks tell in `describes`"
    lines = terminal_chart(plot, colored=False).splitlines()
    assert lines and not any("drawn as a table" in line for line in lines)
    assert (native_chart(shown, 1000) is not None) == (kind.native is not None)


@pytest.mark.parametrize("word", TYPES)
def test_the_picture_of_a_type_is_read_back(word: str) -> None:
    assert any(word in _words(module) for module in READ_BACK), (
        "read its picture back in a test of tests/handlers/render/plots/charts, which has its word"
    )


def test_the_manual_has_a_word_for_every_type() -> None:
    chapter = (Path(manual.__file__).parent / "text" / "plots.md").read_text()
    assert not [word for word in TYPES if f"`{word}`" not in chapter and not TYPES[word].bars]


def _names(node: Node) -> tuple[str, ...]:
    return tuple(node.children) if isinstance(node, Dir) else ()


def _words(module: ModuleType) -> set[str]:
    """The words in the tests of a module and in their parameters."""
    tests = [one for one in ast.parse(inspect.getsource(module)).body if isinstance(one, ast.FunctionDef)]
    found = set[str]()
    for test in (one for one in tests if one.name.startswith("test_")):
        for node in ast.walk(test):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.Name):
                found |= set(getattr(words_of_types, node.id, ())) if node.id.isupper() else set()
    return found


@pytest.mark.parametrize("data", ["", "a\nx\n", "a\n1\n", "a,b\nx,1\ny,2\n", "a,b\nx,y\n"])
@pytest.mark.parametrize("word", TYPES)
def test_a_type_says_what_its_data_lack_whatever_is_set(word: str, data: str) -> None:
    config = {
        "type": word, "colors/colors": "x: red", "value/against": "x", "notes": "line 1: x",
        "trend": "linear", "axis/scale": "log", "axis/names": "left: x", "value/labels": "yes",
    }  # fmt: skip
    plot = Plot(data, config)
    shown = shown_chart(plot, plot_frame(plot))
    if shown.missing:
        assert shown.missing.rstrip(".") in draw(plot, Look(width=500)).svg.replace("\u00a0", " ")
    else:
        assert terminal_chart(plot, colored=False)


EXTREMES = (
    "0",
    "1",
    "-3",
    "5e-324",
    "-5e-324",
    "1e-300",
    "3e-297",
    "1e-160",
    "1e150",
    "-1e150",
    "2e16",
    "1e308",
)


@settings(max_examples=20)
@given(st.data(), st.integers(1, 4), st.integers(1, 6))
@pytest.mark.parametrize("word", TYPES)
def test_numbers_of_any_size_are_drawn(word: str, data: st.DataObject, columns: int, rows: int) -> None:
    numbers = st.lists(st.sampled_from(EXTREMES), min_size=columns, max_size=columns)
    first = data.draw(st.sampled_from([lambda row: f"x{row}", lambda row: f"2026-01-{row + 1:02}", str]))
    lines = [",".join([first(row), *data.draw(numbers)]) for row in range(rows)]
    head = ",".join(["name", *(f"b{at}" for at in range(columns))])
    plot = Plot("\n".join([head, *lines]), {"type": word})
    assert draw(plot, Look(width=420)).svg
    assert terminal_chart(plot, 40, 12)
