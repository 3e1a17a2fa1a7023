"""A tally tells of files whether they are those that were kept, and what is missing."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.files.tallies import (
    FEW,
    WHOLE,
    Sizes,
    difference,
    read_tally,
    require_files,
    require_kept,
    sizes_in,
    tally_of,
)
from vfs.errors import Gone

NAMES = st.lists(
    st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=8),
    min_size=1,
    max_size=3,
).map("/".join)
TREES = st.dictionaries(
    NAMES.filter(lambda rel: not {".", ".."} & set(rel.split("/"))), st.binary(max_size=6), max_size=5
)
Tree = dict[str, bytes]


def write(folder: Path, files: Tree) -> Tree:
    """The files of a tree, but for those that are in the way of others."""
    written = {}
    for rel, content in files.items():
        place = folder / rel
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except OSError:
            continue
        written[rel] = content
    return written


@given(TREES, TREES)
def test_two_tallies_are_the_same_when_the_files_are(one: Tree, other: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "1"), Path(folder, "2")
        first.mkdir()
        second.mkdir()
        one, other = write(first, one), write(second, other)
        tally = tally_of(first)
        assert read_tally(str(tally)) == tally
        assert (tally.count, tally.size) == (len(one), sum(map(len, one.values())))
        assert (tally == tally_of(second)) == (one == other)
        sizes = {rel: len(content) for rel, content in one.items()}
        assert require_kept(first, str(tally), "it", sizes) == sizes_in(first) == sizes
        require_files(first, sizes, "it")
        if one != other:
            with pytest.raises(Gone, match="It is not as it was stored: "):
                require_kept(second, str(tally), "it")


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    write(folder, {"a.csv": b"123", "deep/b\n": b"45"})
    return folder


@pytest.mark.parametrize("named", [True, False], ids=["named", "by number"])
@pytest.mark.parametrize(
    "harm, said, counted",
    [
        (shutil.rmtree, "its folder is not there, which held 2 files with 5 bytes",
         "its folder is not there, which held 2 files with 5 bytes"),
        (lambda folder: (folder / "a.csv").unlink(), '"a.csv" is missing', "1 file is there in place of 2"),
        (lambda folder: os.truncate(folder / "a.csv", 1), '"a.csv" has 1 byte in place of 3',
         "it has 3 bytes in place of 5"),
        (lambda folder: (folder / "new").touch(), '"new" is there, but was not stored',
         "3 files are there in place of 2"),
        (lambda folder: shutil.rmtree(folder / "deep") or (folder / "a.csv").unlink(),
         '"a.csv" is missing, and 1 more are not as they were', "0 files are there in place of 2"),
        (lambda folder: (folder / "a.csv").unlink() or (folder / "a.csv").symlink_to("/etc/passwd"),
         '"a.csv" is not a file any more', "it has 1 byte in place of 5"),
        (lambda folder: (folder / "a.csv").write_text("321"), "there are as many files and bytes, but",
         "there are as many files and bytes, but"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(kept: Path, harm: object, said: str, counted: str, named: bool) -> None:
    tally, sizes = str(tally_of(kept)), sizes_in(kept)
    assert callable(harm)
    harm(kept)
    with pytest.raises(Gone) as refusal:
        require_kept(kept, tally, "the input of the run", sizes if named else None)
    assert (said if named else counted) in refusal.value.detail
    assert refusal.value.detail.startswith("The input of the run is not as it was stored: ")
    assert "Trigger the job again." in refusal.value.detail
    if "as many" not in said:
        with pytest.raises(Gone) as refusal:
            require_files(kept, sizes, "the output of a")
        assert said in refusal.value.detail


def test_of_an_older_book_nothing_is_known_but_that_there_is_a_folder(kept: Path) -> None:
    assert require_kept(kept, None, "it") == {"a.csv": 3, "deep/b\n": 2}
    shutil.rmtree(kept)
    with pytest.raises(Gone, match="its folder is not there\\. Trigger"):
        require_kept(kept, None, "it")


def test_a_list_that_is_not_of_these_files_names_none(kept: Path) -> None:
    tally, short = str(tally_of(kept)), {"a.csv": 3}
    (kept / "a.csv").unlink()
    with pytest.raises(Gone, match="1 file is there in place of 2"):
        require_kept(kept, tally, "it", short)


def test_what_is_in_large_files_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(WHOLE + 1)
    tally = tally_of(tmp_path)
    with (tmp_path / "large").open("r+b") as file:
        file.write(b"1")
    assert tally_of(tmp_path) == tally


def test_what_is_in_many_files_is_not_read(tmp_path: Path) -> None:
    for number in range(FEW + 1):
        (tmp_path / str(number)).write_text("1")
    tally = tally_of(tmp_path)
    (tmp_path / "0").write_text("2")
    assert tally_of(tmp_path) == tally


def test_a_difference_is_of_the_first_file() -> None:
    kept: Sizes = {"b": 1, "c": 1}
    assert difference(kept, kept) is None
    assert (
        difference({"b": 1, "a": 1, "c": 2}, kept)
        == '"a" is there, but was not stored, and 1 more are not as they were'
    )
