"""Ends of chunked bodies, found in pieces of any size."""

from __future__ import annotations

import pytest

from handlers.http.door.framing.chunk_scan import ChunkScan

WHOLE = (
    b"0\r\n\r\n",
    b"5\r\nhello\r\n0\r\n\r\n",
    b"5;name=value\r\nhello\r\n1 ;x\r\n!\r\n0\r\nX-After: 1\r\n\r\n",
    b"000A\r\n0123456789\r\n00\r\n\r\n",
    b"2\r\n\r\n\r\n0\r\n\r\n",
)
# What goes on after it is beyond repair, so that the reader is asked at once.
MALFORMED = (
    b"zz\r\n",
    b"-5\r\n",
    b"\r\n",
    b"5\nhello",
    b"5\r\nhelloX",
    b"5\r\nhelloXX",
    b"f" * 17 + b"\r\n",
    b"1;" + b"x" * 9000,
    b"0\r\nX-After: 1\n",
    b"0\r\n" + b"X: 1\r\n" * 9000,
)


@pytest.mark.parametrize("sent", WHOLE)
@pytest.mark.parametrize("step", [1, 2, 3, 100])
def test_a_body_is_complete_at_its_end_and_no_sooner(sent: bytes, step: int) -> None:
    scan = ChunkScan()
    for end in range(step, len(sent), step):
        assert not scan.is_complete(sent[:end])
    assert scan.is_complete(sent)


@pytest.mark.parametrize("sent", MALFORMED)
def test_what_is_malformed_is_handed_on_at_once(sent: bytes) -> None:
    assert ChunkScan().is_complete(sent)


def test_announced_bytes_are_known_before_they_come() -> None:
    scan = ChunkScan()
    assert not scan.is_complete(b"fffff\r\n")
    assert scan.size == 0xFFFFF
