"""Bodies of git's requests: inflated and bounded while they come, and waited for before git has work."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from gunicorn.http.errors import InvalidChunkSize, InvalidHeader
from hypothesis import given
from hypothesis import strategies as st

from handlers.git.push_commands import LARGEST_COMMAND, bound_commands
from handlers.git.request_body import FETCH_LARGEST, PIECE, decode, plain_pieces, spool
from handlers.git.smart_http import Git
from handlers.http.request_head import RequestHead
from handlers.services.pushes import PushTerms
from storage.git.repositories import GitRepositories
from tests.handlers.git.test_git_edge import ADMITTED, ITEM, head
from vfs.errors import Invalid, TooLarge, VfsError, WrongMedia


@pytest.fixture
def repositories(tmp_path: Path) -> GitRepositories:
    repositories = GitRepositories(tmp_path / "repos", hook=("true",))
    repositories.create(ITEM)
    return repositories


def posted(program: str, source: io.RawIOBase | io.BytesIO, **more: str) -> RequestHead:
    """A request with a body."""
    media = f"application/x-{program}-request"
    sent = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": media, "wsgi.input": source, **more}
    return head(f"/git/alice/upper.git/{program}", "", **sent)


def test_a_fetch_never_reaches_the_disk_and_is_bounded(repositories: GitRepositories) -> None:
    files: list[str] = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            for fd in os.listdir("/proc/self/fd"):
                with suppress(OSError):
                    files.append(os.readlink(f"/proc/self/fd/{fd}"))
            return super().read(size)

    git = Git(repositories, lambda *_: ADMITTED, PushTerms(repositories.folder, {}))
    size = FETCH_LARGEST + 1
    for said in ({"CONTENT_LENGTH": str(size)}, {"HTTP_TRANSFER_ENCODING": "chunked"}):
        answer = git(posted("git-upload-pack", Watched(b"0" * size), **said))
        assert answer.status == 413
        assert b"2 MiB at most; fetch fewer" in answer.body
    assert any(name.startswith("/memfd:fetch") for name in files)
    assert not any(name.startswith(str(repositories.folder)) for name in files)


def test_a_push_is_refused_while_it_arrives_in_the_requested_format(
    repositories: GitRepositories,
) -> None:
    git = Git(repositories, lambda *_: ADMITTED._replace(push=1000), PushTerms(repositories.folder, {}))
    source = io.BytesIO(b"0" * 1_000_000)
    answer = git(posted("git-receive-pack", source, HTTP_TRANSFER_ENCODING="chunked"))
    assert (answer.status, source.tell()) == (413, 1 << 16)
    assert answer.body.startswith(b"A push may send 1000 bytes at most; push fewer")
    source = io.BytesIO(b"0" * 1_000_000)
    sent = {"CONTENT_LENGTH": "1000000", "HTTP_ACCEPT": "application/json"}
    answer = git(posted("git-receive-pack", source, **sent))
    assert (answer.status, source.tell()) == (413, 0)
    problem = json.loads(answer.body)
    assert (problem["status"], problem["limit"], problem["title"]) == (413, 1000, "too large")


def test_a_body_is_written_to_a_file() -> None:
    file = io.BytesIO()
    body = {"wsgi.input": io.BytesIO(b"x" * 100_000 + b"next request"), "CONTENT_LENGTH": "100000"}
    assert spool(body, file, 1 << 20, "why") == 100_000
    assert file.getvalue() == b"x" * 100_000
    chunked = {"wsgi.input": io.BytesIO(b"abc"), "HTTP_TRANSFER_ENCODING": "Chunked"}
    assert spool(chunked, io.BytesIO(), 1 << 20, "why") == 3
    assert spool({"wsgi.input": io.BytesIO(b"abc")}, io.BytesIO(), 1 << 20, "why") == 0


class Broken(io.RawIOBase):
    """An input that breaks."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def read(self, size: int = -1) -> bytes:
        raise self._error


@pytest.mark.parametrize(
    "body, error",
    [
        ({"wsgi.input": io.BytesIO(b"abc"), "CONTENT_LENGTH": "4"}, Invalid),
        ({"wsgi.input": Broken(OSError("gone")), "CONTENT_LENGTH": "4"}, Invalid),
        ({"wsgi.input": Broken(InvalidChunkSize(b"zz")), "HTTP_TRANSFER_ENCODING": "chunked"}, Invalid),
        ({"wsgi.input": Broken(InvalidHeader("no colon")), "HTTP_TRANSFER_ENCODING": "chunked"}, Invalid),
        ({"wsgi.input": io.BytesIO(b"x" * 20), "CONTENT_LENGTH": "20"}, TooLarge),
        ({"wsgi.input": io.BytesIO(b"x" * 20), "HTTP_TRANSFER_ENCODING": "chunked"}, TooLarge),
    ],
    ids=["short", "broken", "chunks", "trailers", "large", "large in chunks"],
)
def test_a_body_that_is_short_or_large_is_refused(body: dict[str, Any], error: type[VfsError]) -> None:
    with pytest.raises(error):
        spool(body, io.BytesIO(), 10, "why")


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
