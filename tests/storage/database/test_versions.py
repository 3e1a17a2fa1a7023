"""Versions of a database: equal while nothing is committed, another one after every commit."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.database.database import Database
from storage.database.sqlite.database_file import FileVersion
from storage.database.sqlite.file_pool import file_of, known_file
from storage.database.versions import VersionReader
from tests.storage.names import ADD, cut_connections, in_thread, names, on_postgresql, only_sqlite


@contextmanager
def neighbour(url: str) -> Iterator[Database]:
    """Another process's door to the same database."""
    other = Database(url, synchronous="off")
    try:
        yield other
    finally:
        other.close()


class TestVersions:
    def test_it_stays_while_nothing_is_committed(self, database: Database) -> None:
        first = database.version()
        assert first is not None
        assert names(database) == []
        assert {database.version() for _ in range(10)} == {first}
        assert in_thread(database.version) == first

    def test_every_commit_changes_it_whoever_makes_it(self, migrated_url: str, database: Database) -> None:
        found: list[Hashable] = [database.version()]
        database.run(ADD, "a")
        found.append(database.version())
        with neighbour(migrated_url) as other:
            other.run(ADD, "b")
            found.append(database.version())
            in_thread(lambda: other.run("DELETE FROM shortname"))
            found.append(database.version())
        assert len(set(found)) == len(found)

    def test_an_open_transaction_changes_it_when_it_ends(self, database: Database) -> None:
        before = database.version()
        with database.atomic():
            database.run(ADD, "a")
            assert in_thread(database.version) == before
        assert database.version() != before

    def test_what_was_rolled_back_changed_nothing_that_is_read(self, database: Database) -> None:
        with contextlib.suppress(ZeroDivisionError), database.atomic():
            database.run(ADD, "a")
            raise ZeroDivisionError
        settled = database.version()
        assert names(database) == []
        assert database.version() == settled

    @on_postgresql
    def test_a_lost_connection_is_opened_anew_and_tells_another(
        self, migrated_url: str, database: Database
    ) -> None:
        before = database.version()
        cut_connections(migrated_url)
        assert database.version() is None
        assert database.version() not in (None, before)

    @only_sqlite
    def test_a_file_that_is_opened_anew_tells_another(self, database: Database, migrated_url: str) -> None:
        path = file_of(migrated_url)
        reader = FileVersion(path, known_file(path))
        before = reader.read()
        reader.close()
        reader.close()
        assert reader.read() not in (None, before)
        reader.close()

    def test_a_fork_reads_by_a_connection_of_its_own(self, database: Database) -> None:
        def is_unchanged() -> bool:
            before = database.version()
            child = os.fork()
            if not child:
                os._exit(0 if database.version() is not None and names(database) == [] else 1)
            assert os.waitpid(child, 0)[1] == 0
            return database.version() == before

        # Other databases of the server commit now and then, which counts for all of them.
        assert any(is_unchanged() for _ in range(5))


def test_without_a_database_it_is_unknown(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere/curlew.db")
    reader = FileVersion(path, known_file(path))
    assert reader.read() is None
    reader.close()


def test_who_asks_while_another_thread_does_waits_for_its_turn() -> None:
    found: list[Hashable] = []

    class Brief(VersionReader):
        turn_seconds = 60.0

        def _connect(self) -> object:
            return contextlib.closing(self)

        def _ask(self, connection: object) -> Hashable:
            if not others:
                others.append(threading.Thread(target=lambda: found.append(self.read())))
                others[0].start()
            return "here"

    others: list[threading.Thread] = []
    assert Brief().read() == (1, "here")
    others[0].join(60)
    assert found == [(1, "here")]


def test_while_one_thread_waits_for_it_the_others_go_without() -> None:
    found: list[Hashable] = []

    class Slow(VersionReader):
        def _connect(self) -> object:
            return contextlib.closing(self)

        def _ask(self, connection: object) -> Hashable:
            found.append(in_thread(self.read))
            return "late"

        def _close(self) -> None:
            self._connection = None

    slow = Slow()
    assert slow.read() == (1, "late")
    assert found == [None]
