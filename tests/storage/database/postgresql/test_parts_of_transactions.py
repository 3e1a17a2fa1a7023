"""Parts of a transaction are rolled back separately, and a lost connection loses no other transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from storage.database.database import Database
from tests.storage.names import ADD, cut_connections, names, on_postgresql

ADD_NAMED = "INSERT INTO shortname (name) VALUES (:name)"


def test_savepoints_in_which_nothing_is_written_leave_the_others_as_they_are(database: Database) -> None:
    with database.atomic():
        with database.atomic(), database.atomic():
            pass
        with contextlib.suppress(ZeroDivisionError), database.atomic():
            raise ZeroDivisionError
        database.run(ADD, "a")
        with database.atomic():
            database.many(ADD_NAMED, [{"name": "b"}, {"name": "c"}])
        with contextlib.suppress(ZeroDivisionError), database.atomic():
            database.many(ADD_NAMED, [{"name": "d"}])
            raise ZeroDivisionError
        with database.atomic():
            pass
    assert names(database) == ["a", "b", "c"]


@pytest.mark.parametrize("wrong", [{"name": "a"}, {"name": object()}, {}])
def test_a_statement_that_fails_first_in_a_savepoint_takes_back_that_alone(
    database: Database, wrong: dict[str, object]
) -> None:
    with database.atomic():
        database.run(ADD, "a")
        with database.atomic():
            database.run(ADD, "b")
        with pytest.raises(Exception, match=r"\S"), database.atomic():
            database.run(ADD_NAMED, **wrong)
        database.run(ADD, "c")
    assert names(database) == ["a", "b", "c"]


@contextmanager
def reconnected(database: Database) -> Iterator[None]:
    """A transaction in a session that has asked for something before."""
    with database.session():
        database.run(ADD, "before")
        with database.atomic():
            yield


@on_postgresql
def test_a_transaction_begins_again_if_its_connection_was_lost_before(
    migrated_url: str, database: Database
) -> None:
    database.run(ADD, "a")
    cut_connections(migrated_url)
    with database.atomic():
        database.run(ADD, "b")
    assert names(database) == ["a", "b"]


def test_a_transaction_without_a_statement_ends_well(database: Database) -> None:
    with reconnected(database), contextlib.suppress(ZeroDivisionError), database.atomic():
        raise ZeroDivisionError
    with contextlib.suppress(ZeroDivisionError), database.session(), database.atomic():
        raise ZeroDivisionError
    database.run(ADD, "a")
    assert names(database) == ["a", "before"]


@pytest.mark.parametrize(
    ("sql", "wrong"),
    [
        (ADD_NAMED, {"name": "a"}),
        (ADD_NAMED, {"name": object()}),
        (ADD_NAMED, {}),
        ("SELECT FROM WHERE :name", {"name": "a"}),
    ],
)
def test_the_first_statement_of_a_transaction_may_fail_alone(
    database: Database, sql: str, wrong: dict[str, object]
) -> None:
    database.run(ADD, "a")
    with reconnected(database):
        with pytest.raises(Exception, match=r"\S"), database.atomic():
            database.run(sql, **wrong)
        with database.atomic():
            database.run(ADD, "b")
    assert names(database) == ["a", "b", "before"]


@on_postgresql
def test_a_transaction_begins_on_a_new_connection_where_the_one_of_its_session_is_lost(
    migrated_url: str, database: Database
) -> None:
    with database.session():
        database.run(ADD, "a")
        cut_connections(migrated_url)
        with database.atomic():
            database.run(ADD, "b")
    assert names(database) == ["a", "b"]
