"""What is made in a data folder belongs to the folder's owner, no matter which account makes it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chains.files.folder_lock import make_folder
from chains.files.input_manifest import InputManifests
from chains.files.run_folders import Folders
from storage.bytes.disk import Disk
from storage.database.database import Database
from storage.signals.change_signal import PipeSignal

SOMEBODY = 12_345


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder of another account, where this one may give that away; else of this one."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o711)
        folder = Path(place, "data")
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(folder, SOMEBODY, SOMEBODY)
        yield folder


def blob(folder: Path) -> None:
    with Disk(str(folder / "blobs")).create("ab/cd/draft") as file:
        file.write(b"x")


def change_signal(folder: Path) -> None:
    change_signal = PipeSignal(folder / "signals", lambda call: call())
    change_signal.ticket("topic")
    change_signal.close()


def note(folder: Path) -> None:
    made = Folders(folder / "runs")
    made.home()
    InputManifests(folder / "runs" / ".noted", 30).take("in-ab", folder)


def database(folder: Path) -> None:
    Database(f"sqlite:///{folder}/curlew.db").migrate()


MAKERS = [blob, change_signal, note, database]


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_what_others_need_belongs_to_the_folder_s_owner(folder: Path, make: Callable[[Path], None]) -> None:
    make(folder)
    made = [*folder.rglob("*")]
    assert made
    owner = folder.stat()
    assert {(path.lstat().st_uid, path.lstat().st_gid) for path in made} == {(owner.st_uid, owner.st_gid)}


def test_a_folder_is_entered_by_its_owner_alone(folder: Path) -> None:
    for made in (folder / "a" / "b", folder / "runs"):
        make_folder(made)
        make_folder(made)
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "a").stat().st_mode) == 0o700


def test_a_database_is_read_by_its_owner_alone(folder: Path) -> None:
    database(folder)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.glob("curlew.db*")} == {0o600}
