"""What steps hand on is files with plain names and nothing else; folders come and go."""

from __future__ import annotations

import os
import socket
import stat
import time
from collections.abc import Collection
from pathlib import Path

import pytest

from chains.files.names import DEEPEST, LONGEST_PATH
from chains.files.removal import remove
from chains.files.run_folders import Checked, Folders, check
from tests.kit.file_trees import NASTY, deep_in
from vfs.errors import Invalid, TooLarge, Unavailable

LARGEST = 1 << 20


def names(checked: Checked) -> list[str]:
    return [file.rel for file in checked.files]


def test_regular_files_are_found_in_order_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("12")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "z ü.txt").write_text("1")
    (tmp_path / "empty").mkdir()
    checked = check(tmp_path, LARGEST)
    assert [(file.rel, file.size) for file in checked.files] == [("a/z ü.txt", 1), ("b", 2)]
    assert checked.dropped == ()


def test_anything_but_a_plain_file_is_removed_and_reported(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("1")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "up").symlink_to("..")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
    os.mknod(tmp_path / "device", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    checked = check(tmp_path, LARGEST)
    assert names(checked) == ["good"]
    assert dict(checked.dropped) == {
        "link": "it is a link",
        "folder/up": "it is a link",
        "pipe": "it is neither a file nor a folder",
        "socket": "it is neither a file nor a folder",
        "device": "it is neither a file nor a folder",
    }
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "good"]
    assert names(check(tmp_path, LARGEST)) == ["good"]


@pytest.mark.parametrize(
    "path,why",
    [
        (b"d/bell\x07", "no control character"),
        (b"line\nbreak", "no control character"),
        (b"back\\slash/x", "no backslash"),
        (b"not utf-8 \xff", "in UTF-8"),
        (b"dir\xff/x", "in UTF-8"),
        (b"d/" * DEEPEST + b"x", f"at most {DEEPEST} levels, and this one {DEEPEST + 1}"),
        (b"d/" * (DEEPEST + 1) + b"x", f"at most {DEEPEST} levels, and this one {DEEPEST + 2}"),
        ((b"d" * 200 + b"/") * 10 + b"x" * 39, f"at most {LONGEST_PATH} bytes"),
        ((b"d" * 200 + b"/") * 14 + b"x", f"at most {LONGEST_PATH} bytes"),
    ],
)
def test_a_file_that_breaks_the_rule_of_names_is_refused_by_its_name(
    tmp_path: Path, path: bytes, why: str
) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + path))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("1")
    (tmp_path / "good").write_text("1")
    with pytest.raises(Invalid, match=why) as refused:
        check(tmp_path, LARGEST)
    assert refused.value.detail.isprintable()
    assert refused.value.detail.startswith(f"it left /output/{path.decode(errors='replace')[:4]}")
    assert names(check(tmp_path, LARGEST, judge=lambda rel: None))


def test_folders_without_files_count_as_nothing_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "/".join("d" * (DEEPEST + 1))).mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff\\")).mkdir()
    assert check(tmp_path, LARGEST) == Checked((), ())


def test_nothing_is_looked_for_in_the_depths(tmp_path: Path) -> None:
    with deep_in(tmp_path, "d" * 50, 1_000), pytest.raises(Invalid, match="at most"):
        check(tmp_path, LARGEST)


def test_every_valid_name_is_found(tmp_path: Path) -> None:
    for path, text in NASTY.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text)
    assert {file.rel: b"".join(file.pieces()) for file in check(tmp_path, LARGEST).files} == NASTY


def test_too_many_files_and_too_many_bytes_are_refused(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / str(number)).write_text("123")
    with pytest.raises(TooLarge, match="more than 3 files"):
        check(tmp_path, LARGEST, most=3)
    with pytest.raises(TooLarge, match="more than 11 bytes"):
        check(tmp_path, 11)
    assert len(check(tmp_path, 12, most=4).files) == 4


def test_a_file_with_holes_counts_as_it_reads(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLarge):
        check(tmp_path, LARGEST)


def test_even_absurdly_deep_folders_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    with deep_in(top, "d" * 50, 3_000):
        remove(top)
        assert not top.exists()
        remove(top)


class TestFolders:
    def test_an_input_is_renamed_into_the_folder_of_its_run(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        name = folders.new()
        (folders.path(name) / "x").write_text("1")
        inode = folders.path(name).stat().st_ino
        folder = folders.take(7, name)
        assert folder.input.stat().st_ino == inode
        assert (folder.input / "x").read_text() == "1"
        assert not folders.path(name).exists()
        assert folders.take(7, name).input == folder.input
        assert folder.output("a").is_dir()
        assert folder.output("a", 3).name == "a[3]"
        folders.clear(7, name)
        assert list(folders.root.iterdir()) == []

    def test_inputs_never_meet_and_may_be_discarded(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        one, two = folders.new(), folders.new()
        folders.discard(one)
        assert [path.name for path in folders.root.iterdir()] == [two]
        assert stat.S_IMODE(folders.root.stat().st_mode) == 0o700

    def test_a_home_keeps_its_name(self, tmp_path: Path) -> None:
        home = Folders(tmp_path / "runs").home()
        assert Folders(tmp_path / "runs").home() == home
        assert Folders(tmp_path / "elsewhere").home() != home

    def test_sweeping_leaves_what_is_needed_or_may_be_on_its_way(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        folders.home()
        fresh, old, needed = (folders.new() for _ in range(3))
        yesterday = time.time() - 25 * 3600
        for name in (old, needed):
            os.utime(folders.path(name), (yesterday, yesterday))
        for run in (1, 2):
            folders.take(run, None)
        removed = folders.sweep(lambda: ({2}, {needed}))
        assert sorted(removed) == sorted([old, "run-1"])
        left = {path.name for path in folders.root.iterdir()}
        assert left == {".home", fresh, needed, "run-2"}

    def test_inputs_of_runs_that_ended_go_however_young(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        needed, spent, young = (folders.new() for _ in range(3))
        queries: list[set[str]] = []

        def ended(inputs: Collection[str]) -> Collection[str]:
            queries.append(set(inputs))
            return {spent}

        assert folders.sweep(lambda: (set(), {needed}), ended) == [spent]
        assert queries == [{spent, young}]
        assert {path.name for path in folders.root.glob("in-*")} == {needed, young}

    def test_what_comes_while_sweeping_is_no_victim(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        gone = folders.new()

        def wanted() -> tuple[set[int], set[str | None]]:
            folders.take(3, None)
            folders.discard(gone)
            return set(), set()

        assert folders.sweep(wanted) == []
        assert folders.of(3).path.is_dir()

    def test_of_an_input_that_is_gone_no_tally_is_made(self, tmp_path: Path) -> None:
        folders = Folders(tmp_path / "runs")
        with pytest.raises(Unavailable, match="the input could not be stored"):
            folders.tally("in-gone")
