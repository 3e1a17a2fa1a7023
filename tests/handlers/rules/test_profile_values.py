"""Colours and masks, to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.profile_values import colour, mask, without_line_end
from vfs.errors import Invalid

HEX = st.text("0123456789abcdefABCDEF", min_size=6, max_size=6)


@given(HEX)
def test_a_colour_is_kept_as_it_is(digits: str) -> None:
    assert colour(f"#{digits}") == f"#{digits}"


@given(HEX)
def test_one_line_ending_is_taken_off_and_nothing_else(digits: str) -> None:
    word = f"#{digits}"
    assert colour(f"{word}\n") == colour(f"{word}\r\n") == word
    for more in (f"{word}\n\n", f"{word}\r", f" {word}", f"{word} ", f"\n{word}", f"{word}\n ", f"{word}\t"):
        with pytest.raises(Invalid):
            colour(more)


@given(st.text(max_size=9))
def test_an_invalid_colour_is_refused(word: str) -> None:
    digits = without_line_end(word)[1:]
    if len(digits) == 6 and word[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in digits):
        assert colour(word) == f"#{digits}"
    else:
        with pytest.raises(Invalid):
            colour(word)


@pytest.mark.parametrize(
    "word", ["", "#12345", "#1234567", "123456", "#12345g", "#１２３４５６", "red", "#fff"]
)
def test_a_malformed_colour(word: str) -> None:
    with pytest.raises(Invalid):
        colour(word)


@pytest.mark.parametrize(
    ("sent", "kept"), [("1,2,3", "1,2,3"), ("(10, 20.5 ,30)\n", "10,20.5,30"), ("0,0,0.5", "0,0,0.5")]
)
def test_a_mask(sent: str, kept: str) -> None:
    assert mask(sent) == kept


@pytest.mark.parametrize(
    "sent", ["", "1,2", "1,2,3,4", "-1,2,3", "(1,2,3", "1,2,3)", "1,2,0", "a,b,c", "1e9,2,3"]
)
def test_a_malformed_mask(sent: str) -> None:
    with pytest.raises(Invalid):
        mask(sent)
