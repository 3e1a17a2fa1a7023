"""Calls of hooks over real connections: their inputs, their limits, and what is logged."""

from __future__ import annotations

import json
import re
import secrets
import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.processes.world import open_world
from tests.kit.server import Server, web

HOOKS = "code/jobs/shop/hooks"
SIZE = 64 << 10
WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
BOUNDARY = "between-parts"
NAME = st.text("ab./ ", min_size=1, max_size=6) | st.sampled_from(
    ["input.json", "é.csv", "../x", "a/b/c.txt"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


class HookSaid(NamedTuple):
    """The answer to the creation of a hook, which is shown once."""

    address: str
    secret: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hooks")
    more = {"CURLEW_HOOK_CALLS": "1000", "CURLEW_HOOK_SIZE": str(SIZE), "CURLEW_QUOTA_RUNS": "5000"}
    with web(folder, **more) as server:
        server.add("alice")
        server.ask("PUT", "code/repos/count", who="alice")
        server.ask("PUT", "code/jobs/shop", who="alice")
        server.ask("POST", "code/jobs/shop/config/chains", b"count", who="alice")
        yield server


def make(server: Server, name: str, **files: str) -> HookSaid:
    """A new hook with these files."""
    said = server.ask("PUT", f"{HOOKS}/{name}", who="alice")
    for file, text in files.items():
        server.ask("POST", f"{HOOKS}/{name}/{file}", text.encode(), who="alice")
    return HookSaid(said["address"], said["secret"])


@pytest.fixture(scope="module")
def hook(server: Server) -> str:
    return make(server, "plain").address


def send(address: str, body: bytes, kind: str | None, **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    """The status, headers and body of the answer to a POST."""
    request = Request(address, body, method="POST", headers={**headers, "Content-Type": kind or ""})
    if kind is None:
        request.remove_header("Content-type")
    try:
        with urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read()


def call(address: str, body: bytes, kind: str, **headers: str) -> tuple[int, Any]:
    """The status and the JSON of the answer to a call."""
    status, _, content = send(address, body, kind, **headers)
    return status, json.loads(content)


def triggered(server: Server, body: bytes, kind: str) -> tuple[int, Any]:
    """The same of a POST to the job itself."""
    token = f"Bearer {server.tokens['alice']}"
    more = {"Authorization": token, "Prefer": "respond-async", "Accept": "application/json"}
    return call(f"{server.root}code/jobs/shop/data", body, kind, **more)


def inputs(server: Server, run: str) -> dict[str, bytes]:
    """The files of the input of a run, which waits for a runner."""
    with open_world(server.settings) as world:
        job = world.items.find("job", "alice", "shop", "alice")
        found = world.code.runs.reader.get(job.item.id, run) if job is not None else None
        assert found is not None
        if found.input is None:
            return {}
        folder = world.code.folders.path(found.input)
        return {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }


def logged(server: Server, name: str) -> list[dict[str, Any]]:
    """The calls of a hook that are recorded."""
    rows: list[dict[str, Any]] = server.ask("GET", f"{HOOKS}/{name}/log", who="alice")
    return rows


def part(name: str, content: str, file: str | None = None) -> str:
    """A part of a multipart body."""
    named = "" if file is None else f'; filename="{file}"'
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n{content}\r\n'


def multipart(*parts: str) -> bytes:
    return f"{''.join(parts)}--{BOUNDARY}--\r\n".encode()


FILES = f"multipart/form-data; boundary={BOUNDARY}"
FORM = "application/x-www-form-urlencoded"
BODIES = (
    JSON.map(lambda said: (json.dumps(said, ensure_ascii=False).encode(errors="replace"), "application/json"))
    | st.binary(max_size=20).map(lambda raw: (raw, "application/json"))
    | st.just((b'"' + b"x" * 500 + b'"', "application/json; charset=latin-1"))
    | st.lists(st.tuples(NAME, st.text("xyz\r\n", max_size=9)), max_size=3).map(
        lambda files: (multipart(*(part("f", content, name) for name, content in files)), FILES)
    )
    | st.binary(max_size=60).map(lambda raw: (raw, FILES))
)


@settings(max_examples=60, deadline=None)
@given(BODIES)
def test_json_and_files_become_the_input_that_a_post_to_the_job_makes(
    server: Server, hook: str, sent: tuple[bytes, str]
) -> None:
    status, answer = call(hook, *sent)
    expected, other = triggered(server, *sent)
    assert status == expected
    if status == 202:
        assert inputs(server, answer["run"]) == inputs(server, other["run"])
    else:
        assert (answer["status"], answer["detail"]) == (other["status"], other["detail"])


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(WORD, WORD, min_size=1, max_size=4))
def test_fields_of_a_form_become_a_document(server: Server, hook: str, fields: dict[str, str]) -> None:
    status, answer = call(hook, urlencode(fields).encode(), FORM)
    assert status == 202
    assert json.loads(inputs(server, answer["run"])["input.json"]) == fields


def test_a_form_with_files_has_both(server: Server, hook: str) -> None:
    body = multipart(
        part("who", "Ann"),
        part("cv", "1,2", "cv.csv"),
        part("none", "", ""),
        part("tag", "a"),
        part("tag", "b"),
    )
    status, answer = call(hook, body, FILES)
    assert status == 202
    found = inputs(server, answer["run"])
    assert (found.keys(), found["cv.csv"]) == ({"cv.csv", "input.json"}, b"1,2")
    assert json.loads(found["input.json"]) == {"who": "Ann", "tag": ["a", "b"]}
    for name in ("input.json", "../x", "/x"):
        assert call(hook, multipart(part("who", "Ann"), part("f", "x", name)), FILES)[0] == 400


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("text/plain", "input.txt"),
        ("text/csv", "input.csv"),
        ("application/xml", "input.xml"),
        ("x/y", "input.bin"),
    ],
)
def test_other_bodies_become_a_file(server: Server, hook: str, kind: str, name: str) -> None:
    status, answer = call(hook, b"a,b", kind)
    assert status == 202
    assert [*inputs(server, answer["run"])] == [name]


