"""Texts of users become exactly one line, and keep their printable characters."""

from __future__ import annotations

from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.plain_lines import FSI, JOINERS, PDI, VIRAMA, one_line, shown_line

WORDS = st.text(st.characters() | st.sampled_from("\n\r\v\x1b\x9b\x85\u2028\u202e\u200c\u200d"), max_size=40)
JOINED = ["👨\u200d👩\u200d👧", "می\u200cخواهم", "क्\u200dष"]


@given(WORDS)
def test_words_are_one_printable_line(words: str) -> None:
    line = one_line(words)
    assert "".join(sign for sign in line if sign not in JOINERS).isprintable()
    assert line == line.strip() and one_line(line) == line
    for word in line.split():
        assert word.lstrip(JOINERS) == word
        bare = word.rstrip(JOINERS)
        assert word == bare or (len(word) == len(bare) + 1 and combining(bare[-1]) == VIRAMA)


@given(st.lists(st.text("abcø|", min_size=1), max_size=5))
def test_printable_text_stays(words: list[str]) -> None:
    assert one_line("\n".join(words)) == " ".join(words)


@pytest.mark.parametrize("word", JOINED)
def test_joiners_stay_in_their_words(word: str) -> None:
    assert one_line(f" {word}\n{word}\u200d ") == f"{word} {word}"


@pytest.mark.parametrize("word", ["avan\u0d28\u0d4d\u200d", "\u0d28\u0d4d\u200d", "\u0915\u094d\u200c"])
def test_a_joiner_that_makes_a_letter_s_form_stays_at_the_end(word: str) -> None:
    assert one_line(f"{word} x {word}\u200d\u200c\n\u200d{word}") == f"{word} x {word} {word}"


@given(WORDS)
def test_a_shown_line_turns_no_text_beside_it(words: str) -> None:
    line = shown_line(words)
    assert one_line(line.strip(FSI + PDI)) == one_line(words)
    assert line.isascii() or line == one_line(words) or (line[0], line[-1]) == (FSI, PDI)
