"""Answers that are kept: for equal requests of one place, while the database is the same, within a bound."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest

from handlers.http.answer_memory import KEEPING, MOST_SIGHTS, AnswerMemory, AwaitedAnswer, KeptAnswer
from handlers.http.door.environs import Environ
from tests.handlers.http.door.test_door import Application, Quick, serving
from tests.handlers.http.test_server import PATIENCE, status
from tests.kit.malformed import head

HERE, THERE = b"127.0.0.1\0", b"127.0.0.2\0"
ASKED = b"GET / HTTP/1.1\r\n\r\n"


class Numbers:
    """A version that changes when it is told to."""

    def __init__(self) -> None:
        self.version: Hashable | None = 1
        self.looks = 0

    def __call__(self) -> Hashable | None:
        self.looks += 1
        return self.version


class Noted:
    """A repetition that counts, and may be no longer good."""

    def __init__(self, id: str = "first") -> None:
        self.id = id
        self.times = 0
        self.is_over = False

    def repeat(self) -> str | None:
        self.times += 1
        return None if self.is_over else f"again{self.times}"


def keep(memory: AnswerMemory, body: bytes = b"answer", asked: bytes = ASKED) -> None:
    """Have the answer to a request kept, as at its second coming."""
    memory.await_answer(HERE, asked)
    awaited = memory.await_answer(HERE, asked)
    assert awaited is not None
    awaited.begin()
    awaited.repetition = Noted()
    awaited.keep(b"HTTP/1.1 200 OK\r\n", body)


def kept(memory: AnswerMemory, asked: bytes = ASKED) -> KeptAnswer | None:
    """The answer that may be given again."""
    memory.begin_turn()
    found = memory.find(HERE, asked)
    return found if found is not None and memory.is_good(found) else None


def test_the_second_answer_is_kept_for_the_third_request() -> None:
    memory = AnswerMemory(Numbers())
    assert memory.await_answer(HERE, ASKED) is None
    assert memory.await_answer(HERE, ASKED) is not None
    keep(memory, b"to first, by first")
    found = kept(memory)
    assert found is not None
    assert found.pieces == [b"to ", b", by ", b""]


def test_another_request_or_place_finds_nothing() -> None:
    memory = AnswerMemory(Numbers())
    keep(memory)
    assert memory.find(THERE, ASKED) is None
    assert memory.find(HERE, ASKED.replace(b"/ ", b"/x ")) is None


def test_a_commit_empties_it() -> None:
    numbers = Numbers()
    memory = AnswerMemory(numbers)
    keep(memory)
    numbers.version = 2
    assert kept(memory) is None
    numbers.version = 1
    assert kept(memory) is None


def test_an_answer_begun_before_a_commit_is_not_kept_after_it() -> None:
    numbers = Numbers()
    memory = AnswerMemory(numbers)
    memory.await_answer(HERE, ASKED)
    awaited = memory.await_answer(HERE, ASKED)
    assert awaited is not None
    awaited.begin()
    awaited.repetition = Noted()
    numbers.version = 2
    keep(memory, asked=b"another")
    awaited.keep(b"", b"old")
    assert kept(memory) is None


def test_where_the_version_is_unknown_nothing_is_kept_or_given() -> None:
    numbers = Numbers()
    memory = AnswerMemory(numbers)
    keep(memory)
    numbers.version = None
    assert kept(memory) is None
    keep(memory)
    assert kept(memory) is None


def test_requests_of_one_turn_share_a_look() -> None:
    numbers = Numbers()
    memory = AnswerMemory(numbers)
    keep(memory)
    found = kept(memory)
    assert found is not None
    looks = numbers.looks
    assert all(memory.is_good(found) for _ in range(10))
    assert numbers.looks == looks
    memory.begin_turn()
    assert memory.is_good(found)
    assert numbers.looks == looks + 1
    numbers.version = 2
    assert kept(memory) is None
    numbers.version, looks = 3, numbers.looks
    keep(memory, b"made anew in that turn, and good for all of it")
    found = memory.find(HERE, ASKED)
    assert found is not None
    assert (memory.is_good(found), numbers.looks) == (True, looks)
    assert kept(memory) is None


def test_a_look_that_comes_back_after_its_turn_is_no_look_of_the_next() -> None:
    numbers = Numbers()
    memory = AnswerMemory(numbers)
    keep(memory)
    found = memory.find(HERE, ASKED)
    assert found is not None
    late = AnswerMemory(lambda: memory.begin_turn() or 1)
    memory._read_version = late._read_version
    memory.begin_turn()
    assert memory.is_good(found)
    numbers.version = 2
    memory._read_version = numbers
    assert not memory.is_good(found)


@pytest.mark.parametrize("size", [1000, 30_000])
def test_it_is_bounded(size: int) -> None:
    memory = AnswerMemory(Numbers(), most=100_000)
    for number in range(400):
        keep(memory, bytes(size), b"%d" % number)
        assert memory._size == sum(one.size for one in memory._answers.values()) <= 100_000
        assert not memory._answers or kept(memory, b"%d" % number) is not None
    assert (size > 25_000) == (not memory._answers)


def test_a_kept_answer_is_replaced_by_the_next() -> None:
    memory = AnswerMemory(Numbers())
    keep(memory, b"one")
    size = memory._size
    keep(memory, b"two")
    assert memory._size == size


def test_sights_are_bounded() -> None:
    memory = AnswerMemory(Numbers())
    for number in range(3 * MOST_SIGHTS):
        assert memory.await_answer(HERE, b"%d" % number) is None
        assert len(memory._sights) <= MOST_SIGHTS


def test_without_room_nothing_is_awaited() -> None:
    memory = AnswerMemory(Numbers(), most=0)
    assert [memory.await_answer(HERE, ASKED) for _ in range(3)] == [None] * 3


class Repeating(Application):
    """Says how often it was called, and by which id; every answer but those for `/fleeting` may be kept."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.notes: list[Noted] = []

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        self.calls += 1
        awaited: AwaitedAnswer | None = environ.get(KEEPING)
        if awaited is not None and environ["PATH_INFO"] != "/fleeting":
            self.notes.append(Noted())
            awaited.repetition = self.notes[-1]
        start("200 OK", [("X-Request-ID", "first")])
        return [b"%d by first" % self.calls]


