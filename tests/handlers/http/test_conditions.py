"""Validators, preconditions and ranges of what is read and written."""

from __future__ import annotations

import hashlib
import re

import pytest

from handlers.http.conditions import etag
from handlers.http.response import tags
from tests.handlers.small_kernel import CONTENT, Kernel, blob, edge, get
from tests.kit.client import call
from vfs.call import Data, Reply, Stream
from vfs.ports.blobs import Ref


def test_a_read_carries_a_validator_of_its_face(kernel: Kernel) -> None:
    reply = Reply(Data({"status": "ready"}, lambda value: value["status"]))
    text, data = get(kernel, reply), get(kernel, reply, Accept="application/json")
    assert re.fullmatch(r'"[0-9a-f]{32}"', text.headers["etag"])
    assert text.headers["etag"] != data.headers["etag"]
    again = get(kernel, reply, If_None_Match=f'"other", W/{text.headers["etag"]}')
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == text.headers["etag"]
    assert get(kernel, reply, If_None_Match='"other"').status == 200
    assert get(kernel, reply, If_None_Match="*").status == 304
    assert get(kernel, reply, If_Match='"other"').status == 412
    assert get(kernel, reply, If_Match="*").status == 200
    assert get(kernel, reply, If_Match=text.headers["etag"]).status == 200


@pytest.mark.parametrize(
    "path, header, value, status",
    [
        ("text", "If-Match", "{tag}", 200),
        ("text", "If-Match", 'W/"x", {tag}', 200),
        ("text", "If-Match", "*", 200),
        ("text", "If-Match", "W/{tag}", 412),
        ("text", "If-Match", '"other"', 412),
        ("text", "If-Match", "nonsense", 412),
        ("text", "If-None-Match", "*", 412),
        ("text", "If-None-Match", "{tag}", 412),
        ("text", "If-None-Match", '"other"', 200),
        ("absent", "If-Match", "*", 412),
        ("absent", "If-Match", '"other"', 412),
        ("absent", "If-None-Match", "*", 200),
    ],
)
def test_a_write_holds_its_preconditions(
    kernel: Kernel, path: str, header: str, value: str, status: int
) -> None:
    app = edge(kernel)
    tag = call(app, "GET", f"/v1/{path}").headers["etag"]
    headers = [("Content-Type", "text/plain"), (header, value.format(tag=tag))]
    assert call(app, "POST", f"/v1/{path}", headers, b"new").status == status
    assert (kernel.stored == "new") == (status == 200)


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_a_precondition_may_name_either_face(kernel: Kernel, accept: str) -> None:
    app = edge(kernel)
    tag = call(app, "GET", "/v1/both", [("Accept", accept)]).headers["etag"]
    kernel.answer = None
    kernel.on_both(kernel.call)
    assert call(app, "POST", "/v1/both", [("If-Match", tag)]).status == 200
    assert call(app, "POST", "/v1/both", [("If-Match", '"x"')]).status == 412


def test_stored_bytes_are_sent_with_their_digest_as_validator(kernel: Kernel) -> None:
    reply = blob(kernel)
    assert isinstance(reply.value, Ref)
    answer = get(kernel, reply)
    assert answer.body == CONTENT
    assert answer.headers["etag"] == f'"{reply.value.digest}"'
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["content-length"] == str(len(CONTENT))
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert answer.headers["accept-ranges"] == "bytes"
    assert get(kernel, reply, If_None_Match=answer.headers["etag"]).status == 304
    head = get(kernel, reply, "HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", str(len(CONTENT)))


@pytest.mark.parametrize(
    "requested, first, length",
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 10),
        ("BYTES= 10 - 19".replace(" ", ""), 10, 10),
        ("bytes=255990-", 255_990, 10),
        ("bytes=-10", 255_990, 10),
        ("bytes=-9999999", 0, 256_000),
        ("bytes=100-9999999", 100, 255_900),
        ("bytes=10-200000", 10, 199_991),
    ],
)
def test_a_range_of_stored_bytes_is_sent(kernel: Kernel, requested: str, first: int, length: int) -> None:
    answer = get(kernel, blob(kernel), Range=requested)
    assert answer.status == 206
    assert answer.body == CONTENT[first : first + length]
    assert answer.headers["content-range"] == f"bytes {first}-{first + length - 1}/{len(CONTENT)}"
    assert answer.headers["content-length"] == str(length)


@pytest.mark.parametrize(
    "requested",
    ["bytes=1-2,5-6", "lines=1-2", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-1", "bytes=" + "9" * 30],
)
def test_a_range_that_is_not_understood_is_answered_whole(kernel: Kernel, requested: str) -> None:
    answer = get(kernel, blob(kernel), Range=requested)
    assert (answer.status, len(answer.body)) == (200, len(CONTENT))


@pytest.mark.parametrize("requested", ["bytes=256000-", "bytes=999999-1000000", "bytes=-0"])
def test_a_range_outside_is_refused_with_the_size(kernel: Kernel, requested: str) -> None:
    answer = get(kernel, blob(kernel), Range=requested)
    assert answer.status == 416
    assert answer.headers["content-range"] == f"bytes */{len(CONTENT)}"


def test_a_range_of_an_older_state_is_answered_whole(kernel: Kernel) -> None:
    reply = blob(kernel)
    assert get(kernel, reply, Range="bytes=0-0", If_Range='"older"').status == 200
    assert isinstance(reply.value, Ref)
    assert get(kernel, reply, Range="bytes=0-0", If_Range=f'"{reply.value.digest}"').status == 206
    assert get(kernel, reply, "POST", Range="bytes=0-0").status == 200


@pytest.mark.parametrize("requested", ["bytes=0-3", "bytes=256000-"])
def test_the_answer_to_head_describes_the_whole_for_any_requested_range(
    kernel: Kernel, requested: str
) -> None:
    head = get(kernel, blob(kernel), "HEAD", Range=requested)
    assert (head.status, head.headers["content-length"]) == (200, str(len(CONTENT)))
    assert "content-range" not in head.headers


def test_every_face_has_a_validator_and_a_stream_has_none(kernel: Kernel) -> None:
    assert tags(blob(kernel, b"x")) == (f'"{hashlib.sha256(b"x").hexdigest()}"',)
    assert len(tags(Reply(Data({})))) == 1
    assert len(tags(Reply(Data({}, str)))) == 2
    assert tags(Reply("x")) == (etag(b"x"),)
    assert tags(Reply(Stream([], "text/plain"))) == tags(Reply(None)) == ()
