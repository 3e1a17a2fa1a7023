"""A database file that is moved away or replaced under a service takes nothing that would be lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.database.database import Database
from storage.database.sqlite import file_of
from tests.storage.names import ADD, in_thread, names, only_sqlite
from vfs.errors import Unavailable

pytestmark = only_sqlite
PATIENCE = 0.4


def _acts(database: Database) -> list[Callable[[], object]]:
    """Whatever reads or writes: outside a transaction, in one, in a thread with a connection to come."""

    def atomic() -> None:
        with database.atomic():
            database.run(ADD, "lost")

    return [
        lambda: names(database),
        lambda: database.run(ADD, "lost"),
        atomic,
        lambda: in_thread(lambda: database.run(ADD, "lost")),
    ]


def test_what_is_moved_away_takes_nothing_and_goes_on_when_it_is_back(
    migrated_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, path = Database(migrated_url), Path(file_of(migrated_url))
    database.run(ADD, "kept")
    aside = tmp_path / "aside"
    aside.mkdir()
    moved = [file.rename(aside / file.name) for file in path.parent.glob(f"{path.name}*")]
    for act in _acts(database):
        with pytest.raises(Unavailable, match="not where it was"):
            act()
    assert not path.exists()
    assert len(caplog.records) == 1
    child = os.fork()
    if not child:
        try:
            database.run(ADD, "lost")
        except Unavailable:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    for file in moved:
        file.rename(path.with_name(file.name))
    assert names(database) == ["kept"]
    database.run(ADD, "more")
    assert names(database) == ["kept", "more"]
    database.close()


def test_what_is_replaced_is_not_mixed_with_what_was_there(migrated_url: str, tmp_path: Path) -> None:
    path = Path(file_of(migrated_url))
    database = Database(migrated_url)
    database.run(ADD, "old")
    database.close()
    (tmp_path / "other.db").write_bytes(path.read_bytes())
    before = Database(migrated_url)
    assert names(before) == ["old"]
    (tmp_path / "other.db").rename(path)
    for act in _acts(before):
        with pytest.raises(Unavailable, match="start the service again"):
            act()
    before.close()
    after = Database(migrated_url)
    assert names(after) == ["old"]
    after.close()


def test_a_writer_waits_for_its_turn_and_the_lock_no_longer_than_for_one_of_them(migrated_url: str) -> None:
    database = Database(migrated_url, patience=PATIENCE)
    other = Database(migrated_url)

    def write(number: int) -> float:
        began = time.monotonic()
        with pytest.raises(Unavailable, match="busy"), database.atomic():
            database.run(ADD, str(number))
        return time.monotonic() - began

    with other.atomic(), ThreadPoolExecutor(6) as pool:
        assert max(pool.map(write, range(6))) < 1.7 * PATIENCE
    with database.atomic():
        database.run(ADD, "after")
    assert names(database) == ["after"]
    for one in (database, other):
        one.close()
