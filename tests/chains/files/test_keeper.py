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
from tests.kit.accounts import SECRET, SOMEBODY, TwoAccounts, two_accounts
from tests.kit.file_trees import NASTY
from vfs.errors import Gone, Unavailable

pytestmark = pytest.mark.podman  # root's

HIS = Keeper(SOMEBODY, SOMEBODY)
LARGEST = 1 << 20


@pytest.fixture
def accounts() -> Iterator[TwoAccounts]:
    with two_accounts() as accounts:
        yield accounts


def test_a_path_is_in_the_hands_of_the_first_who_owns_a_part_of_it(accounts: TwoAccounts) -> None:
    root_s = accounts.data / "inside"
    root_s.mkdir()
    accounts.plant("away", accounts.vault)
    (accounts.place / "over").symlink_to(accounts.data)
    paths = [
        accounts.data,
        root_s / "not" / "there",
        accounts.data / "away" / "file",
        accounts.place / "over" / "x",
    ]
    assert [keeper_of(path) for path in paths] == [HIS] * 4
    assert [keeper_of(path) for path in (accounts.vault, accounts.place / "new", Path("/tmp"))] == [
        OURSELVES
    ] * 3


def test_the_user_who_could_change_a_path_is_named(accounts: TwoAccounts) -> None:
    assert meddler(accounts.vault / "file") is None
    assert str(SOMEBODY) in str(meddler(accounts.data / "curlew.toml"))
    accounts.plant("curlew.toml", accounts.treasure)
    (accounts.place / "settings").symlink_to(accounts.data / "curlew.toml")
    assert f"{accounts.data} belongs to" in str(meddler(accounts.place / "settings"))
    accounts.vault.chmod(0o777)
    assert meddler(accounts.vault / "file") == f"others may write to {accounts.vault}"


def test_this_thread_alone_is_the_other_account_meanwhile(accounts: TwoAccounts) -> None:
    elsewhere: list[str] = []
    with HIS.acting():
        with pytest.raises(PermissionError):
            accounts.treasure.read_text()
        thread = threading.Thread(target=lambda: elsewhere.append("started"))
        (accounts.data / "his").touch()
    thread.start()
    thread.join()
    assert (accounts.data / "his").stat().st_uid == SOMEBODY
    assert (accounts.treasure.read_text(), elsewhere) == (SECRET, ["started"])
    with pytest.raises(ValueError, match="inside"), HIS.acting():
        raise ValueError("inside")
    assert accounts.treasure.read_text() == SECRET


def test_what_is_carried_over_holds_no_link_and_belongs_to_root(accounts: TwoAccounts) -> None:
    accounts.write("in/a/b.txt", "text")
    accounts.plant("in/link", accounts.treasure)
    accounts.plant("in/folder", accounts.vault)
    os.mkfifo(accounts.data / "in" / "pipe")
    os.link(accounts.treasure, accounts.data / "in" / "hard")
    carry(accounts.data / "in", accounts.own / "in", HIS, LARGEST)
    found = sorted(accounts.own.rglob("*"))
    assert [str(path.relative_to(accounts.own)) for path in found] == ["in", "in/a", "in/a/b.txt"]
    assert {path.stat().st_uid for path in found} == {0}
    with pytest.raises(OSError, match="too large"):
        carry(accounts.data / "in", accounts.own / "again", HIS, 3)
    with pytest.raises(OSError, match="away"):
        carry(accounts.plant("away", accounts.vault), accounts.own / "away", HIS, LARGEST)


def test_every_valid_name_is_carried_over(accounts: TwoAccounts) -> None:
    source, target = accounts.folder(accounts.data / "in"), accounts.own / "in"
    with HIS.acting():
        for path, body in NASTY.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_bytes(body)
    carry(source, target, HIS, LARGEST)
    assert {file.rel: file.path.read_bytes() for file in check(target, LARGEST).files} == NASTY


def test_a_file_that_is_swapped_for_a_link_gives_nothing_away(accounts: TwoAccounts) -> None:
    over = threading.Event()
    accounts.folder(accounts.data / "in")

    def swap() -> None:
        place = accounts.data / "in" / "file"
        while not over.is_set():
            with suppress(OSError):
                place.unlink(missing_ok=True)
                accounts.write("in/file", "mine")
                place.unlink()
                place.symlink_to(accounts.treasure)

    attacker = threading.Thread(target=swap)
    attacker.start()
    try:
        for number in range(200):
            target = accounts.own / str(number)
            carry(accounts.data / "in", target, HIS, LARGEST)
            assert all(path.read_text() in ("", "mine") for path in target.rglob("*"))
    finally:
        over.set()
        attacker.join()


@pytest.mark.parametrize("name", ["../../vault", "in-/../../../vault", "/etc", "..", "in-\0", "run-1", ""])
def test_an_input_out_of_the_book_is_one_folder_and_no_path(accounts: TwoAccounts, name: str) -> None:
    kept = accounts.kept()
    folders = Folders(accounts.data / "runs", own=accounts.own / "runs")
    folders.home()
    with pytest.raises(Gone, match="The input of the run is not as it was stored: its folder is not there"):
        folders.take(7, name)
    folders.clear(7, name)
    folders.discard(name)
    assert accounts.kept() == kept


def test_a_run_s_folder_is_never_in_the_web_s_hands(accounts: TwoAccounts) -> None:
    folders = Folders(accounts.data / "runs", own=accounts.own / "runs")
    folders.home()
    name = folders.new()
    accounts.write(f"runs/{name}/pets.txt", "dog")
    taken = folders.take(1, name)
    assert (taken.input / "pets.txt").read_text() == "dog"
    assert {path.stat().st_uid for path in accounts.own.rglob("*")} == {0}
    assert not folders.path(name).exists()
    with pytest.raises(OSError, match="Invalid argument"):
        taken.output("../../../vault")
    assert folders.sweep(lambda: (set(), set())) == ["run-1"]


@pytest.mark.parametrize("kind", ["link", "somebody's", "hard link", "folder"])
def test_a_lock_that_somebody_else_laid_down_is_refused(accounts: TwoAccounts, kind: str) -> None:
    lock = lock_file(accounts.own)
    if kind == "link":
        lock.symlink_to(accounts.treasure)
    elif kind == "hard link":
        lock.hardlink_to(accounts.treasure)
    elif kind == "folder":
        lock.mkdir()
    else:
        lock.touch()
        os.chown(lock, SOMEBODY, SOMEBODY)
    kept = accounts.kept()
    with pytest.raises(Unavailable, match="lock"), hold_lock(accounts.own, threading.Event()):
        pass
    assert accounts.kept() == kept
