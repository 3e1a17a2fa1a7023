"""Control signs are taken out of texts, whatever is around them."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from handlers.words.terminal_signs import SIGNS, safe_colors, safe_json, safe_text, safe_words

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
COLOR = re.compile("\x1b\\[[0-9;]*m")
steering = some.sampled_from([*"\x1b\x9b\x9d[]3;m\x07\x08\r\\\x85\x7fJ\n\taé\u202e"])
texts = some.lists(steering | some.text(max_size=3), max_size=30).map("".join)


@given(texts)
def test_no_sign_is_left_and_taking_out_again_changes_nothing(text: str) -> None:
    safe = safe_text(text)
    assert CONTROL.search(safe) is None
    assert safe_text(safe) == safe
    assert CONTROL.search(safe_words(text)) is None


@given(texts)
def test_of_a_text_with_colours_these_alone_are_left(text: str) -> None:
    safe = safe_colors(text)
    assert CONTROL.search(COLOR.sub("", safe)) is None
    assert COLOR.findall(safe) == [found[0] for found in SIGNS.finditer(text) if found[1]]


@given(some.text(some.characters(exclude_categories=["Cc", "Cs"])))
def test_a_text_without_them_is_as_it_was(text: str) -> None:
    assert safe_text(text) == safe_colors(text) == text


@given(some.recursive(texts, lambda inner: some.lists(inner) | some.dictionaries(texts, inner), max_leaves=5))
def test_json_means_the_same_without_any_raw_sign(value: object) -> None:
    safe = safe_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    assert json.loads(safe.decode("utf-8", "surrogatepass")) == value
    assert CONTROL.search(safe.decode("utf-8", "surrogatepass")) is None


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("one\x1b[31mred\x1b[0m", "onered"),
        ("\x1b]0;PWN\x07v", "]0;PWNv"),
        ("\x9b2Ja\r\nb\tc\n", "a\nb\tc\n"),
        ("\x1b\x1b[m[31m", "[31m"),
    ],
)
def test_a_sequence_goes_as_a_whole_and_words_never(text: str, safe: str) -> None:
    assert safe_text(text) == safe
