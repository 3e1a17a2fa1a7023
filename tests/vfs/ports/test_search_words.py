"""Words that texts are found by."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vfs.ports.search import LONGEST, MOST, MOST_ASKED, asked_words, marks, normal, words


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Élan VÖGEL", "elan vogel"),
        ("Straße", "strasse"),
        ("Łódź, Ærø", "lodz, aero"),
        ("İstanbul ısı", "istanbul isi"),
        ("ＡＢＣ ①", "abc 1"),
        ("Ἀθήνα", "αθηνα"),
        ("Ёлка", "елка"),
        ("한국", "한국"),
        ("हिन्दी", "हिन्दी"),
        ("مُحَمَّد", "محمد"),
    ],
)
def test_letters_are_compared_without_case_width_and_accents(text: str, plain: str) -> None:
    assert normal(text) == plain


def test_a_text_is_found_by_its_words_and_their_parts() -> None:
    assert words("weekly-sales_2026q4!") == {"weekly", "sales", "2026q4", "q4", "4"}
    assert words("売上報告") == {"売上報告", "上報告", "報告", "告"}
    assert words("हिन्दी") == {"हिन्दी"}
    assert words("\u0903a") == {"\u0903a"}
    assert words(" .,!") == frozenset()


def test_words_are_bounded() -> None:
    assert all(len(word) <= LONGEST for word in words("x" * 1000))
    assert len(words(" ".join(f"w{number}" for number in range(500)))) <= MOST
    assert len(asked_words(" ".join(f"w{number}" for number in range(500)))) == MOST_ASKED


def test_search_words_are_unique_and_the_longest_first() -> None:
    assert asked_words("a Bird a, COUNT-er") == ("count", "bird", "er", "a")


@pytest.mark.parametrize(
    ("text", "wanted", "marked"),
    [
        ("Weekly Sales, sales2026", "sal 2026", ["Sal", "sal", "2026"]),
        ("Der Vögel Straße", "vog strass", ["Vög", "Straß"]),
        ("売上報告", "上報 報告", ["上報告"]),
        ("2026q4", "2026q q4", ["2026q4"]),
        ("nothing", "else", []),
    ],
)
def test_marks_are_at_the_search_words(text: str, wanted: str, marked: list[str]) -> None:
    assert [text[span.first : span.last] for span in marks(text, asked_words(wanted))] == marked


@given(st.text(max_size=60))
def test_a_text_is_found_by_its_words(text: str) -> None:
    there = words(text)
    assert all(any(word.startswith(part) for word in there) for part in asked_words(text)[:MOST_ASKED])
    spans = marks(text, asked_words(text))
    assert all(0 <= span.first < span.last <= len(text) for span in spans)
    assert all(one.last <= other.first for one, other in pairwise(spans))
