"""Writes of several requests in one transaction: all are durable at its end, each fails for itself."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from storage.database.database import Database
from storage.database.process_connections import ProcessConnections
from tests.storage.names import ADD, in_thread, names, on_postgresql, only_sqlite
from vfs.errors import Unavailable

RENAME = "UPDATE shortname SET name = ? WHERE name = ?"


class TestTogether:
    def test_each_write_fails_for_itself_and_the_others_are_kept(self, database: Database) -> None:
        with database.together(lambda is_sync: None, several=True) as is_open:
            for name in ("a", "b", "c"):
                try:
                    with database.atomic():
                        database.run(ADD, name)
                        if name == "b":
                            raise ZeroDivisionError
                except ZeroDivisionError:
                    pass
                assert is_open()
            assert in_thread(lambda: names(database)) == []
        assert names(database) == ["a", "c"]

    def test_savepoints_within_savepoints_go_back_to_their_own(self, database: Database) -> None:
        with database.atomic():
            database.run(ADD, "a")
            with contextlib.suppress(ZeroDivisionError), database.atomic():
                database.run(ADD, "b")
                with contextlib.suppress(KeyError), database.atomic():
                    database.run(ADD, "c")
                    raise KeyError
                with database.atomic():
                    database.run(ADD, "d")
                raise ZeroDivisionError
            with database.atomic():
                database.run(ADD, "e")
        assert names(database) == ["a", "e"]

    def test_calls_after_the_commit_are_made_once_and_not_for_what_went_back(
        self, database: Database
    ) -> None:
        made: list[str] = []
        first, second = (lambda: made.append("first")), (lambda: made.append("second"))
        with database.together(lambda is_sync: None, several=True):
            for _ in range(3):
                with database.atomic():
                    database.after_commit(first)
            with contextlib.suppress(ZeroDivisionError), database.atomic():
                database.after_commit(second)
                raise ZeroDivisionError
            assert made == []
        assert made == ["first"]

    def test_what_writes_of_a_group_all_ask_is_asked_once(self, database: Database) -> None:
        asked: list[str] = []

        def ask(key: str, answer: str | None) -> str | None:
            return database.once(key, lambda: asked.append(key) or answer)  # type: ignore[func-returns-value]

        for several in (True, True, False):
            with database.together(lambda is_sync: None, several=several):
                for _ in range(2):
                    with database.atomic():
                        assert (ask("a", "found"), ask("b", None)) == ("found", None)
        assert asked == ["a", "b"] * 4
        assert (ask("a", "other"), ask("a", "another")) == ("other", "another")

    def test_what_fails_at_the_end_keeps_nothing(self, database: Database) -> None:
        made: list[str] = []
        with contextlib.suppress(ZeroDivisionError), database.together(lambda is_sync: None, several=True):
            with database.atomic():
                database.run(ADD, "a")
                database.after_commit(lambda: made.append("a"))
            raise ZeroDivisionError
        assert (names(database), made) == ([], [])

    def test_one_alone_has_its_own_transaction(self, database: Database) -> None:
        with database.together(lambda is_sync: None, several=False) as is_open:
            with database.atomic():
                database.run(ADD, "a")
            assert is_open()
            assert in_thread(lambda: names(database)) == ["a"]

    def test_it_is_called_before_the_sync(self, database: Database) -> None:
        found: list[object] = []
        with database.together(
            lambda is_sync: found.append(in_thread(lambda: names(database))), several=True
        ):
            database.run(ADD, "a")
        assert found == [[]]
        with database.atomic():
            database.run(ADD, "b")
        assert found == [[]]

    def test_it_is_called_for_the_first_in_a_process_too(self, database: Database) -> None:
        waits: list[bool] = []
        for several in (True, False):
            database.note_fork()
            with database.together(waits.append, several=several), database.atomic():
                database.run(ADD, str(several))
        assert waits == [True, True]

    @only_sqlite
    def test_it_is_called_before_a_lock_is_waited_for(self, migrated_url: str) -> None:
        first, second = (Database(migrated_url, patience=0.2) for _ in range(2))
        for writer, holder in ((first, first), (first, second)):
            waits: list[bool] = []

            def write(writer: Database = writer, waits: list[bool] = waits) -> None:
                with writer.together(waits.append, several=True):
                    writer.run(ADD, "never")

            with holder.atomic():
                with pytest.raises(Unavailable):
                    in_thread(write)
                assert waits == [False]
        with first.together(lambda is_sync: None, several=True):
            first.run(ADD, "a")
        assert names(first) == ["a"]
        first.close()
        second.close()

    @only_sqlite
    def test_it_tells_that_the_transaction_was_taken_back(self, database: Database) -> None:
        with (
            contextlib.suppress(Unavailable),
            database.together(lambda is_sync: None, several=True) as is_open,
        ):
            database.run(ADD, "a")
            assert is_open()
            database.run("ROLLBACK")
            assert not is_open()
            raise Unavailable("gone")
        assert names(database) == []


@on_postgresql
def test_a_group_does_not_wait_for_a_row_that_others_keep(database: Database) -> None:
    database.run(ADD, "kept")
    for several in (True, False):
        with database.atomic():
            database.run(RENAME, "kept", "kept")

            def write(several: bool = several) -> bool:
                with (
                    contextlib.suppress(Unavailable),
                    database.together(lambda is_sync: None, several=several) as is_open,
                ):
                    with contextlib.suppress(Unavailable), database.atomic():
                        database.run(RENAME, "taken", "kept")
                    if not is_open():
                        raise Unavailable("gone")
                return is_open()

            assert in_thread(write) is False
        assert names(database) == ["kept"]
    with database.together(lambda is_sync: None, several=True) as is_open:
        database.run(RENAME, "taken", "kept")
        assert is_open()
    assert names(database) == ["taken"]


@on_postgresql
def test_groups_that_wait_for_each_other_come_to_nothing_and_single_writes_wait(database: Database) -> None:
    for name in ("a", "b"):
        database.run(ADD, name)
    has_first, has_second = threading.Event(), threading.Event()

    def write(mine: str, other: str, ready: threading.Event, others: threading.Event) -> bool:
        with database.together(lambda is_sync: None, several=True) as is_open:
            database.run(RENAME, mine, mine)
            ready.set()
            others.wait(10)
            with contextlib.suppress(Unavailable), database.atomic():
                database.run(RENAME, other, other)
            return is_open()

    with ThreadPoolExecutor(2) as pool:
        both = [
            pool.submit(write, "a", "b", has_first, has_second),
            pool.submit(write, "b", "a", has_second, has_first),
        ]
        assert not all(one.result() for one in both)
    with database.atomic():
        database.run(RENAME, "a", "a")
        with ThreadPoolExecutor(1) as pool:
            alone = pool.submit(database.run, RENAME, "b", "b")
            assert alone.result(10) == 1
    assert names(database) == ["a", "b"]


def test_processes_have_connections_of_their_own(migrated_url: str) -> None:
    connections = ProcessConnections(migrated_url, synchronous="off", pool=2, patience=1.0)
    connections.note_fork()
    connections.close()
