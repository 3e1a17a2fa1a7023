"""Statements ahead of others: savepoints and writes that are sent late come to what they come to at once."""

from __future__ import annotations

from contextlib import suppress
from itertools import count

import peewee
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.database.database import Database
from storage.database.postgresql.ahead import Ahead
from tests.storage.names import ADD, forget, in_thread, names, on_postgresql

ADD_NAMED = "INSERT INTO shortname (name) VALUES (:name)"
NUMBERS = count()

Step = str | tuple[bool, list["Step"]]
STEPS: st.SearchStrategy[list[Step]] = st.recursive(
    st.lists(st.sampled_from(["now", "ahead"]), max_size=3),
    lambda inner: st.lists(
        st.one_of(st.sampled_from(["now", "ahead"]), st.tuples(st.booleans(), inner)), max_size=4
    ),
    max_leaves=12,
)


def act(database: Database, steps: list[Step]) -> list[str]:
    """Write by steps, a failing part where the first of a pair says so; what should be there of it."""
    kept: list[str] = []
    for step in steps:
        if isinstance(step, str):
            name = f"{next(NUMBERS):06}"
            if step == "now":
                database.run(ADD, name)
            else:
                database.run_ahead(ADD_NAMED, name=name)
            kept.append(name)
            continue
        fails, inner = step
        with suppress(ZeroDivisionError), database.atomic():
            part = act(database, inner)
            if fails:
                raise ZeroDivisionError
            kept += part
    return kept


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_parts_that_fail_are_taken_back_whatever_was_sent_by_then(
    database: Database, steps: list[Step]
) -> None:
    database.run("DELETE FROM shortname")
    with database.atomic():
        kept = act(database, steps)
    assert names(database) == kept


def test_a_write_ahead_of_nothing_is_made_with_the_commit(database: Database) -> None:
    with database.atomic():
        database.run_ahead(ADD_NAMED, name="a")
    assert names(database) == ["a"]


def test_outside_a_transaction_nothing_goes_ahead(database: Database) -> None:
    with database.session():
        database.run_ahead(ADD_NAMED, name="a")
        assert in_thread(lambda: names(database)) == ["a"]


def test_what_is_ahead_when_all_is_taken_back_is_not_sent_later(database: Database) -> None:
    with suppress(ZeroDivisionError), database.atomic():
        database.run_ahead(ADD_NAMED, name="a")
        raise ZeroDivisionError
    forget(database)
    assert names(database) == []


@on_postgresql
def test_a_write_ahead_that_fails_is_told_by_the_next_statement(database: Database) -> None:
    database.run(ADD, "a")
    with database.atomic():
        with suppress(peewee.IntegrityError), database.atomic():
            database.run_ahead(ADD_NAMED, name="a")
            database.run(ADD, "b")
        database.run(ADD, "c")
    assert names(database) == ["a", "c"]


@on_postgresql
@pytest.mark.parametrize("name", ["50%", "%s", "%(name)s", "'; SELECT 1; --", "\\'"])
def test_values_ahead_are_values(database: Database, name: str) -> None:
    for _ in range(3):  # as it is sent first, prepared, and planned
        database.run("DELETE FROM shortname")
        with database.atomic():
            database.run_ahead(ADD_NAMED, name=name)
            assert database.value("SELECT count(*) FROM shortname WHERE name LIKE '%'") == 1
        assert names(database) == [name]


def test_a_part_with_nothing_in_it_is_not_begun() -> None:
    ahead = Ahead()
    ahead.begin_savepoint()
    ahead.begin_savepoint()
    ahead.release_savepoint()
    ahead.release_savepoint()
    assert not ahead
