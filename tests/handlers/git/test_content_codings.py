"""Compressed bodies of git's requests: inflated as they come, bounded as inflated, refused where broken."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.git.push_commands import LARGEST_COMMAND, bound_commands
from handlers.git.request_body import FETCH_LARGEST, PIECE, decode, plain_pieces
from vfs.errors import Invalid, TooLarge, WrongMedia

ZEROS = b"0" * 40


def cut(sent: bytes, step: int) -> list[bytes]:
    return [sent[at : at + step] for at in range(0, len(sent), step)]


def sent(body: bytes, coding: str = "gzip", **more: str) -> dict[str, Any]:
    said = {"CONTENT_LENGTH": str(len(body)), "HTTP_CONTENT_ENCODING": coding, **more}
    return {"wsgi.input": io.BytesIO(body), **said}


@given(st.binary(max_size=3000), st.integers(1, 500), st.sampled_from(["gzip", "x-gzip", " GZip "]))
def test_what_was_compressed_comes_back(content: bytes, step: int, coding: str) -> None:
    assert b"".join(decode(cut(gzip.compress(content), step), coding)) == content
    assert b"".join(decode(cut(content, step), "identity")) == content


@given(st.binary(max_size=300), st.data())
def test_what_is_cut_or_followed_is_refused(content: bytes, data: Any) -> None:
    whole = gzip.compress(content)
    short = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(Invalid):
        list(decode(cut(short, 7), "gzip"))
    for more in (b"x", whole):
        with pytest.raises(Invalid, match="follows"):
            list(decode(cut(whole + more, data.draw(st.integers(1, 400))), "gzip"))


@given(st.binary(min_size=1, max_size=100))
def test_what_is_no_gzip_is_refused(noise: bytes) -> None:
    with pytest.raises(Invalid):
        list(decode([b"x" + noise], "gzip"))


@pytest.mark.parametrize("coding", ["deflate", "br", "zstd", "gzip, gzip", "gzip;q=1", "x" * 90])
def test_other_codings_are_refused_by_name(coding: str) -> None:
    with pytest.raises(WrongMedia, match="gzip"):
        decode([b"x"], coding)


@pytest.mark.parametrize("size", [FETCH_LARGEST + 1, 300 << 20])
def test_a_bomb_is_refused_as_soon_as_it_is_too_large(size: int) -> None:
    deflate = zlib.compressobj(9, wbits=31)
    parts = [deflate.compress(b"0" * (1 << 20)) for _ in range(size >> 20)]
    bomb = b"".join([*parts, deflate.compress(b"0"), deflate.flush()])
    pieces: list[int] = []
    with pytest.raises(TooLarge, match="why"):
        pieces.extend(map(len, plain_pieces(sent(bomb), FETCH_LARGEST, "why")))
    assert sum(pieces) <= FETCH_LARGEST
    assert not pieces or max(pieces) <= PIECE


def line(content: bytes) -> bytes:
    return b"%04x%b" % (len(content) + 4, content)


def push(commands: int, pack: bytes = b"PACK") -> bytes:
    lines = (line(b"%b %b refs/heads/b%d" % (ZEROS, ZEROS, number)) for number in range(commands))
    return b"".join(lines) + b"0000" + pack


@given(st.integers(0, 12), st.integers(1, 200), st.binary(max_size=300))
def test_commands_of_a_push_are_counted_however_they_come(commands: int, step: int, pack: bytes) -> None:
    pieces = cut(push(commands, pack), step)
    if commands > 6:
        with pytest.raises(TooLarge, match="6 branches"):
            list(bound_commands(pieces, 6))
    else:
        assert b"".join(bound_commands(pieces, 6)) == push(commands, pack)


@pytest.mark.parametrize("wrong", [b"zzzz", b"0001", b"0004", b"-001", b" 123", b"1_23"])
def test_what_is_no_packet_line_is_refused(wrong: bytes) -> None:
    with pytest.raises(Invalid, match="not a push"):
        list(bound_commands([push(1)[:-8] + wrong], 6))


def test_long_commands_are_bounded_too() -> None:
    with pytest.raises(TooLarge):
        list(bound_commands([line(b"x" * 65_000) * 3], 3 * 65_000 // LARGEST_COMMAND // 2))


@given(st.binary(max_size=20), st.integers(1, 31) | st.just(127), st.binary(max_size=20), st.integers(1, 60))
def test_no_name_of_a_reference_is_more_than_one_line(
    before: bytes, sign: int, after: bytes, step: int
) -> None:
    named = line(b"%b %b refs/heads/%b%c%bx" % (ZEROS, ZEROS, before, sign, after))
    with pytest.raises(Invalid, match="name of a branch or tag"):
        list(bound_commands(cut(named + b"0000PACK", step), 6))


def test_what_git_itself_ends_lines_with_is_taken() -> None:
    signed = line(b"push-cert\0 report-status\n") + line(b"certificate version 0.1\n") + b"0000"
    assert b"".join(bound_commands(cut(signed, 3), 6)) == signed