def test_a_call_without_a_body_starts_a_run_without_an_input(server: Server, hook: str) -> None:
    status, answer = call(hook, b"", "")
    assert (status, answer["status"]) == (202, "accepted")
    stats = server.ask("GET", f"code/jobs/shop/runs/{answer['run']}/stats", who="alice")
    assert (stats["trigger"], stats["source"]) == ("api", "hook plain")


def test_only_the_headers_that_the_hook_names_are_kept(server: Server) -> None:
    address = make(server, "heads", headers="X-Event\nX-Missing").address
    sent = {"X-Event": "push", "X-Other": "no", "Cookie": "curlew_session=1", "Authorization": "Bearer x"}
    _, answer = call(address, b"{}", "application/json", **sent)
    kept = inputs(server, answer["run"])
    assert kept.keys() == {"input.json", "request.json"}
    assert json.loads(kept["request.json"]) == {"hook": "heads", "headers": {"X-Event": "push"}}
    assert call(address, multipart(part("f", "x", "request.json")), FILES)[0] == 400


def test_a_body_is_bounded_before_it_is_read(server: Server) -> None:
    address = make(server, "large").address
    assert send(address, b"x" * SIZE, "text/plain")[0] == 202
    host, _, port = server.origin.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 10) as wire:
        path = address.removeprefix(server.origin)
        wire.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {1 << 40}\r\n\r\n".encode())
        assert b" 413 " in wire.recv(1000).partition(b"\r\n")[0]
    assert send(address, b"x" * (SIZE + 1), "text/plain")[0] == 413
    chunked = Request(address, iter([b"x" * SIZE, b"x"]), method="POST")
    with pytest.raises(HTTPError, match="413") as refused:
        urlopen(chunked)
    refused.value.close()
    assert [row["status"] for row in logged(server, "large")] == [202, 413, 413, 413]
    assert [row["size"] for row in logged(server, "large")][1] == 1 << 40


