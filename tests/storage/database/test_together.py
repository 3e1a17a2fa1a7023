"""Short writes of several threads in one transaction: all are durable at its end, each fails for itself."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.database.database import Database
from storage.database.process_connections import ProcessConnections
from storage.database.sqlite.write_groups import MOST_TOGETHER
from tests.storage.names import ADD, in_thread, names, only_sqlite
from vfs.errors import Unavailable

PATIENCE = 60.0


def adding(database: Database, name: str, fails: bool = False) -> Callable[[], str]:
    """A change that adds a name, and fails afterwards if it is to."""

    def add() -> str:
        database.run(ADD, name)
        if fails:
            raise ZeroDivisionError(name)
        return name

    return add


class Group:
    """Changes that wait behind one that is being made, so that they come together."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pool = ThreadPoolExecutor(64)
        self._begun, self._goes_on = threading.Event(), threading.Event()
        self._asked: list[Future[object]] = []

    @contextmanager
    def gathering(self) -> Iterator[Callable[[Callable[[], object]], Future[object]]]:
        """What adds a change to those that wait; they are made at the end."""
        first = self._pool.submit(self._database.together, self._hold)
        assert self._begun.wait(PATIENCE)
        yield self._submit
        groups = self._database._live().groups
        while len(groups._waiting) < len(self._asked):
            assert not any(one.done() for one in self._asked)
        self._goes_on.set()
        first.result(PATIENCE)
        self._pool.shutdown()

    def _hold(self) -> None:
        self._begun.set()
        assert self._goes_on.wait(PATIENCE)

    def _submit(self, change: Callable[[], object]) -> Future[object]:
        self._asked.append(self._pool.submit(self._database.together, change))
        return self._asked[-1]


def outcomes(asked: Sequence[Future[object]]) -> list[object]:
    """What each returned, or the kind of what it raised."""
    return [type(error) if (error := one.exception(PATIENCE)) else one.result() for one in asked]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(fails=st.lists(st.booleans(), min_size=1, max_size=24))
def test_each_write_fails_for_itself_and_the_others_are_kept(database: Database, fails: list[bool]) -> None:
    database.run("DELETE FROM shortname")
    wanted = [f"{number:02}" for number in range(len(fails))]
    with ThreadPoolExecutor(8) as pool:
        changes = [adding(database, name, fail) for name, fail in zip(wanted, fails, strict=True)]
        found = outcomes([pool.submit(database.together, change) for change in changes])
    kept = [name for name, fail in zip(wanted, fails, strict=True) if not fail]
    assert found == [ZeroDivisionError if fail else name for name, fail in zip(wanted, fails, strict=True)]
    assert names(database) == kept


def test_a_change_within_a_transaction_is_a_part_of_it(database: Database) -> None:
    with contextlib.suppress(ZeroDivisionError), database.atomic():
        assert database.together(adding(database, "a")) == "a"
        with pytest.raises(ZeroDivisionError):
            database.together(adding(database, "b", fails=True))
        assert names(database) == ["a"]
        raise ZeroDivisionError
    assert names(database) == []


def test_savepoints_within_savepoints_go_back_to_their_own(database: Database) -> None:
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


@only_sqlite
def test_those_that_wait_share_a_transaction_that_nobody_sees_before_its_end(database: Database) -> None:
    seen: list[object] = []

    def look() -> None:
        seen.append((names(database), in_thread(lambda: names(database)), threading.get_ident()))

    with Group(database).gathering() as submit:
        asked = [submit(adding(database, "a")), submit(look), submit(adding(database, "b"))]
    assert outcomes(asked) == ["a", None, "b"]
    assert seen[0][1] == []  # type: ignore[index]
    assert names(database) == ["a", "b"]


@only_sqlite
def test_calls_after_the_commit_are_made_once_and_not_for_what_went_back(database: Database) -> None:
    made: list[str] = []
    first, second = (lambda: made.append("first")), (lambda: made.append("second"))

    def fail() -> None:
        database.after_commit(second)
        raise ZeroDivisionError

    with Group(database).gathering() as submit:
        asked = [submit(lambda: database.after_commit(first)) for _ in range(3)]
        asked.append(submit(fail))
    assert outcomes(asked) == [None, None, None, ZeroDivisionError]
    assert made == ["first"]


@only_sqlite
def test_where_the_transaction_is_taken_back_none_of_its_writes_is_answered_well(database: Database) -> None:
    with Group(database).gathering() as submit:
        asked = [submit(adding(database, "a")), submit(lambda: database.run("ROLLBACK"))]
        asked.append(submit(adding(database, "b")))
    assert all(isinstance(one, type) and issubclass(one, Exception) for one in outcomes(asked))
    assert names(database) == []
    assert database.together(adding(database, "c")) == "c"
    assert names(database) == ["c"]


@only_sqlite
def test_no_more_wait_for_one_sync_than_may_and_all_are_made(database: Database) -> None:
    wanted = [f"{number:02}" for number in range(2 * MOST_TOGETHER + 3)]
    with Group(database).gathering() as submit:
        asked = [submit(adding(database, name)) for name in wanted]
    assert outcomes(asked) == wanted
    assert names(database) == wanted


@only_sqlite
def test_whoever_waits_keeps_no_connection(migrated_url: str) -> None:
    database = Database(migrated_url, synchronous="off", pool=2)

    def write(name: str) -> object:
        with database.session():
            database.run(ADD, f"{name} before")
            return database.together(adding(database, name))

    wanted = [f"{number:02}" for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        found = outcomes([pool.submit(write, name) for name in wanted])
    assert found == wanted
    database.close()


@only_sqlite
def test_a_lock_that_others_keep_is_waited_for_as_long_as_by_one_alone(migrated_url: str) -> None:
    first, second = (Database(migrated_url, patience=0.2) for _ in range(2))
    for holder in (first, second):
        with holder.atomic(), pytest.raises(Unavailable):
            in_thread(lambda: first.together(adding(first, "never")))
    assert first.together(adding(first, "a")) == "a"
    assert names(first) == ["a"]
    first.close()
    second.close()


def test_processes_have_connections_of_their_own(migrated_url: str) -> None:
    connections = ProcessConnections(migrated_url, synchronous="off", pool=2, patience=1.0)
    connections.note_fork()
    connections.close()
