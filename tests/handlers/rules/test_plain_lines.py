"""Words of others on one line: whatever they are, no line more, and what prints stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handlers.rules.plain_lines import one_line

WORDS = st.text(st.characters() | st.sampled_from("\n\r\v\x1b\x9b\x85\u2028\u202e"), max_size=40)


@given(WORDS)
def test_words_are_one_printable_line(words: str) -> None:
    line = one_line(words)
    assert line.isprintable() and line == line.strip() and one_line(line) == line


@given(st.lists(st.text("abcø|", min_size=1), max_size=5))
def test_what_prints_stays(words: list[str]) -> None:
    assert one_line("\n".join(words)) == " ".join(words)
