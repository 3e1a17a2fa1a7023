"""Merging of texts: what both changed is kept, and what overlaps is never guessed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.words.text_changes import MOST_LINES, MOST_SHOWN, compare, merge, unified

RAGGED = st.lists(st.sampled_from(("a\n", "b\n", "c\n", "\n", "d\u2028e\n", "f")), max_size=30).map("".join)
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
def test_a_side_that_changed_nothing_gets_the_other(base: str, other: str) -> None:
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


@settings(max_examples=60, deadline=None)
@given(RAGGED, RAGGED)
def test_git_makes_of_the_first_text_the_second_by_their_difference(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    found = unified(before, after, "then", "now")
    assert (found == "") is (before == after)
    if found:
        folder = tmp_path_factory.mktemp("patched")
        _write(folder / "text", before)
        _write(folder / "patch", found.replace("--- then", "--- a/text").replace("+++ now", "+++ b/text"))
        subprocess.run(("git", "apply", "--unidiff-zero", "patch"), cwd=folder, check=True)
        with (folder / "text").open(newline="") as file:
            assert file.read() == after


def _write(path: Path, text: str) -> None:
    with path.open("w", newline="") as file:
        file.write(text)


def test_long_texts_are_compared_in_linear_time_and_cut() -> None:
    before = "".join(f"{number}\n" for number in range(150_000))
    assert unified(before, before.replace("\n77777\n", "\nchanged\n"), "a", "b").splitlines()[2:] == [
        "@@ -77775,7 +77775,7 @@", " 77774", " 77775", " 77776", "-77777", "+changed", " 77778", " 77779",
        " 77780",
    ]  # fmt: skip
    turned = "".join(reversed(before.splitlines(keepends=True)))
    *lines, last = unified(before, turned, "a", "b").splitlines()
    assert len(lines) == MOST_SHOWN + 2
    assert last.startswith("# ")
    repeated = unified("x\n" * 100_000 + "y\n", "y\n" + "x\n" * 100_000, "a", "b")
    assert repeated.count("\n") <= MOST_SHOWN + 3
