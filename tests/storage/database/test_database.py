"""The door to the database: transactions, connections, errors, on SQLite and PostgreSQL."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import peewee
import pytest

from storage.database.database import Database
from storage.database.errors import FOREIGN
from tests.kit.suites.kernel import raises
from tests.storage.names import ADD, NAMES, in_thread, names
from vfs.errors import Invalid, Unavailable


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

    def test_a_name_that_comes_again_is_the_same_parameter(self, database: Database) -> None:
        twice = "SELECT name, :mark FROM shortname WHERE name = :name OR name = :name || :mark ORDER BY name"
        database.many("INSERT INTO shortname (name) VALUES (:name)", [{"name": "a"}, {"name": "a%"}])
        for _ in range(4):
            assert database.rows(twice, name="a", mark="%") == [("a", "%"), ("a%", "%")]
            assert database.value(twice, name="b", mark="%") is None

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

    def test_a_mistake_of_ours_stays_a_mistake(self, database: Database) -> None:
        with pytest.raises(FOREIGN) as caught:
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

    def test_a_rollback_drops_the_calls_of_its_block(self, database: Database) -> None:
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