class Repeatable(Quick):
    """All requests are repeatable, and quick but for `/wait`."""

    def is_repeatable(self, environ: Environ) -> bool:
        return True


def ask(send: Any, path: str = "/", *lines: str, times: int = 4) -> list[bytes]:
    """The bodies of the answers to equal requests over one connection, with their ids."""
    request = head("GET", path, *lines)
    wire = send(request)
    bodies = []
    for number in range(times):
        said = wire.recv(1 << 16)
        assert status(said) == 200
        assert said.count(b"Date: ") == 1
        before, _, body = said.partition(b"\r\n\r\n")
        assert b"X-Request-ID: " + body.rpartition(b" ")[2] in before
        bodies.append(body)
        if number < times - 1:
            wire.sendall(request)
    return bodies


@pytest.mark.parametrize("path", ["/", "/wait"])
def test_the_door_gives_a_kept_answer_with_an_id_of_its_own(path: str) -> None:
    application, numbers = Repeating(), Numbers()
    with serving(application, Repeatable(), memory=AnswerMemory(numbers)) as send:
        assert ask(send, path) == [b"1 by first", b"2 by first", b"2 by again1", b"2 by again2"]
        assert ask(send, path, times=2) == [b"2 by again3", b"2 by again4"]
        numbers.version = 2
        assert ask(send, path, times=2) == [b"3 by first", b"3 by again1"]
        assert ask(send, path, "Accept: text/plain", times=1) == [b"4 by first"]


def test_what_has_expired_and_what_is_fleeting_is_asked_for_anew() -> None:
    application = Repeating()
    with serving(application, Repeatable(), memory=AnswerMemory(Numbers())) as send:
        assert ask(send, times=3)[-1] == b"2 by again1"
        application.notes[-1].is_over = True
        assert ask(send, times=1) == [b"3 by first"]
        assert ask(send, "/fleeting") == [b"%d by first" % number for number in (4, 5, 6, 7)]


def test_an_answer_for_a_connection_that_ends_is_not_kept() -> None:
    application = Repeating()
    with serving(application, Repeatable(), memory=AnswerMemory(Numbers())) as send:
        for number in (1, 2, 3):
            assert ask(send, "/", "Connection: close", times=1) == [b"%d by first" % number]


def test_pieces_of_a_head_are_put_together_first() -> None:
    application = Repeating()
    with serving(application, Repeatable(), memory=AnswerMemory(Numbers())) as send:
        ask(send)
        request = head("GET", "/")
        wire = send(request[:10])
        threading.Event().wait(0.05)
        wire.sendall(request[10:])
        assert status(wire.recv(1 << 16)) == 200
        assert application.calls == 3


def test_a_slow_reader_of_a_kept_answer_keeps_nobody_waiting() -> None:
    class Long(Repeating):
        def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
            (body,) = super().__call__(environ, start)
            return [body + bytes(3 << 20)] if environ["PATH_INFO"] == "/" else [body]

    application = Long()
    with serving(application, Repeatable(), memory=AnswerMemory(Numbers())) as send:
        slow = send(head("GET", "/"))
        for number in range(4):
            if number == 3:
                assert ask(send, "/other", times=1) == [b"3 by first"]
            taken = b""
            while len(taken) < 3 << 20:
                taken += slow.recv(1 << 20)
            if number < 3:
                slow.sendall(head("GET", "/"))
        assert b"2 by again2" in taken


def test_a_version_that_is_waited_for_leaves_the_loop_to_another_thread() -> None:
    gate, numbers, application = threading.Event(), Numbers(), Repeating()
    stuck = threading.Semaphore(0)

    def wait() -> Hashable | None:
        if numbers.version == "stuck":
            stuck.release()
            gate.wait(PATIENCE)
        return numbers()

    with serving(application, Repeatable(), memory=AnswerMemory(wait), patience=0.05) as send:
        ask(send)
        numbers.version = "stuck"
        first = send(head("GET", "/"))
        assert stuck.acquire(timeout=PATIENCE)
        numbers.version = 3
        assert ask(send, "/else", times=1) == [b"3 by first"]
        gate.set()
        assert b"by first" in first.recv(1 << 16)
