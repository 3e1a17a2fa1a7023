"""Answers that their readers take slowly, or not at all."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.server.limits import BufferBudget, ReaderWaits
from handlers.server.send_buffer import SendBuffer

SECONDS = 60
MUCH = os.urandom(8 << 20)


class Wire:
    """An outbox over a pair of sockets."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.budget = BufferBudget(64 << 20)
        self.stuck = threading.Event()
        self.waits = ReaderWaits(1)
        self.outbox = SendBuffer(self.ours, self.budget, self.waits, 1 << 16, self.stuck.set)

    def take(self, size: int) -> bytes:
        """So many bytes as the reader gets them, the outbox being flushed meanwhile."""
        found = bytearray()
        while len(found) < size:
            self.outbox.flush()
            found += self.theirs.recv(1 << 20)
        return bytes(found)


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.outbox.close()
    wire.ours.close()
    wire.theirs.close()


def test_what_goes_at_once_is_not_kept(wire: Wire) -> None:
    wire.outbox.put(b"hello")
    assert wire.outbox.is_empty
    assert not wire.stuck.is_set()
    assert wire.theirs.recv(10) == b"hello"


def test_what_a_reader_does_not_take_is_kept_and_counted(wire: Wire) -> None:
    wire.outbox.put(MUCH)
    assert wire.stuck.is_set()
    assert 0 < wire.budget.taken <= len(MUCH)
    wire.outbox.put(b"end")
    assert wire.take(len(MUCH) + 3) == MUCH + b"end"
    assert (wire.outbox.is_empty, wire.budget.taken) == (True, 0)


def test_part_of_a_file_is_sent_without_being_kept(wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(MUCH)
    with (tmp_path / "file").open("rb") as file:
        wire.outbox.put_file(file.fileno(), 7, len(MUCH) - 10)
    assert wire.budget.taken == 0
    assert wire.take(len(MUCH) - 10) == MUCH[7:-3]


def test_a_thread_waits_for_a_reader(wire: Wire) -> None:
    wire.outbox.put(MUCH)
    thread = threading.Thread(target=wire.outbox.put_patiently, args=(b"end", SECONDS))
    thread.start()
    assert wire.take(len(MUCH) + 3).endswith(b"end")
    thread.join(SECONDS)


def test_a_reader_that_takes_nothing_is_given_up(wire: Wire) -> None:
    wire.outbox.put(MUCH)
    with pytest.raises(TimeoutError):
        wire.outbox.put_patiently(b"end", 0.01)


def test_a_reader_is_given_up_when_too_many_threads_wait(wire: Wire) -> None:
    wire.outbox.put(MUCH)
    begun, ends = threading.Event(), list[type[BaseException]]()

    def wait() -> None:
        begun.set()
        try:
            wire.outbox.put_patiently(b"end", SECONDS)
        except BrokenPipeError as error:
            ends.append(type(error))

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait(SECONDS)
    with wire.waits.wait(lambda: None):
        while thread.is_alive():
            with wire.waits.wait(lambda: None):
                thread.join(0.01)
    assert ends == [BrokenPipeError]


def test_nothing_is_put_once_closed(wire: Wire) -> None:
    wire.outbox.put(MUCH)
    wire.outbox.close()
    assert wire.budget.taken == 0
    with pytest.raises(BrokenPipeError):
        wire.outbox.put(b"more")
    with pytest.raises(BrokenPipeError):
        wire.outbox.put_file(wire.ours.fileno(), 0, 1)