def test_a_key_is_in_no_log_and_no_answer(
    tmp_path_factory: pytest.TempPathFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("logged")
    with web(folder, forked=False, CURLEW_METRICS="127.0.0.1:0") as server:
        server.add("alice")
        server.ask("PUT", "code/jobs/shop", who="alice")
        said = make(server, "silent", signature="github")
        key = said.address.rpartition("/")[2]
        for path in (f"/h/{key}", f"//h/{key}", f"/h//{key}", f"/%68/{key}", f"/h/{key}/", f"/h/{key}?a=1"):
            for method in ("GET", "POST", "PUT", "TRACE", "OPTIONS"):
                request = Request(server.origin + path, b"{}", method=method, headers={"Accept": "text/html"})
                assert key.encode() not in content_of(request), (method, path)
    output = capfd.readouterr()
    assert '"path":"/h/..."' in output.err
    assert key not in output.err + output.out
    stored = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert key.encode() not in stored
    assert said.secret.encode() not in stored


def content_of(request: Request) -> bytes:
    """The content of an answer, also of a refusal."""
    try:
        with urlopen(request) as answer:
            return bytes(answer.read())
    except HTTPError as refused:
        with refused:
            return bytes(refused.read())


def test_keys_that_open_nothing_are_answered_alike(server: Server) -> None:
    ended = make(server, "ended").address
    server.ask("DELETE", f"{HOOKS}/ended", who="alice")
    answers = []
    odd = ["", "a", secrets.token_urlsafe(16), "%00", "a/b", "ä".encode().hex(), "x" * 5000]
    for address in [ended, *(f"{server.origin}/h/{word}" for word in odd)]:
        status, headers, body = send(address, b"{}", "application/json")
        said = json.loads(body)
        del said["request_id"]
        answers.append((status, said, {name for name, _ in headers.items()}))
    assert all(one == answers[0] for one in answers)
    assert answers[0][0] == 404


def test_a_call_has_neither_cookies_nor_rights(server: Server, hook: str) -> None:
    cookie = {"Cookie": "curlew_session=clw_" + "a" * 43, "Origin": "https://elsewhere.example"}
    status, headers, _ = send(hook, b"a=1", FORM, **cookie)
    assert status == 202
    assert "Set-Cookie" not in headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in headers["Cache-Control"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (multipart(part("f", "x", "a\0\x1b[2Jb")), FILES),
        (multipart(part("f", "x", "b")).replace(b"Disposition", b"Disp\0\x9b"), FILES),
        (b"{}", "application/json; charset=\x85"),
    ],
)
def test_what_was_sent_is_quoted_in_the_log_without_control_characters(
    server: Server, body: bytes, kind: str
) -> None:
    address = make(server, f"odd{len(kind)}{len(body)}").address
    status, _ = call(address, body, kind)
    assert 400 <= status < 500
    (row,) = logged(server, f"odd{len(kind)}{len(body)}")
    assert row["status"] == status
    assert row["why"]
    assert not re.search("[\0-\x1f\x7f-\x9f]", row["why"])


def test_a_disk_that_fails_tells_nothing_of_the_host(server: Server) -> None:
    address, runs = make(server, "unlucky").address, server.folder / "runs"
    assert call(address, b"{}", "application/json")[0] == 202
    away = runs.rename(server.folder / "away")
    runs.touch()
    try:
        status, said = call(address, b"{}", "application/json")
    finally:
        runs.unlink()
        away.rename(runs)
    assert (status, said["detail"]) == (503, "the service is busy: call again later")
    row = logged(server, "unlucky")[-1]
    assert row["why"].startswith("the input could not be stored: ")
    assert str(server.folder) not in row["why"]


def test_calls_beyond_the_limit_wait_and_displace_no_others(tmp_path_factory: pytest.TempPathFactory) -> None:
    with web(tmp_path_factory.mktemp("often"), CURLEW_HOOK_CALLS="3") as server:
        server.add("alice")
        server.ask("PUT", "code/jobs/shop", who="alice")
        address = make(server, "often").address
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: send(address, b"{}", "application/json"), range(12)))
        statuses = sorted(status for status, _, _ in answers)
        # The limit restarts with each minute, which may have ended between.
        assert statuses.count(429) >= 6
        assert set(statuses) == {409, 429}
        assert all(0 < int(headers["Retry-After"]) <= 60 for status, headers, _ in answers if status == 429)
        rows = [row["status"] for row in logged(server, "often")]
        assert rows.count(409) == statuses.count(409)
        assert (429, 429) not in pairwise(rows)
