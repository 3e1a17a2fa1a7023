"""Files that come as forms under a real gunicorn: by curl, and by bytes that no client would send today."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.handlers.server.test_server import Running, closing, finish, start, status
from tests.kit.wire.malformed import MULTIPART, file, form, head

NUMBERS = count()
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/\\\0"), min_size=1, max_size=20
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = start(tmp_path_factory.mktemp("served"))
    yield running
    finish(running)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sent")


def send(server: Running, folder: Path, name: str, *, is_there: bool) -> tuple[int, bytes]:
    """What curl is answered for a file of a name, on the disk or by its word alone."""
    path = folder / (name if is_there else "plain")
    path.write_bytes(b"content of " + name.encode())
    quoted = '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'
    more = "" if is_there else ';filename="' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
    sent = ["curl", "-sS", "-w", "\n%{http_code}", "-F", f"f=@{quoted}{more}", f"{server.url}/v1/files"]
    output = subprocess.run(sent, capture_output=True, check=True).stdout
    body, _, code = output.rpartition(b"\n")
    return int(code), body


@settings(max_examples=40, deadline=None)
@given(
    TEXT
    | st.sampled_from(
        ['q"uote.txt', "50%.csv", "a;b=c.txt", "a%20b", "%2F", "ø\u202fü", '"', "%0a%22x".replace("%22", "")]
    ),
    st.booleans(),
)
def test_curl_has_each_name_stored_as_it_is(server: Running, folder: Path, text: str, is_there: bool) -> None:
    name = f"{next(NUMBERS)}{text}"
    assume(len(name.encode()) < 200 and not re.search("%22|%0A|%0D", name))
    code, body = send(server, folder, name, is_there=is_there)
    assert (code, json.loads(body)) == (200, [name])
    assert (server.folder / "uploads" / name).read_bytes() == b"content of " + name.encode()


@pytest.mark.parametrize("name", ["a\nb", "a\rb"])
def test_a_line_feed_that_curl_escaped_is_refused(server: Running, folder: Path, name: str) -> None:
    code, body = send(server, folder, name, is_there=True)
    assert (code, b"control character" in body) == (400, True)


@pytest.mark.parametrize("before", [b"this is preamble\r\n", b"\r\n", b"\n", b"-\r\n--\r\n"])
def test_a_preamble_and_an_epilogue_are_passed_over(server: Running, before: bytes) -> None:
    name = f"raw{next(NUMBERS)}"
    body = before + form(file(name.encode(), b"x")) + b"and an epilogue"
    typed = ("Content-Type: " + MULTIPART, f"Content-Length: {len(body)}")
    answer = server.exchange(closing(head("POST", "/v1/files", *typed, body=body)))
    assert (status(answer), name.encode() in answer) == (200, True)
