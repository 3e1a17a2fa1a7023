"""Framings of bodies: their content whatever the pieces, their ends, and work that is linear in what came."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.server.framing.bodies import ChunkedFraming, Framing, MalformedBody, SizedFraming

BODIES = {
    b"0\r\n\r\n": b"",
    b"5\r\nhello\r\n0\r\n\r\n": b"hello",
    b"5;name=value\r\nhello\r\n1;x\r\n!\r\n0\r\nX-After: 1\r\n\r\n": b"hello!",
    b"000A\r\n0123456789\r\n00\r\n\r\n": b"0123456789",
    b"2\r\n\r\n\r\n0\r\n\r\n": b"\r\n",
}
MALFORMED = (
    b"zz\r\n",
    b"-5\r\n",
    b"\r\n",
    b"5\nhello",
    b"5 \r\nhello",
    b" 5\r\nhello",
    b"0x5\r\nhello",
    b"5\r\nhelloX",
    b"5\r\nhelloXX",
    b"5\r\nhello\n",
    b"f" * 16 + b"\r\n",
    b"1;" + b"x" * 9000,
    b"1;a b\r\n",
    b"1;\r\n",
    b"1;a=\r\n",
    b'1;a="b"\r\n',
    b"0\r\nX-After: 1\n",
    b"0\r\nX-After : 1\r\n\r\n",
    b"0\r\n folded\r\n\r\n",
    b"0\r\nX: a\0b\r\n\r\n",
    b"0\r\nContent-Length: 5\r\n\r\n",
    b"0\r\ntransfer-encoding: chunked\r\n\r\n",
    b"0\r\n" + b"X: 1\r\n" * 9000,
    b"0\r\n" + b"x" * 9000,
)


def take(framing: Framing, pieces: list[bytes]) -> tuple[bytes, bytes]:
    """The content that a framing finds in pieces, and what it leaves."""
    came, content = bytearray(), b""
    for piece in pieces:
        came += piece
        content += framing.take(came)
    return content, bytes(came)


def cut(sent: bytes, step: int) -> list[bytes]:
    return [sent[at : at + step] for at in range(0, len(sent), step)]


@pytest.mark.parametrize("sent", BODIES)
@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_a_body_is_complete_at_its_end_and_no_sooner(sent: bytes, step: int) -> None:
    for end in range(step, len(sent), step):
        early = ChunkedFraming()
        take(early, cut(sent[:end], step))
        assert not early.is_complete
        with pytest.raises(MalformedBody):
            early.refuse_end()
    framing = ChunkedFraming()
    assert take(framing, [*cut(sent, step), b"GET /"]) == (BODIES[sent], b"GET /")
    assert framing.is_complete
    framing.refuse_end()


@pytest.mark.parametrize("sent", MALFORMED)
@pytest.mark.parametrize("step", [1, 10_000])
def test_what_is_malformed_is_refused(sent: bytes, step: int) -> None:
    with pytest.raises(MalformedBody):
        take(ChunkedFraming(), cut(sent, step))


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=8), st.data())
def test_chunks_come_back_as_they_went(chunks: list[bytes], data: Any) -> None:
    sent = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks) + b"0\r\n\r\nnext"
    places = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=10)))
    pieces = [sent[first:last] for first, last in zip([0, *places], [*places, len(sent)], strict=True)]
    framing = ChunkedFraming()
    assert take(framing, pieces) == (b"".join(chunks), b"next")
    assert framing.announced == len(b"".join(chunks))


@given(st.binary(max_size=60), st.integers(0, 60), st.integers(1, 7))
def test_a_body_of_a_size_takes_that_much(sent: bytes, size: int, step: int) -> None:
    framing = SizedFraming(size)
    assert take(framing, cut(sent, step)) == (sent[:size], sent[size:])
    assert framing.is_complete is (len(sent) >= size)


def test_announced_bytes_are_known_before_they_come() -> None:
    framing = ChunkedFraming()
    take(framing, [b"fffff\r\n"])
    assert framing.announced == 0xFFFFF


def seconds(chunks: int, step: int) -> float:
    """Processor time for a body of one-byte `chunks` that comes in pieces; the least of three."""
    pieces = cut(b"1\r\na\r\n" * chunks + b"0\r\n\r\n", step)

    def once() -> float:
        began = time.process_time()
        assert take(ChunkedFraming(), pieces)[0] == b"a" * chunks
        return time.process_time() - began

    return min(once() for _ in range(3))


@pytest.mark.parametrize("step", [1 << 16, 1 << 24])
def test_work_is_linear_in_what_came(step: int) -> None:
    few, many = seconds(10_000, step), seconds(160_000, step)
    assert many / few < 16 * 2.5
