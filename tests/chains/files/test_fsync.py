"""What must outlive a power cut waits for the disk a few times, however many files it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chains.files.fsync import FEW, flush_system, place_file, settle_all
from chains.files.run_folder import RunFolder
from chains.files.run_folders import check, outlast
from tests.kit.disk.flushes import counted_flushes


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1, 2000])
def test_files_wait_for_the_disk_a_few_times(tmp_path: Path, count: int) -> None:
    places = [tmp_path / str(number) for number in range(count)]
    for place in places:
        place.write_bytes(b"x")
    with counted_flushes() as seen:
        settle_all(tmp_path, places)
    assert (seen.single, seen.whole) == ((count, 0) if count <= FEW else (0, 1))


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        settle_all(tmp_path, [tmp_path / "absent"])
    with pytest.raises(FileNotFoundError):
        settle_all(tmp_path / "absent", [tmp_path] * (FEW + 1))


def test_a_failed_flush_is_reported() -> None:
    with pytest.raises(OSError, match="Bad file descriptor"):
        flush_system(-1)


def test_a_placed_file_waits_for_its_content_and_its_name(tmp_path: Path) -> None:
    path = tmp_path / "name"
    with counted_flushes() as seen:
        place_file(path, b"one")
        place_file(path, b"two", replaces=False)
    assert (seen.single, path.read_bytes(), path.stat().st_mode & 0o777) == (4, b"one", 0o600)
    place_file(path, b"three")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("name", b"three")]


@given(
    names=st.sets(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4).map("/".join), max_size=60)
)
@settings(max_examples=20, deadline=None)
def test_outputs_of_any_shape_wait_for_the_disk_a_few_times(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    folder = RunFolder(tmp_path_factory.mktemp("run")).output("step")
    for name in names:
        place = folder / name / "file"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"")
    checked = check(folder, 1 << 20)
    with counted_flushes() as seen:
        outlast(folder, checked.files)
    assert seen.single + seen.whole <= FEW
