"""A database and the folders beside it are of one installation, or nothing starts."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.database.database import Database
from storage.upkeep.installation_mark import (
    DRAFT,
    NAME,
    MarkedFolder,
    new_mark,
    require_own,
)
from vfs.errors import Conflict, Unavailable


def data(path: Path, *, may_join: bool = False) -> MarkedFolder:
    return MarkedFolder(path, "data folder", may_join)


def mark_of(database: Database) -> object:
    return database.value("SELECT mark FROM installation")


def test_what_has_no_mark_gets_one_and_keeps_it(database: Database, tmp_path: Path) -> None:
    folders = [data(tmp_path / "one"), MarkedFolder(tmp_path / "two", "folder of repositories")]
    require_own(database, "db", folders)
    first = mark_of(database)
    assert [folder.read() for folder in folders] == [first, first]
    require_own(database, "db", folders)
    assert mark_of(database) == first
    assert [sorted(path.name for path in folder.path.iterdir()) for folder in folders] == [[NAME], [NAME]]


@pytest.mark.parametrize(
    "change, said",
    [
        (
            lambda one, other: shutil.rmtree(one),
            "has no mark of an installation, and the database db belongs",
        ),
        (lambda one, other: shutil.copy(other / NAME, one / NAME), "belongs to another installation"),
    ],
)
def test_a_strange_folder_is_refused_by_both_names(
    database: Database, tmp_path: Path, change: object, said: str
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    require_own(database, "db", [data(one)])
    data(other).write(NAME, new_mark())
    change(one, other)  # type: ignore[operator]
    there = data(one).read()
    with pytest.raises(Conflict) as refusal:
        require_own(database, "db", [data(one)])
    for named in (said, str(one), "database db", str(mark_of(database)), there or ""):
        assert named in refusal.value.detail
    assert data(one).read() == there
    assert not (one / DRAFT).exists()


def test_a_new_database_beside_a_folder_in_use_is_refused(database: Database, tmp_path: Path) -> None:
    data(tmp_path).write(NAME, mark := new_mark())
    with pytest.raises(
        Conflict, match=f"belongs to an installation \\({mark}\\), and the database db is new"
    ):
        require_own(database, "db", [data(tmp_path)])
    assert mark_of(database) is None


def test_what_the_refusal_says_to_do_helps(database: Database, tmp_path: Path) -> None:
    require_own(database, "db", [data(tmp_path / "one")])
    (tmp_path / "copy").mkdir()
    with pytest.raises(Conflict) as refusal:
        require_own(database, "db", [data(tmp_path / "copy")])
    mark, file = refusal.value.detail.rpartition("write ")[2].split(" into ")
    Path(file).write_text(mark)
    require_own(database, "db", [data(tmp_path / "copy")])


def test_a_host_that_is_new_joins_and_one_that_keeps_something_does_not(
    database: Database, tmp_path: Path
) -> None:
    require_own(database, "db", [data(tmp_path / "one")])
    require_own(database, "db", [data(tmp_path / "two", may_join=True)])
    assert data(tmp_path / "two").read() == mark_of(database)
    (tmp_path / "three" / "repos").mkdir(parents=True)
    with pytest.raises(Conflict, match="has no mark"):
        require_own(database, "db", [data(tmp_path / "three", may_join=True)])


def test_many_who_start_at_once_agree(database: Database, tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: require_own(database, "db", [data(tmp_path)]), range(12)))
    assert data(tmp_path).read() == mark_of(database)
    assert (tmp_path / NAME).exists()


@pytest.mark.parametrize("is_entered", [False, True])
def test_a_first_start_that_was_cut_off_is_brought_to_its_end(
    database: Database, tmp_path: Path, is_entered: bool
) -> None:
    data(tmp_path).write(DRAFT, mark := new_mark())
    if is_entered:
        database.run("INSERT INTO installation (id, mark) VALUES (1, :mark)", mark=mark)
    require_own(database, "db", [data(tmp_path)])
    assert (mark_of(database), data(tmp_path).read()) == (mark, mark)


def test_a_file_that_is_no_mark_is_refused(database: Database, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("0" * 31)
    with pytest.raises(Unavailable, match="is no mark"):
        require_own(database, "db", [data(tmp_path)])
