"""Root works in another account's folder with no more than that account's rights."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from chains.files.folder_lock import hold_lock, lock_file
from chains.files.keeper import OURSELVES, Keeper, keeper_of, meddler
from chains.files.run_folders import Folders, carry, check
from tests.kit.accounts import SECRET, SOMEBODY, Ground, two_accounts
from tests.kit.file_trees import NASTY
from vfs.errors import Gone, Unavailable

pytestmark = pytest.mark.podman  # root's

HIS = Keeper(SOMEBODY, SOMEBODY)
LARGEST = 1 << 20


@pytest.fixture
def ground() -> Iterator[Ground]:
    with two_accounts() as ground:
        yield ground


def test_a_path_is_in_the_hands_of_the_first_who_owns_a_part_of_it(ground: Ground) -> None:
    root_s = ground.data / "inside"
    root_s.mkdir()
    ground.plant("away", ground.vault)
    (ground.place / "over").symlink_to(ground.data)
    paths = [
        ground.data,
        root_s / "not" / "there",
        ground.data / "away" / "file",
        ground.place / "over" / "x",
    ]
    assert [keeper_of(path) for path in paths] == [HIS] * 4
    assert [keeper_of(path) for path in (ground.vault, ground.place / "new", Path("/tmp"))] == [OURSELVES] * 3


def test_whoever_could_change_a_path_is_named(ground: Ground) -> None:
    assert meddler(ground.vault / "file") is None
    assert str(SOMEBODY) in str(meddler(ground.data / "curlew.toml"))
    ground.plant("curlew.toml", ground.treasure)
    (ground.place / "settings").symlink_to(ground.data / "curlew.toml")
    assert f"{ground.data} belongs to" in str(meddler(ground.place / "settings"))
    ground.vault.chmod(0o777)
    assert meddler(ground.vault / "file") == f"others may write to {ground.vault}"


def test_this_thread_alone_is_the_other_account_meanwhile(ground: Ground) -> None:
    elsewhere: list[str] = []
    with HIS.acting():
        with pytest.raises(PermissionError):
            ground.treasure.read_text()
        thread = threading.Thread(target=lambda: elsewhere.append("started"))
        (ground.data / "his").touch()
    thread.start()
    thread.join()
    assert (ground.data / "his").stat().st_uid == SOMEBODY
    assert (ground.treasure.read_text(), elsewhere) == (SECRET, ["started"])
    with pytest.raises(ValueError, match="inside"), HIS.acting():
        raise ValueError("inside")
    assert ground.treasure.read_text() == SECRET


def test_what_is_carried_over_holds_no_link_and_belongs_to_root(ground: Ground) -> None:
    ground.write("in/a/b.txt", "text")
    ground.plant("in/link", ground.treasure)
    ground.plant("in/folder", ground.vault)
    os.mkfifo(ground.data / "in" / "pipe")
    os.link(ground.treasure, ground.data / "in" / "hard")
    carry(ground.data / "in", ground.own / "in", HIS, LARGEST)
    found = sorted(ground.own.rglob("*"))
    assert [str(path.relative_to(ground.own)) for path in found] == ["in", "in/a", "in/a/b.txt"]
    assert {path.stat().st_uid for path in found} == {0}
    with pytest.raises(OSError, match="too large"):
        carry(ground.data / "in", ground.own / "again", HIS, 3)
    with pytest.raises(OSError, match="away"):
        carry(ground.plant("away", ground.vault), ground.own / "away", HIS, LARGEST)


def test_whatever_may_be_a_name_is_carried_over(ground: Ground) -> None:
    source, target = ground.folder(ground.data / "in"), ground.own / "in"
    with HIS.acting():
        for path, body in NASTY.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_bytes(body)
    carry(source, target, HIS, LARGEST)
    assert {file.rel: file.path.read_bytes() for file in check(target, LARGEST).files} == NASTY


def test_a_file_that_is_swapped_for_a_link_gives_nothing_away(ground: Ground) -> None:
    over = threading.Event()
    ground.folder(ground.data / "in")

    def swap() -> None:
        place = ground.data / "in" / "file"
        while not over.is_set():
            with suppress(OSError):
                place.unlink(missing_ok=True)
                ground.write("in/file", "mine")
                place.unlink()
                place.symlink_to(ground.treasure)

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        for number in range(200):
            target = ground.own / str(number)
            carry(ground.data / "in", target, HIS, LARGEST)
            assert all(path.read_text() in ("", "mine") for path in target.rglob("*"))
    finally:
        over.set()
        attacker.join()


@pytest.mark.parametrize("name", ["../../vault", "in-/../../../vault", "/etc", "..", "in-\0", "run-1", ""])
def test_an_input_out_of_the_book_is_one_folder_and_no_path(ground: Ground, name: str) -> None:
    kept = ground.kept()
    folders = Folders(ground.data / "runs", own=ground.own / "runs")
    folders.home()
    with pytest.raises(Gone, match="The input of the run is not as it was stored: its folder is not there"):
        folders.take(7, name)
    folders.clear(7, name)
    folders.discard(name)
    assert ground.kept() == kept


def test_a_run_s_folder_is_never_in_the_web_s_hands(ground: Ground) -> None:
    folders = Folders(ground.data / "runs", own=ground.own / "runs")
    folders.home()
    name = folders.new()
    ground.write(f"runs/{name}/pets.txt", "dog")
    taken = folders.take(1, name)
    assert (taken.input / "pets.txt").read_text() == "dog"
    assert {path.stat().st_uid for path in ground.own.rglob("*")} == {0}
    assert not folders.path(name).exists()
    with pytest.raises(OSError, match="Invalid argument"):
        taken.output("../../../vault")
    assert folders.sweep(lambda: (set(), set())) == ["run-1"]


@pytest.mark.parametrize("kind", ["link", "somebody's", "hard link", "folder"])
def test_a_lock_that_somebody_else_laid_down_is_refused(ground: Ground, kind: str) -> None:
    lock = lock_file(ground.own)
    if kind == "link":
        lock.symlink_to(ground.treasure)
    elif kind == "hard link":
        lock.hardlink_to(ground.treasure)
    elif kind == "folder":
        lock.mkdir()
    else:
        lock.touch()
        os.chown(lock, SOMEBODY, SOMEBODY)
    kept = ground.kept()
    with pytest.raises(Unavailable, match="lock"), hold_lock(ground.own, threading.Event()):
        pass
    assert ground.kept() == kept
