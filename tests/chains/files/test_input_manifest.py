"""What is noted of the inputs of runs."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from chains.files.input_manifest import MOST, InputManifests
from chains.files.run_folders import Folders


def test_an_input_is_noted_and_outlives_its_folder(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "runs")
    name = folders.new()
    (folders.path(name) / "deep").mkdir()
    (folders.path(name) / "deep" / "b.txt").write_text("four")
    (folders.path(name) / "a.txt").write_text("one")
    folders.notes.take(name, folders.path(name))
    folders.clear(7, name)
    assert folders.notes.read(name) == {
        "count": 2,
        "size": 7,
        "files": [{"name": "a.txt", "size": 3}, {"name": "deep/b.txt", "size": 4}],
    }


def test_of_many_files_the_first_are_noted(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "runs")
    name = folders.new()
    for number in range(MOST + 5):
        (folders.path(name) / f"{number:03}").touch()
    folders.notes.take(name, folders.path(name))
    noted = folders.notes.read(name)
    assert noted is not None
    assert (noted["count"], len(noted["files"]), noted["files"][0]["name"]) == (MOST + 5, MOST, "000")


def test_a_note_goes_when_its_days_are_over(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "runs", days=2)
    old, young = folders.new(), folders.new()
    for name in (old, young):
        folders.notes.take(name, folders.path(name))
    (note,) = (tmp_path / "runs" / ".noted").glob(f"*/{old}")
    os.utime(note, (time.time() - 3 * 24 * 3600,) * 2)
    folders.sweep(lambda: ((), (old, young)))
    assert folders.notes.read(old) is None
    assert folders.notes.read(young) == {"count": 0, "size": 0, "files": []}


def test_an_input_that_was_not_recorded_has_no_manifest(tmp_path: Path) -> None:
    folders = Folders(tmp_path / "runs")
    assert folders.notes.read("in-unknown") is None
    (tmp_path / "runs").write_text("no folder")
    folders.notes.take("in-unknown", tmp_path)
    assert folders.notes.read("in-unknown") is None


@pytest.mark.parametrize(
    "text, sizes",
    [
        ('{"count": 1, "files": [{"name": "x", "size": 2}]}', {"x": 2}),
        ('{"count": 2, "files": [{"name": "x", "size": 2}]}', None),
        ('{"count": 1, "files": [{"name": "x"}]}', None),
        ('{"count": 1, "files": [{"name": "x", "size": "many"}]}', None),
        ("[1]", None),
        ("", None),
    ],
)
def test_sizes_are_returned_if_all_are_recorded(
    tmp_path: Path, text: str, sizes: dict[str, int] | None
) -> None:
    notes = InputManifests(tmp_path, 30)
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "in-ab").write_text(text)
    assert notes.sizes("in-ab") == sizes
    assert notes.sizes("in-none") is None
