"""Folders that a step writes are measured and handed over without trusting what is in them."""

from __future__ import annotations

import os
from pathlib import Path

from chains.podman.mount_folders import DEEPEST, ENTRY, give, measure

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


def test_a_bottomless_folder_is_too_much(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(DEEPEST + 5):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert measure(tmp_path, 1 << 40) == (1 << 40) + 1


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
