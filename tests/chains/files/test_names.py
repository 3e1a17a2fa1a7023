"""One rule tells what may be a file's name, and it speaks of bytes, not of what can be printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.names import DEEPEST, LONGEST_NAME, LONGEST_PATH, below, is_bottom, printable, refusal
from tests.kit.file_trees import NASTY, file_trees
from vfs.errors import Invalid

LONG = "/".join(["x" * LONGEST_NAME] * 7 + ["x" * (LONGEST_NAME - 1), "x"])


@pytest.mark.parametrize("path", NASTY)
def test_names_of_files_on_real_machines_are_accepted(path: str) -> None:
    assert refusal(path) is None


@pytest.mark.parametrize(
    "path,why",
    [
        ("", "in full"),
        ("a//b", "in full"),
        ("/a", "in full"),
        ("a/", "in full"),
        ("./a", "in full"),
        ("a/..", "in full"),
        ("a\\b", "backslash"),
        ("a\0", "control"),
        ("a\n/b", "control"),
        ("\x7f", "control"),
        ("\ud800", "surrogate"),
        ("a/\udcff", "surrogate"),
        ("x" * (LONGEST_NAME + 1), f"and this one {LONGEST_NAME + 1}"),
        ("\u00e9" * (LONGEST_NAME // 2 + 1), "at most 255 bytes"),
        ("/".join("x" * (DEEPEST + 1)), "at most 64 levels, and this one 65"),
        (f"{LONG}y", f"at most {LONGEST_PATH} bytes as UTF-8, and this one {LONGEST_PATH + 1}"),
    ],
)
def test_an_invalid_name_is_refused_with_the_reason(path: str, why: str) -> None:
    assert why in (refusal(path) or "")


def test_a_label_may_stand_before_what_is_deepest_and_longest() -> None:
    label = "x" * LONGEST_NAME
    for path in (deepest := "/".join("x" * DEEPEST), LONG):
        assert refusal(path) is None
        assert refusal(f"{label}/{path}") is not None
        assert refusal(f"{label}/{path}", labelled=True) is None
    for path in (f"{deepest}/y/z", f"{LONG}/{label}y", f"{LONG}/{label}/y"):
        assert refusal(path, labelled=True) is not None
    assert below(Path("/in"), f"{label}/{deepest}") == Path("/in") / label / deepest


@given(st.lists(st.sampled_from(["d", "é" * 60, "x" * LONGEST_NAME]), min_size=1, max_size=DEEPEST + 4))
def test_at_the_bottom_no_file_has_a_path(names: list[str]) -> None:
    folder = "/".join(names)
    assert is_bottom(folder) == (refusal(f"{folder}/x", labelled=True) is not None)


@given(file_trees())
def test_trees_of_admitted_files_are_admitted(files: dict[str, bytes]) -> None:
    assert [refusal(path) for path in files] == [None] * len(files)


@given(st.text(max_size=20))
def test_what_leads_elsewhere_has_no_place(path: str) -> None:
    try:
        place = below(Path("/in"), path)
    except Invalid:
        assert refusal(path) is not None
    else:
        assert str(place) == f"/in/{path}"


def test_odd_characters_never_reach_a_log() -> None:
    assert printable("a\x1b[2Jb\udcff") == "a\ufffd[2Jb\ufffd"
    assert printable("a" * 300 + "b" * 300) == "a" * 180 + "\u2026" + "b" * 180
