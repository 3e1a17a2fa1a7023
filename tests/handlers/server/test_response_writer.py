"""Answers on the wire: their framing, by what the application says and leaves out."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.http.errors import InvalidResponseHeader

from handlers.server.limits import BufferBudget, ReaderWaits
from handlers.server.response_writer import DateHeader, FileAnswer, ResponseWriter
from handlers.server.send_buffer import SendBuffer

TEXT = ("Content-Type", "text/plain")


class Talk:
    """A connection on which answers are written."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()
        self._outbox = SendBuffer(self.ours, BufferBudget(1 << 20), ReaderWaits(1), 1 << 16, lambda: None)

    def answer(
        self,
        result: Iterable[bytes],
        *headers: tuple[str, str],
        status: str = "200 OK",
        method: str = "GET",
        version: tuple[int, int] = (1, 1),
    ) -> tuple[bool, str, bytes]:
        """Whether the connection goes on, the head and the body of an answer."""
        request = SimpleNamespace(method=method, version=version)
        writer = ResponseWriter(request, self._outbox, DateHeader(), keeps=True)
        writer.start_response(status, [TEXT, *headers])
        writer.send(result, 1)
        self._outbox.flush()
        head, _, body = self.theirs.recv(1 << 16).partition(b"\r\n\r\n")
        return writer.keeps, head.decode().lower(), body


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.ours.close()
    talk.theirs.close()


def length(number: int) -> tuple[str, str]:
    return ("Content-Length", str(number))


def test_a_whole_answer_is_sent_with_its_length(talk: Talk) -> None:
    keeps, head, body = talk.answer([b"hello"])
    assert (keeps, body) == (True, b"hello")
    assert "content-length: 5" in head
    assert "connection: keep-alive" in head


def test_an_answer_in_pieces_is_chunked_for_who_knows_chunks(talk: Talk) -> None:
    keeps, head, body = talk.answer(iter([b"one", b"", b"two"]))
    assert (keeps, body) == (True, b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    assert "transfer-encoding: chunked" in head
    keeps, head, body = talk.answer(iter([b"one", b"two"]), version=(1, 0))
    assert (keeps, body) == (False, b"onetwo")
    assert "chunked" not in head


def test_pieces_of_a_known_length_are_sent_as_they_are(talk: Talk) -> None:
    assert talk.answer(iter([b"one", b"two"]), length(6))[::2] == (True, b"onetwo")
    assert talk.answer(iter([]), length(0))[::2] == (True, b"")


@pytest.mark.parametrize("result", [[b"one"], iter([b"one"])])
def test_an_answer_shorter_than_its_length_ends_the_connection(talk: Talk, result: Iterable[bytes]) -> None:
    assert talk.answer(result, length(5))[0] is False


def test_an_answer_longer_than_its_length_is_a_mistake(talk: Talk) -> None:
    with pytest.raises(ValueError, match="longer than its Content-Length"):
        talk.answer(iter([b"one"]), length(2))


@pytest.mark.parametrize("result", [[b"hello"], iter([b"hello"])])
def test_the_answer_to_a_head_has_no_body(talk: Talk, result: Iterable[bytes]) -> None:
    assert talk.answer(result, method="HEAD")[::2] == (True, b"")


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_an_answer_without_a_body_has_none(talk: Talk, status: str) -> None:
    keeps, head, body = talk.answer([], length(0), status=status)
    assert (keeps, body) == (True, b"")
    assert ("content-length" in head) is status.startswith("304")


def test_what_the_server_says_of_the_connection_counts(talk: Talk) -> None:
    assert "upgrade" not in talk.answer([b""], ("Upgrade", "h2c"))[1]


def test_a_file_without_a_descriptor_is_read(talk: Talk) -> None:
    file = FileAnswer(io.BytesIO(b"hello"))
    assert talk.answer(file, length(5))[::2] == (True, b"hello")
    file.close()
    assert file.file.closed


def test_an_answer_begins_once(talk: Talk) -> None:
    writer = ResponseWriter(
        SimpleNamespace(method="GET", version=(1, 1)), talk._outbox, DateHeader(), keeps=True
    )
    write = writer.start_response("200 OK", [TEXT, length(2)])
    with pytest.raises(AssertionError):
        writer.start_response("200 OK", [])
    write(b"hi")
    assert talk.theirs.recv(1 << 16).endswith(b"\r\n\r\nhi")


@pytest.mark.parametrize("header", [("X", "a\r\nY: b"), ("X", "a\0"), ("X\n", "a"), ("X Y", "a")])
def test_a_header_that_http_cannot_carry_is_refused(talk: Talk, header: Any) -> None:
    with pytest.raises(InvalidResponseHeader):
        talk.answer([b""], header)
