"""Connections to the database: threads, forks, pools, and those that are lost."""

from __future__ import annotations

import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.database.database import Database
from storage.database.postgresql import WATCHED_LINK, postgresql
from tests.kit.suites.kernel import raises
from tests.storage.names import ADD, cut_connections, forget, in_thread, names, on_postgresql, only_sqlite
from vfs.errors import Invalid, NoSpace, Unavailable


class TestConnections:
    def test_a_thread_that_waits_gives_its_connection_to_another(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            assert forget(database) == 0
            with pytest.raises(Unavailable) as caught:
                in_thread(lambda: forget(database))
            assert caught.value.members["retry_after"] == 1
            with database.idle():
                assert in_thread(lambda: forget(database)) == 0
                assert forget(database) == 0
                assert in_thread(lambda: forget(database)) == 0
            assert forget(database) == 0
        assert in_thread(lambda: forget(database)) == 0
        database.close()

    @only_sqlite
    def test_readers_need_no_connection_of_the_pool(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.atomic():
            database.run(ADD, "a")
            assert names(database) == ["a"]
            assert in_thread(lambda: names(database)) == []
        assert in_thread(lambda: names(database)) == ["a"]
        database.close()

    @only_sqlite
    def test_many_may_read_at_once(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1)
        with ThreadPoolExecutor(40) as pool:
            assert list(pool.map(lambda _: names(database), range(200))) == [[]] * 200
        with pytest.raises(sqlite3.OperationalError):
            database.rows("SELECT nothing FROM nowhere")
        assert names(database) == []
        database.close()

    def test_a_session_without_statements_takes_no_connection(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            assert in_thread(lambda: names(database)) == []
        database.close()

    def test_a_transaction_keeps_its_connection(self, database: Database) -> None:
        with database.atomic(), pytest.raises(RuntimeError, match="transaction"), database.idle():
            pass

    def test_a_child_process_opens_a_new_connection(self, database: Database) -> None:
        with database.session():
            database.run(ADD, "parent")
            child = os.fork()
            if child == 0:
                try:
                    with database.atomic():
                        database.run(ADD, "child")
                    os._exit(0 if names(database) == ["child", "parent"] else 1)
                finally:
                    os._exit(2)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 0
            assert names(database) == ["child", "parent"]

    @only_sqlite
    def test_writers_that_wait_too_long_are_asked_to_retry(self, migrated_url: str) -> None:
        one, other = Database(migrated_url), Database(migrated_url, patience=0.05)
        with one.atomic():
            one.run(ADD, "a")
            for write in (lambda: other.run(ADD, "b"), lambda: other.many(ADD, [("b",)])):
                with pytest.raises(Unavailable) as caught:
                    write()
                assert caught.value.members["retry_after"] == 1
            assert names(other) == []
        other.run(ADD, "b")
        assert names(one) == ["a", "b"]
        one.close()
        other.close()

    @only_sqlite
    def test_threads_that_wait_too_long_for_their_turn_too(self, migrated_url: str) -> None:
        database = Database(migrated_url, patience=0.05)
        with database.atomic():
            with pytest.raises(Unavailable):
                in_thread(lambda: database.many(ADD, [("b",)]))
            database.run(ADD, "a")
        assert names(database) == ["a"]
        database.close()

    @only_sqlite
    def test_writers_without_a_connection_are_asked_to_retry_too(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            forget(database)
            with pytest.raises(Unavailable):
                in_thread(lambda: database.many(ADD, [("b",)]))
        database.close()

    @only_sqlite
    def test_a_full_disk_stores_nothing(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1)
        database.rows("PRAGMA max_page_count = 1")
        with raises(NoSpace), database.atomic():
            for number in range(2000):
                database.run(ADD, f"{number:0100}")
        assert names(database) == []
        database.close()


class TestLostConnections:
    @on_postgresql
    def test_reads_go_on_with_a_fresh_connection(self, database: Database, migrated_url: str) -> None:
        database.run(ADD, "a")
        cut_connections(migrated_url)
        assert names(database) == ["a"]

    @on_postgresql
    def test_transactions_begin_on_a_fresh_connection(self, database: Database, migrated_url: str) -> None:
        names(database)
        cut_connections(migrated_url)
        with database.atomic():
            database.run(ADD, "a")
        assert names(database) == ["a"]

    @on_postgresql
    def test_a_write_is_never_repeated(self, database: Database, migrated_url: str) -> None:
        names(database)
        cut_connections(migrated_url)
        with pytest.raises(Unavailable) as caught:
            database.run(ADD, "a")
        assert caught.value.members["retry_after"] == 2
        assert database.run(ADD, "b") == 1
        assert names(database) == ["b"]

    @on_postgresql
    def test_a_transaction_that_loses_its_connection_is_gone(
        self, database: Database, migrated_url: str
    ) -> None:
        signalled = threading.Event()
        with database.session():
            with raises(Unavailable), database.atomic():
                database.run(ADD, "a")
                database.after_commit(signalled.set)
                cut_connections(migrated_url)
                database.run(ADD, "b")
            assert names(database) == []
            with raises(Unavailable), database.atomic():
                database.run(ADD, "a")
                cut_connections(migrated_url)
            assert names(database) == []
        assert not signalled.is_set()

    @on_postgresql
    def test_a_refusal_inside_is_raised_although_the_connection_was_lost(
        self, database: Database, migrated_url: str
    ) -> None:
        with raises(Invalid), database.atomic():
            database.run(ADD, "a")
            cut_connections(migrated_url)
            raise Invalid("no")
        assert names(database) == []

    def test_a_server_that_is_away_is_unavailable(self, tmp_path: Path) -> None:
        database = Database(f"postgresql://test@/nothing?host={tmp_path}", patience=0.05)
        with pytest.raises(Unavailable):
            names(database)
        with pytest.raises(Unavailable), database.atomic():
            pass


@on_postgresql
def test_the_wait_for_an_unreachable_server_is_limited(migrated_url: str) -> None:
    pool = postgresql(migrated_url, 1, 1.0)
    options = pool.connection().get_dsn_parameters()
    assert {name: options[name] for name in WATCHED_LINK} == {
        name: str(value) for name, value in WATCHED_LINK.items()
    }
    pool.close_all()


@on_postgresql
def test_a_statement_that_takes_long_is_let_work(migrated_url: str) -> None:
    database = Database(migrated_url, patience=0.2)
    assert database.value("SELECT 7 FROM pg_sleep(2.5)") == 7
    database.close()
