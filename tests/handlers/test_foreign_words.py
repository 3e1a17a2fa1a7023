"""Words of others stay what they are, and turn nothing beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.plain_lines import FSI, PDI, balance, isolate, may_turn

OPENING = {"\u2066": PDI, "\u2067": PDI, "\u2068": PDI, **dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c")}
CLOSING = {PDI, "\u202c"}
LETTERS = [
    "a",
    "1",
    " ",
    "(",
    "ש",
    "ع",
    "٣",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u200f",
    "👩",
    "\n",
    "\r\n",
    "\u2029",
]
WORDS = st.lists(st.sampled_from([*LETTERS, *OPENING, *CLOSING]), max_size=30).map("".join) | st.text()


def is_balanced(line: str) -> bool:
    """Return whether a line closes all that it opens, embeddings within their isolate, and nothing else."""
    depth = [0]
    sound = []
    for sign in line:
        if sign in OPENING and OPENING[sign] == PDI:
            depth.append(0)
        elif sign == PDI:
            depth.pop()
            sound.append(bool(depth))
            depth = depth or [0]
        elif sign in OPENING:
            depth[-1] += 1
        elif sign in CLOSING:
            depth[-1] -= 1
            sound.append(depth[-1] >= 0)
    return all(sound) and depth == [0]


@given(WORDS)
def test_each_line_closes_what_it_opens_and_nothing_else(words: str) -> None:
    made = balance(words)
    for line in made.splitlines():
        assert is_balanced(line)
    assert balance(made) == made
    plain = str.maketrans(dict.fromkeys([*OPENING, *CLOSING]))
    assert made.translate(plain) == words.translate(plain)


@given(WORDS)
def test_an_isolate_is_one_from_its_first_sign_to_its_last(words: str) -> None:
    line = "".join(words.splitlines())
    made = isolate(line)
    assert may_turn(line) or made == line
    assert not may_turn(line) or ((made[0], made[-1]) == (FSI, PDI) and is_balanced(made[1:-1]))


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_words_that_turn_nothing_stay_to_the_byte(words: str) -> None:
    assert isolate(words) == words and balance(words) == words


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ("please \u202e look", "\u2068please \u202e look\u202c\u2069"),
        ("a\u2069b", "\u2068ab\u2069"),
        ("a\u202cb\u2067c", "\u2068ab\u2067c\u2069\u2069"),
        ("\u2067\u202e a\u2069 b", "\u2068\u2067\u202e a\u2069 b\u2069"),
        ("שלום 1", "\u2068שלום 1\u2069"),
        ("👩\u200d👧 café", "👩\u200d👧 café"),
        ("\u202e" * 100, "\u2068" + "\u202e" * 40 + "\u202c" * 40 + "\u2069"),
    ],
)
def test_isolated_words(words: str, made: str) -> None:
    assert isolate(words) == made
