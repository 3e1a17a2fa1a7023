"""Settings in words change their part of a file, and nothing else of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.pages.charts.plot_words import every_field, shown_fields, with_words, word_fields

BY_NAME = {one.name: one for one in every_field()}
LINES = st.lists(st.sampled_from(("x 0 5", "y 0 100", "y _ 7", "x %b", "z what", "")), max_size=4)


@given(LINES, st.sampled_from(sorted(BY_NAME)), st.text("abc.,%0123 ", max_size=6))
def test_a_written_setting_is_read_back_and_changes_no_other_line(
    lines: list[str], name: str, value: str
) -> None:
    field, said = BY_NAME[name], " ".join(value.split())
    if field.place:
        said = said.split(" ")[0]
    text = field.write("\n".join(lines), said)
    assert field.read(text) == said
    if field.axis:
        others = [line for line in lines if line.strip() and line[0] != field.axis]
        assert [line for line in text.split("\n") if line and line[0] != field.axis] == others


@pytest.mark.parametrize(
    ("text", "low", "high", "wanted"),
    [
        ("", "0", "", "y 0 _"),
        ("x 1 2\ny 0 100", "", "100", "x 1 2\ny _ 100"),
        ("x 1 2\ny 0 100", "", "", "x 1 2"),
    ],
)
def test_ends_of_an_axis(text: str, low: str, high: str, wanted: str) -> None:
    said = BY_NAME["y-high"].write(BY_NAME["y-low"].write(text, low), high)
    assert said == wanted


def test_an_unchanged_setting_leaves_the_file_as_it_was_typed() -> None:
    texts = {"config/axis/domains": "y 0 5\nx 1 2\n"}
    same = {"y-low": "0", "y-high": "5"}
    assert with_words(texts, same, texts) == texts
    assert with_words(texts, {**same, "y-high": "9"}, texts)["config/axis/domains"] == "x 1 2\ny 0 9"


def test_a_value_without_words_is_an_additional_choice() -> None:
    shown = {
        one.field.name: one for one in shown_fields(word_fields("axes"), {"config/axis/labels": "y ,.3f"})
    }
    assert shown["y-format"].value == ",.3f" and shown["y-format"].choices[-1].title == ",.3f"
    assert all(one.choices is one.field.choices for one in shown_fields(word_fields("looks"), {}))
