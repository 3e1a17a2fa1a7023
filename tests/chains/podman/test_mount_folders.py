"""Folders that a step writes are measured and handed over without trusting what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chains.engine.port import Cause, Exit, Limits, Mount
from chains.files.names import DEEPEST
from chains.podman.mount_folders import ENTRY, LEVELS, Excess, LimitCheck, TooDeep, give, measure
from chains.runner.launch import LaunchEnd
from tests.kit.file_trees import deep_in

NOBODY = 65_534


def test_files_are_counted_whole_with_their_holes(tmp_path: Path) -> None:
    assert measure(tmp_path, 1 << 30) == 0
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/file").write_bytes(b"x" * 10_000)
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 20)
    found = measure(tmp_path, 1 << 30)
    assert 10_000 + (1 << 20) + 3 * ENTRY <= found < 20_000 + (1 << 20)


def test_counting_stops_beyond_enough(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_bytes(b"x" * 5000)
    assert 10_000 < measure(tmp_path, 10_000) < 20_000


def test_links_and_pipes_count_for_their_names_alone(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/usr")
    os.mkfifo(tmp_path / "pipe")
    assert measure(tmp_path, 1 << 30) == 2 * ENTRY


@pytest.mark.parametrize("levels", [LEVELS, LEVELS + 1, 1_000])
def test_a_folder_that_is_too_deep_is_reported_by_its_depth(tmp_path: Path, levels: int) -> None:
    looks = (lambda: measure(tmp_path, 1 << 40), lambda: give(tmp_path, NOBODY, writable=True))
    with deep_in(tmp_path, "d" * 200, levels):
        for look in looks:
            if levels == LEVELS:
                look()
                continue
            with pytest.raises(
                TooDeep, match=f"at most {DEEPEST} levels, and this one {LEVELS + 1}"
            ) as found:
                look()
            assert found.value.path == "/".join(["d" * 200] * (LEVELS + 1))


def test_a_step_that_left_something_too_deep_ends_by_its_name(tmp_path: Path) -> None:
    output, space = tmp_path / "output", tmp_path / "space"
    output.mkdir()
    space.mkdir()
    check = LimitCheck(Limits(), output, [Mount(space, "/mnt/n", writable=True, growth=1)])
    assert check.find_spent(failed=False) is None
    for folder, shown in ((space, "/mnt/n"), (output, "/output")):
        deep = Excess(Cause.DEPTH, f"{shown}/" + "/".join("d" * (LEVELS + 1)))
        with deep_in(folder, "d", 130):
            assert check.find_spent(failed=False) == deep
            assert check.find_spent(failed=True) is None
    said = LaunchEnd(Exit(0, deep.cause, deep.place), 1.0).sentence(Limits())
    assert said.startswith("failed after 1.00 s: it left /output/d/d/")
    assert f"/d, which is too deep: a path below a folder that is kept has at most {DEEPEST} levels" in said


def test_what_the_user_can_read_is_left_alone_and_the_rest_handed_over(tmp_path: Path) -> None:
    (tmp_path / "open").write_text("")
    (tmp_path / "open").chmod(0o644)
    (tmp_path / "private").mkdir(mode=0o700)
    (tmp_path / "private/secret").write_text("")
    (tmp_path / "private/secret").chmod(0o600)
    (tmp_path / "link").symlink_to("/etc/shadow")
    before = os.stat("/etc/shadow").st_uid
    give(tmp_path, NOBODY, writable=False)
    assert (tmp_path / "open").stat().st_uid == os.getuid()
    assert (tmp_path / "private").stat().st_uid == NOBODY
    assert (tmp_path / "private/secret").stat().st_uid == NOBODY
    assert (tmp_path / "link").lstat().st_uid == os.getuid()
    assert os.stat("/etc/shadow").st_uid == before


def test_what_may_be_written_is_handed_over_whole(tmp_path: Path) -> None:
    (tmp_path / "open").write_text("")
    give(tmp_path, NOBODY, writable=True)
    assert {entry.stat().st_uid for entry in (tmp_path, tmp_path / "open")} == {NOBODY}
