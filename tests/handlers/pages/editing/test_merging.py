"""Merging of texts: what both changed is kept, and what overlaps is never guessed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.pages.editing.merging import MOST_LINES, compare, merge

LINES = st.lists(st.sampled_from(("a\n", "b\n", "c\n", "\n", "d\n")), max_size=9).map("".join)


def test_changes_of_different_lines_are_both_kept() -> None:
    base = "one\ntwo\nthree\nfour\nfive\n"
    assert merge(base, base.replace("one", "ONE"), base.replace("five", "FIVE\nsix")) == (
        "ONE\ntwo\nthree\nfour\nFIVE\nsix\n"
    )


def test_changes_of_the_same_line_and_of_lines_beside_it_are_not_guessed() -> None:
    assert merge("one\n", "1\n", "uno\n") is None
    assert merge("one\ntwo\n", "1\ntwo\n", "one\n2\n") is None
    assert merge("one\n", "one\nmine\n", "one\ntheirs\n") is None


def test_the_same_change_is_made_once() -> None:
    assert merge("one\n", "1\n", "1\n") == "1\n"
    assert merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nb\nc\nD\n") == "A\nb\nc\nD\n"


def test_what_is_too_long_to_compare_is_not() -> None:
    base = "".join(f"{number}\n" for number in range(MOST_LINES + 1))
    other = "".join(f"{number} more\n" for number in range(MOST_LINES + 1))
    assert merge(base, other, base + "end\n") is None
    assert compare(base, other) is None
    assert merge(base, base + "end\n", "begin\n" + base) == "begin\n" + base + "end\n"


def test_a_comparison_shows_what_is_around_a_change() -> None:
    base = "".join(f"{number}\n" for number in range(12))
    signs = [(one.sign, one.text) for one in compare(base, base.replace("5\n", "five\n")) or ()]
    assert signs == [
        ("gap", "3 lines unchanged"), ("", "3"), ("", "4"), ("minus", "5"), ("plus", "five"), ("", "6"),
        ("", "7"), ("gap", "4 lines unchanged"),
    ]  # fmt: skip
    assert compare("a\n", "a\n") == [("", "a")]


@given(LINES, LINES)
def test_whoever_changed_nothing_gets_the_other(base: str, other: str) -> None:
    assert merge(base, base, other) == other
    assert merge(base, other, base) == other


@settings(max_examples=60, deadline=None)
@given(LINES, LINES, LINES)
def test_both_ways_agree_and_nothing_is_made_up(base: str, mine: str, theirs: str) -> None:
    merged = merge(base, mine, theirs)
    assert merge(base, theirs, mine) == merged
    if merged is not None and len({base, mine, theirs}) == 3:
        added = set(mine.splitlines()) | set(theirs.splitlines()) | set(base.splitlines())
        assert set(merged.splitlines()) <= added
