"""Advice among the packets of git's answer, which come in pieces of any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.git.push_commands import UNSHALLOW, defect_advice, with_advice

SHA = b"0123456789" * 4
WORDS = b"error: object %s: badDate: invalid author/committer line - bad date\n" % SHA


def packet(payload: bytes) -> bytes:
    return b"%04x%s" % (len(payload) + 4, payload)


def said(line: str) -> bytes:
    return packet(b"\x02" + line.encode() + b"\n")


def cut(answer: bytes, places: list[int]) -> list[bytes]:
    """The answer in pieces."""
    ends = sorted({place % (len(answer) + 1) for place in places} | {len(answer)})
    return [answer[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


@given(st.lists(st.integers(0, 1000)), st.integers(1, 120))
def test_advice_stands_before_the_report(places: list[int], size: int) -> None:
    words = b"".join(packet(b"\x02" + WORDS[at : at + size]) for at in range(0, len(WORDS), size))
    report = packet(b"\x01unpack error")
    answer = words + report + packet(b"\x01more") + b"0000"
    expected = words + said(defect_advice("badDate")) + report + packet(b"\x01more") + b"0000"
    assert b"".join(with_advice(cut(answer, places))) == expected


@pytest.mark.parametrize("line", [b"ng refs/heads/main shallow update not allowed\n"])
def test_a_shallow_push_gets_the_advice_to_fetch(line: bytes) -> None:
    report = packet(b"\x01" + packet(line))
    assert b"".join(with_advice([report, b"0000"])) == said(UNSHALLOW) + report + b"0000"


@given(
    st.lists(st.binary(max_size=30).map(packet) | st.binary(max_size=30) | st.just(b"0000")),
    st.lists(st.integers(0, 1000)),
)
def test_anything_else_stays_as_it_is(packets: list[bytes], places: list[int]) -> None:
    answer = b"".join(packets)
    assert b"".join(with_advice(cut(answer, places))) == answer
