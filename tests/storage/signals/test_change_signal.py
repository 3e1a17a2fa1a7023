"""Change signals wake waiting callers in this process and in others, and none is lost before the wait."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg2
import pytest

from storage.database.database import Database
from storage.signals.change_signal import LONGEST_MESSAGE, SLOTS, ChangeSignal, PipeSignal
from storage.signals.change_signals import PostgresSignal, change_signal_of
from tests.kit.processes import fork
from tests.kit.unmeasured import processes, start

NEVER = 120.0
SOON = 0.05


@pytest.fixture
def database(migrated_url: str) -> Iterator[Database]:
    database = Database(migrated_url)
    yield database
    database.close()


@pytest.fixture
def change_signal(database: Database, migrated_url: str, tmp_path: Path) -> Iterator[ChangeSignal]:
    change_signal = change_signal_of(database, migrated_url, tmp_path / "signals")
    yield change_signal
    change_signal.close()


def heard(change_signal: ChangeSignal, topic: str, act: Callable[[], object], seconds: float = NEVER) -> bool:
    ticket = change_signal.ticket(topic)
    act()
    return change_signal.wait(ticket, seconds)


def test_a_signal_after_the_ticket_is_heard_however_late_the_wait(change_signal: ChangeSignal) -> None:
    assert heard(change_signal, "x", lambda: change_signal.signal("x"))
    assert not heard(change_signal, "x", lambda: None, 0.01)


def test_everybody_of_a_process_can_be_woken(change_signal: ChangeSignal) -> None:
    assert heard(change_signal, "x", change_signal.wake)
    assert heard(change_signal, "y", change_signal.wake)


def test_a_signal_inside_a_transaction_is_heard_after_the_commit_alone(
    change_signal: ChangeSignal, database: Database
) -> None:
    ticket = change_signal.ticket("x")
    with database.atomic():
        change_signal.signal("x")
        assert not change_signal.wait(ticket, 0.05)
    assert change_signal.wait(ticket, NEVER)


def test_a_transaction_rolled_back_sends_nothing(change_signal: ChangeSignal, database: Database) -> None:
    ticket = change_signal.ticket("x")

    def break_off() -> None:
        with database.atomic():
            change_signal.signal("x")
            raise LookupError

    with pytest.raises(LookupError):
        break_off()
    assert not change_signal.wait(ticket, 0.05)


def test_a_part_that_is_taken_back_sends_nothing_and_the_rest_does(
    change_signal: ChangeSignal, database: Database
) -> None:
    tickets = {topic: change_signal.ticket(topic) for topic in ("kept", "gone")}
    with database.atomic():
        change_signal.signal("kept")
        with contextlib.suppress(LookupError), database.atomic():
            change_signal.signal("gone")
            raise LookupError
    assert change_signal.wait(tickets["kept"], NEVER)
    assert not change_signal.wait(tickets["gone"], 0.05)


def test_messages_come_in_order_after_the_commit_and_not_of_what_was_taken_back(
    change_signal: ChangeSignal, database: Database
) -> None:
    came: list[str | None] = []
    change_signal.subscribe(came.append)
    with contextlib.suppress(ZeroDivisionError), database.atomic():
        change_signal.publish("never")
        raise ZeroDivisionError
    with database.atomic():
        for number in range(20):
            change_signal.publish(f"number {number}")
        assert came == []
    until = time.monotonic() + 20
    while len(came) < 20 and time.monotonic() < until:
        time.sleep(0.01)
    assert came == [f"number {number}" for number in range(20)]
    change_signal._set_all()
    assert came[-1] is None
    change_signal.wake()
    assert len(came) == 21


@pytest.mark.parametrize("message", ["two\nlines", "x" * (LONGEST_MESSAGE + 1), "\0"])
def test_what_no_pipe_takes_whole_is_no_message(change_signal: ChangeSignal, message: str) -> None:
    with pytest.raises(ValueError, match="cannot send this message"):
        change_signal.publish(message)


def test_watching_looks_until_it_has_seen_enough(change_signal: ChangeSignal) -> None:
    seen: list[int] = []

    def look() -> tuple[int, bool]:
        seen.append(len(seen))
        if len(seen) < 5:
            change_signal.signal("x")
        return len(seen), len(seen) == 5

    assert change_signal.watch("x", look, NEVER) == 5
    assert change_signal.watch("x", lambda: (7, False), 0.01) == 7


def test_watching_rechecks_periodically_and_at_the_end_unless_that_is_off(
    change_signal: ChangeSignal,
) -> None:
    looks: list[int] = []

    def look() -> tuple[int, bool]:
        looks.append(len(looks))
        return len(looks), len(looks) > 3

    assert change_signal.watch("x", look, NEVER, recheck=0.01) == 4
    looks.clear()
    assert change_signal.watch("x", look, 0.05, recheck=None) == 1
    with ThreadPoolExecutor(1) as others:
        found = others.submit(change_signal.watch, "x", look, None, recheck=None)
        while not found.done():
            change_signal.signal("x")
    assert found.result() == 4


def answer_rings(url: str, folder: Path, pipe: Connection) -> None:
    """In another process: for each ring of `there` that is announced, wait for it and ring `here`."""
    database = Database(url)
    change_signal = change_signal_of(database, url, folder / "signals")
    ticket = change_signal.ticket("there")
    pipe.send("ready")
    while pipe.recv():
        pipe.send(change_signal.wait(ticket, NEVER))
        ticket = change_signal.ticket("there")
        with database.atomic():
            change_signal.signal("here")
    change_signal.close()
    database.close()


def test_waiters_in_two_processes_wake_each_other_within_50_ms(
    change_signal: ChangeSignal, migrated_url: str, tmp_path: Path
) -> None:
    mine, theirs = processes.Pipe()
    other = processes.Process(target=answer_rings, args=(migrated_url, tmp_path, theirs))
    start(other)
    try:
        assert mine.recv() == "ready"
        late = []
        for _ in range(20):
            ticket = change_signal.ticket("here")
            mine.send(True)
            started = time.monotonic()
            change_signal.signal("there")
            assert change_signal.wait(ticket, NEVER)
            late.append((time.monotonic() - started) / 2)
            assert mine.recv() is True
        assert sorted(late)[len(late) // 4] < SOON, late
    finally:
        mine.send(False)
        other.join(NEVER)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_listens_too(change_signal: ChangeSignal, database: Database) -> None:
    """A worker of a server that forks: parent and child hear each other, and the parent still itself."""
    before = change_signal.ticket("x")

    def child() -> bool:
        return heard(change_signal, "y", lambda: change_signal.signal("y")) and heard(
            change_signal, "x", lambda: change_signal.signal("x")
        )

    assert fork(child) == 0
    assert change_signal.wait(before, NEVER)
    assert heard(change_signal, "z", lambda: change_signal.signal("z"))


class TestPipes:
    @pytest.fixture
    def pipes(self, tmp_path: Path) -> Iterator[Callable[[], PipeSignal]]:
        made = []

        def make() -> PipeSignal:
            made.append(PipeSignal(tmp_path / "signals", lambda call: call()))
            return made[-1]

        yield make
        for change_signal in made:
            change_signal.close()

    def test_a_dead_process_s_pipe_is_removed_by_the_next_signal(
        self, pipes: Callable[[], PipeSignal], tmp_path: Path
    ) -> None:
        change_signal = pipes()
        change_signal.ticket("x")
        os.mkfifo(tmp_path / "signals" / "1-dead.signal")
        (tmp_path / "signals" / "note.txt").touch()
        change_signal.signal("x")
        assert len(list((tmp_path / "signals").glob("*.signal"))) == 1
        change_signal.close()
        assert list((tmp_path / "signals").glob("*.signal")) == []
        change_signal.close()

    def test_sending_needs_no_listener(self, pipes: Callable[[], PipeSignal]) -> None:
        pipes().signal("x")

    def test_an_overflowing_pipe_wakes_everybody(
        self, pipes: Callable[[], PipeSignal], tmp_path: Path
    ) -> None:
        """Thousands of signals while the reader cannot keep up: every waiting thread looks again."""
        listening, ringing = pipes(), pipes()
        tickets = [listening.ticket(str(number)) for number in range(SLOTS)]
        quiet = listening.ticket("quiet")
        hold = list(listening._slots)
        for condition in hold:
            condition.acquire()
        for number in range(20_000):
            ringing.signal(f"topic {number}")
        for condition in hold:
            condition.release()
        assert listening.wait(quiet, NEVER)
        assert all(listening.wait(ticket, NEVER) for ticket in tickets)


@pytest.mark.postgres
class TestListening:
    @pytest.fixture
    def migrated_url(self, postgres: object) -> Iterator[str]:
        url = postgres.fresh()  # type: ignore[attr-defined]
        yield url
        postgres.drop(url)  # type: ignore[attr-defined]

    def test_a_lost_connection_is_replaced_and_everybody_looks_again(
        self, change_signal: ChangeSignal, migrated_url: str
    ) -> None:
        ticket = change_signal.ticket("x")
        connection = psycopg2.connect(migrated_url)
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'curlew signals' AND datname = current_database()"
            )
        connection.close()
        assert change_signal.wait(ticket, NEVER)
        assert heard(change_signal, "x", lambda: change_signal.signal("x"))

    def test_a_process_with_more_files_open_than_select_knows_hears(
        self, migrated_url: str, tmp_path: Path
    ) -> None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
        files = [os.open(os.devnull, os.O_RDONLY)]
        try:
            while files[-1] < 1100:
                files.append(os.dup(files[0]))
            database = Database(migrated_url)
            change_signal = change_signal_of(database, migrated_url, tmp_path)
            assert heard(change_signal, "x", lambda: change_signal.signal("x"))
            change_signal.close()
            database.close()
        finally:
            for file in files:
                os.close(file)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_a_signal_without_a_server_gives_up_listening_when_closed(self, tmp_path: Path) -> None:
        sent = []
        change_signal = PostgresSignal(
            f"postgresql://nobody@/none?host={tmp_path}", lambda *words: sent.append(words)
        )
        threading.Timer(0.3, change_signal.close).start()
        change_signal.signal("x")
        assert sent == [("curlew", "x")]
        assert change_signal.ticket("x").seen == 1
