"""What replies become on the wire: faces, validators, ranges, names of files, rows of folders."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chains.runs.states import RunFailed
from handlers.http.response import disposition
from tests.handlers.small_kernel import JOB, Kernel, blob, edge, get
from tests.kit.client import call
from vfs.call import Call, Data, KeptBytes, Outcome, Reply, Stream
from vfs.ports.blobs import Ref


def test_text_is_sent_as_stored_with_its_headers(kernel: Kernel) -> None:
    answer = get(kernel, Reply("grüß", permissions=("r", "w", "d"), default=True))
    assert answer.status == 200
    assert answer.body == "grüß".encode()
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-nvm-type"] == "file"
    assert answer.headers["x-nvm-permissions"] == "r, w, d"
    assert answer.headers["x-nvm-default"] == "true"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["vary"] == "Accept, Authorization, Cookie"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_value_has_two_faces(kernel: Kernel) -> None:
    reply = Reply(Data({"username": "bob"}, lambda value: value["username"]))
    assert get(kernel, reply).body == b"bob"
    kernel.answer = lambda call: reply
    answer = get(kernel, reply, Accept="application/json")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body) == {"username": "bob"}
    assert answer.body.endswith(b"}\n")


def test_json_is_the_only_face_of_some_values(kernel: Kernel) -> None:
    assert json.loads(get(kernel, Reply(Data({"steps": []})), Accept="text/plain").body) == {"steps": []}


@pytest.mark.parametrize(
    "outcome, status",
    [(Outcome.DONE, 200), (Outcome.CREATED, 201), (Outcome.ACCEPTED, 202), (Outcome.EMPTY, 204)],
)
def test_outcomes_have_their_status(kernel: Kernel, outcome: Outcome, status: int) -> None:
    reply = Reply("" if outcome is not Outcome.EMPTY else None, outcome, location="/v1/x", heeded="wait")
    answer = get(kernel, reply, "POST")
    assert answer.status == status
    assert answer.body == b""
    assert answer.headers["location"] == "/v1/x"
    assert answer.headers["preference-applied"] == "wait"
    assert not {"etag", "x-nvm-type"} & answer.headers.keys()


def test_nothing_at_all_is_an_empty_text(kernel: Kernel) -> None:
    assert get(kernel, Reply(None)).body == b""


def test_stored_text_carries_its_charset(kernel: Kernel) -> None:
    assert get(kernel, blob(kernel, b"a,b", "text/csv")).headers["content-type"] == "text/csv; charset=utf-8"


def test_a_stream_is_sent_as_it_is_made(kernel: Kernel) -> None:
    answer = get(kernel, Reply(Stream(iter([b"one", b"two"]), "text/plain")))
    assert answer.body == b"onetwo"
    assert "content-length" not in answer.headers
    assert get(kernel, Reply(Stream(iter([b"one"]), "text/plain")), "HEAD").body == b""


def test_a_stream_of_a_known_version_is_not_made_again(kernel: Kernel) -> None:
    made: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        made.append(b"whole")
        yield b"whole"

    first = get(kernel, Reply(Stream(pieces(), "text/plain", tag="7")))
    assert (first.status, first.body, len(made)) == (200, b"whole", 1)
    same = get(kernel, Reply(Stream(pieces(), "text/plain", tag="7")), If_None_Match=first.headers["etag"])
    assert (same.status, same.body, len(made)) == (304, b"", 1)
    other = get(kernel, Reply(Stream(pieces(), "text/plain", tag="8")), If_None_Match=first.headers["etag"])
    assert (other.status, other.headers["etag"] != first.headers["etag"]) == (200, True)
    assert "etag" not in get(kernel, Reply(Stream(pieces(), "text/plain"))).headers


def test_a_missing_blob_is_answered_as_absent(kernel: Kernel) -> None:
    assert get(kernel, Reply(Ref("0" * 64, 3, "text/plain"))).status == 404


@pytest.mark.parametrize(
    "name, plain, exact",
    [
        ("result.csv", "result.csv", "result.csv"),
        ("../../etc/passwd", "passwd", "passwd"),
        ("..\\..\\x.exe", "x.exe", "x.exe"),
        ('a"b;c.txt', "a_b_c.txt", 'a"b;c.txt'),
        ("ø.txt", "_.txt", "ø.txt"),
        ("a\r\nSet-Cookie: x", "aSet-Cookie: x", "aSet-Cookie: x"),
        ("..", "output", "output"),
        ("", "output", "output"),
        ("\udcff", "output", "output"),
    ],
)
def test_a_file_name_cannot_break_out_of_its_header(name: str, plain: str, exact: str) -> None:
    found = re.fullmatch(r"attachment; filename=\"([^\"]*)\"; filename\*=UTF-8''(\S*)", disposition(name))
    assert found
    assert (found[1], unquote(found[2])) == (plain, exact)


@given(st.text(max_size=30))
def test_no_name_breaks_the_header(name: str) -> None:
    header = disposition(name)
    assert header.isascii()
    assert header.isprintable()
    assert "/" not in header.partition("filename*=")[0]


def test_the_published_client_reads_the_name_of_an_output(kernel: Kernel) -> None:
    from novem.job import Job

    header = get(kernel, Reply("x", filename="d/ø result.csv")).headers["content-disposition"]
    assert Job._parse_filename(header) == "ø result.csv"


def test_members_of_an_error_are_sent(kernel: Kernel) -> None:
    def refuse(call: Call) -> Reply:
        raise RunFailed("the step broke", run_status="failed", **JOB)

    kernel.answer = refuse
    answer = call(edge(kernel), "POST", "/v1/x")
    found = json.loads(answer.body)
    assert answer.status == 422
    assert answer.headers["location"] == JOB["location"]
    assert (found["rejected"], found["run"], found["run_status"]) == (JOB["rejected"], "1", "failed")
    assert "location" not in found


def test_a_fragment_may_run_scripts_that_reach_nothing(kernel: Kernel) -> None:
    kept = KeptBytes("text/html", 5, "cafe", lambda: io.BytesIO(b"bytes"), is_scripted=True)
    policy = get(kernel, Reply(kept, filename="sales.html", inline=True)).headers["content-security-policy"]
    rules = {rule.strip() for rule in policy.split(";")}
    assert {"default-src 'none'", "sandbox allow-scripts", "frame-ancestors 'self'"} <= rules
    assert not [rule for rule in rules if rule.startswith(("connect-src", "frame-src", "form-action"))]


def test_kept_bytes_are_shown_whole_and_in_parts(kernel: Kernel) -> None:
    kept = KeptBytes("image/png", 5, "cafe", lambda: io.BytesIO(b"bytes"))
    reply = Reply(kept, filename="sales.png", inline=True, canonical="http://here/p/k3f9a")
    answer = get(kernel, reply)
    assert (answer.body, answer.headers["content-type"]) == (b"bytes", "image/png")
    assert (answer.headers["etag"], answer.headers["accept-ranges"]) == ('"cafe"', "bytes")
    assert (
        answer.headers["content-disposition"] == "inline; filename=\"sales.png\"; filename*=UTF-8''sales.png"
    )
    assert answer.headers["link"] == '<http://here/p/k3f9a>; rel="canonical"'
    assert "style-src 'unsafe-inline'" in answer.headers["content-security-policy"]
    part = get(kernel, reply, Range="bytes=1-2")
    assert (part.status, part.body, part.headers["content-range"]) == (206, b"yt", "bytes 1-2/5")
    head = get(kernel, reply, "HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", "5")
    unchanged = get(kernel, reply, **{"If-None-Match": '"cafe"'})
    assert (unchanged.status, unchanged.body) == (304, b"")
