"""The door to the database: transactions, connections, errors, on SQLite and PostgreSQL."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import peewee
import pytest

from storage import models
from storage.database import Database
from vfs.errors import Invalid, NoSpace, Unavailable
from vfs.testing import raises

ADD = "INSERT INTO shortname (name) VALUES (?)"
NAMES = "SELECT name FROM shortname ORDER BY name"


def names(database: Database) -> list[str]:
    return [name for (name,) in database.rows(NAMES)]


def in_thread(call: Callable[[], object]) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


def cut_connections(url: str) -> None:
    """PostgreSQL ends every connection to the database but the one that asks for it."""
    other = Database(url, pool=1)
    other.rows(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    other.close()


only_sqlite = pytest.mark.parametrize("migrated_url", ["sqlite"], indirect=True)


def on_postgresql(test: Callable[..., None]) -> Callable[..., None]:
    """The test with its database on PostgreSQL alone."""
    return pytest.mark.postgres(pytest.mark.parametrize("migrated_url", ["postgresql"], indirect=True)(test))


class TestStatements:
    def test_rows_row_and_the_number_touched(self, database: Database) -> None:
        assert database.run(ADD, "b") == 1
        database.many(ADD, [("a",), ("c",)])
        assert database.rows(NAMES) == [("a",), ("b",), ("c",)]
        assert database.row("SELECT name FROM shortname WHERE name > ? ORDER BY name", "a") == ("b",)
        assert database.row("SELECT name FROM shortname WHERE name = ?", "z") is None
        assert database.run("DELETE FROM shortname WHERE name <> ?", "b") == 2

    def test_a_statement_means_the_same_at_every_use(self, database: Database) -> None:
        """PostgreSQL plans it at the second use and executes the plan from then on."""
        for number in range(5):
            assert database.run("UPDATE shortname SET name = name || ? WHERE name LIKE 'n%'", "x") == number
            row = database.row(f"{ADD} RETURNING name, ?", f"n{number}", "50 %")
            assert row == (f"n{number}", "50 %")
            assert database.row("SELECT count(*) FROM shortname WHERE name LIKE '%x'") == (number,)

    def test_one_that_cannot_be_planned_still_runs(self, database: Database) -> None:
        odd = "SELECT name FROM shortname WHERE ? IS NULL"
        database.run(ADD, "a")
        with database.atomic():
            for _ in range(3):
                assert database.rows(odd, None) == [("a",)]
        for _ in range(3):
            assert database.rows(odd, 1) == []

    def test_many_happen_together_or_not(self, database: Database) -> None:
        with pytest.raises(peewee.IntegrityError):
            database.many(ADD, [("a",), ("a",)])
        assert names(database) == []

    def test_peewee_s_queries_come_through_the_same_door(self, database: Database) -> None:
        table = models.Shortname
        assert database.query(table.insert(name="a")) == 1
        assert database.query(table.select(table.name)) == [("a",)]
        assert database.query(table.delete()) == 1

    def test_a_mistake_of_ours_stays_a_mistake(self, database: Database) -> None:
        with pytest.raises(peewee.PeeweeException) as caught:
            database.rows("SELECT nothing FROM nowhere")
        assert not isinstance(caught.value, Unavailable)

    def test_other_databases_are_refused(self) -> None:
        with pytest.raises(Invalid, match="sqlite:///"):
            Database("mysql://localhost/curlew")


class TestTransactions:
    def test_calls_wait_for_the_outermost_commit(self, database: Database) -> None:
        calls: list[str] = []
        with database.atomic():
            database.after_commit(lambda: calls.append("outer"))
            with database.atomic():
                database.after_commit(lambda: calls.append(f"inner, {in_thread(lambda: names(database))}"))
                database.run(ADD, "a")
            assert calls == []
        assert calls == ["outer", "inner, ['a']"]

    def test_a_rollback_drops_the_calls_of_its_own_block(self, database: Database) -> None:
        calls: list[str] = []
        with database.atomic():
            database.after_commit(lambda: calls.append("kept"))
            with raises(KeyError), database.atomic():
                database.after_commit(lambda: calls.append("dropped"))
                raise KeyError
        with raises(KeyError), database.atomic():
            database.after_commit(lambda: calls.append("dropped too"))
            raise KeyError
        assert calls == ["kept"]

    def test_outside_a_transaction_a_call_is_made_at_once(self, database: Database) -> None:
        calls: list[str] = []
        database.after_commit(lambda: calls.append("now"))
        assert calls == ["now"]

    def test_a_call_that_fails_stops_neither_the_others_nor_the_caller(
        self, database: Database, caplog: pytest.LogCaptureFixture
    ) -> None:
        calls: list[str] = []
        with caplog.at_level(logging.ERROR), database.atomic():
            database.after_commit(lambda: calls.extend({}["missing"]))
            database.after_commit(lambda: calls.append("next"))
            database.run(ADD, "a")
        assert calls == ["next"]
        assert "after a commit" in caplog.text
        assert names(database) == ["a"]

    def test_a_clash_inside_leaves_the_outer_transaction_alive(self, database: Database) -> None:
        with database.atomic():
            database.run(ADD, "a")
            with pytest.raises(peewee.IntegrityError), database.atomic():
                database.run(ADD, "a")
            database.run(ADD, "b")
        assert names(database) == ["a", "b"]

    def test_threads_lose_no_update(self, database: Database) -> None:
        database.run("INSERT INTO token_use (token, used_on, what) VALUES (0, '', '')")

        def work() -> None:
            for _ in range(20):
                with database.session(), database.atomic():
                    (number,) = database.row("SELECT token FROM token_use WHERE what = ?", "") or (0,)
                    database.run("UPDATE token_use SET token = token + 1 WHERE what = ?", "")
                    assert database.row("SELECT token FROM token_use WHERE what = ?", "") >= (number + 1,)

        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(work) for _ in range(8)]:
                done.result()
        assert database.row("SELECT token FROM token_use") == (160,)


class TestConnections:
    def test_a_thread_that_waits_gives_its_connection_to_another(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            assert names(database) == []
            with pytest.raises(Unavailable) as caught:
                in_thread(lambda: names(database))
            assert caught.value.members["retry_after"] == 1
            with database.released():
                assert in_thread(lambda: names(database)) == []
                assert names(database) == []
                assert in_thread(lambda: names(database)) == []
            assert names(database) == []
        assert in_thread(lambda: names(database)) == []
        database.close()

    def test_a_session_without_statements_takes_no_connection(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            assert in_thread(lambda: names(database)) == []
        database.close()

    def test_a_transaction_keeps_its_connection(self, database: Database) -> None:
        with database.atomic(), pytest.raises(RuntimeError, match="transaction"), database.released():
            pass

    def test_a_child_process_opens_its_own(self, database: Database) -> None:
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
    def test_writers_that_wait_too_long_are_told_to_come_back(self, migrated_url: str) -> None:
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
    def test_writers_without_a_connection_are_told_too(self, migrated_url: str) -> None:
        database = Database(migrated_url, pool=1, patience=0.05)
        with database.session():
            names(database)
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
        rung = threading.Event()
        with database.session():
            with raises(Unavailable), database.atomic():
                database.run(ADD, "a")
                database.after_commit(rung.set)
                cut_connections(migrated_url)
                database.run(ADD, "b")
            assert names(database) == []
            with raises(Unavailable), database.atomic():
                database.run(ADD, "a")
                cut_connections(migrated_url)
            assert names(database) == []
        assert not rung.is_set()

    @on_postgresql
    def test_a_refusal_inside_is_told_though_the_connection_went(
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
