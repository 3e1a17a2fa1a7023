"""The edge in front of the kernel: verbs, heads of requests, errors in one shape, and what is
outside /v1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import pytest

from handlers.http.request_head import VERBS, Front, RequestHead
from handlers.http.response import Answer
from handlers.identity.identify import COOKIE
from handlers.rules.shared_limit import SharedLimit
from tests.handlers.small_kernel import BASE, Anyone, Kernel, Lines, edge
from tests.kit.client import call, environment
from tests.kit.wire.malformed import PATHS
from vfs import errors
from vfs.access import Verb
from vfs.call import Call, Data, Form, Reply, Stream


@pytest.mark.parametrize(
    "method, verb",
    [
        ("GET", Verb.READ),
        ("HEAD", Verb.READ),
        ("POST", Verb.WRITE),
        ("PUT", Verb.CREATE),
        ("PATCH", Verb.RENAME),
        ("DELETE", Verb.REMOVE),
        ("OPTIONS", None),
    ],
)
def test_methods_are_verbs(kernel: Kernel, app: Any, method: str, verb: Verb | None) -> None:
    kernel.answer = lambda _: Reply("hello")
    answer = call(app, method, "/v1/x")
    assert kernel.call.verb is verb
    assert answer.body == (b"" if method == "HEAD" else b"hello")
    assert answer.headers["content-length"] == "5"


def test_a_call_holds_what_the_head_says(kernel: Kernel, app: Any) -> None:
    headers = [
        ("Accept", "application/json"),
        ("User-Agent", "NovemCli/1.0.1 Rust"),
        ("X-History", "List"),
        ("Prefer", "respond-async, wait=10"),
        ("X-Request-ID", "run-1.a_B"),
        ("X-Forwarded-For", "1.2.3.4, 10.9.8.7"),
    ]
    answer = call(app, "GET", "/v1//p///sales/?cols=80&rows=&cols=90&odd=%ff", headers)
    made = kernel.call
    assert str(made.path) == "/v1/p/sales"
    assert made.folder
    assert made.want is Form.DATA
    assert made.history
    assert made.hints.prefer == {"respond-async": "", "wait": "10"}
    assert made.query["cols"] == "90"
    assert (made.query["rows"], len(made.query)) == ("", 3)
    assert made.hints.client == "NovemCli/1.0.1 Rust"
    assert made.hints.address == "10.9.8.7"
    assert made.hints.origin == BASE
    assert made.id == answer.headers["x-request-id"] == "run-1.a_B"
    assert made.expect is None


def test_a_call_without_any_of_it(kernel: Kernel, app: Any) -> None:
    answer = call(app, "GET", "/v1/x")
    made = kernel.call
    assert (made.want, made.history, made.folder) == (Form.TEXT, False, False)
    assert (made.hints.client, made.hints.address, dict(made.query), dict(made.hints.prefer)) == (
        "",
        "127.0.0.1",
        {},
        {},
    )
    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize("odd", ["a b", "x" * 129, "ø", "<x>", ""])
def test_an_odd_request_id_is_replaced(app: Any, odd: str) -> None:
    assert len(call(app, "GET", "/v1/x", [("X-Request-ID", odd)]).headers["x-request-id"]) == 32


def test_a_forwarded_address_is_taken_from_proxies_alone(kernel: Kernel) -> None:
    call(edge(kernel), "GET", "/v1/x", [("X-Forwarded-For", "1.2.3.4")])
    assert (kernel.call.hints.address, kernel.call.hints.source) == ("127.0.0.1", "")


def test_the_origin_is_the_setting_where_there_is_one(kernel: Kernel) -> None:
    call(edge(kernel, front=Front(base_url="https://curlew.example")), "GET", "/v1/x", [("Host", "<odd>")])
    assert kernel.call.hints.origin == "https://curlew.example"


@pytest.mark.parametrize("host", ["a b", "<x>", "a/b", "a@b", "a:b:c", "h" * 254, "[::1", "x:999999"])
def test_a_malformed_host_is_refused(app: Any, host: str) -> None:
    answer = call(app, "GET", "/v1/x", [("Host", host)])
    assert answer.status == 400
    assert "Host" in json.loads(answer.body)["detail"]


@pytest.mark.parametrize("host", ["curlew", "curlew.example:8000", "[::1]:8000", "127.0.0.1", "a_b"])
def test_a_host_is_where_the_service_is(kernel: Kernel, app: Any, host: str) -> None:
    assert call(app, "GET", "/v1/x", [("Host", host)]).status == 200
    assert kernel.call.hints.origin == f"http://{host}"


def test_a_server_without_raw_paths_or_host_will_do(kernel: Kernel, app: Any) -> None:
    environ = environment("GET", "/v1/a%20%C3%B8", [], b"")
    del environ["RAW_URI"], environ["HTTP_HOST"]
    assert list(app(environ, lambda status, headers, error=None: None)) == [b"as it was"]
    assert kernel.call.path[-1] == "a ø"
    assert kernel.call.hints.origin == BASE


@pytest.mark.parametrize("path", ["/v1/x", "/", "/healthz", "/git/a/b.git", "/u/alice"])
@pytest.mark.parametrize("host", ["[:::]", "[..]", "a b", "a:65536", "..", "a@b"])
def test_a_malformed_host_is_refused_on_every_path(app: Any, path: str, host: str) -> None:
    assert call(app, "GET", path, [("Host", host)]).status == 400


LOOPBACK = ("127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]:8000", "127.9.9.9", "box.localhost")


def test_a_server_on_loopback_answers_loopback_names_alone(kernel: Kernel) -> None:
    app = edge(kernel, front=Front(for_loopback=True, forwarder="ours".__eq__))
    for host in LOOPBACK:
        assert call(app, "GET", "/v1/x", [("Host", host)]).status == 200
    for host in ("curlew.example", "192.0.2.1:8000", "127.0.0.1.nip.example", "localhost.example", "0x7f.1"):
        for path in ("/v1/x", "/", "/healthz"):
            answer = call(app, "GET", path, [("Host", host)])
            said = json.loads(answer.body)
            assert (answer.status, "base_url" in said["detail"]) == (421, True)
            assert said["type"] == "http://localhost:8000/docs/errors#misdirected"
            assert host.encode() not in answer.body
    sent = [("Host", "10.89.0.1:4000"), ("X-Curlew-Forwarder", "ours")]
    assert call(app, "GET", "/v1/x", sent).status == 200


def test_options_of_the_server_itself_are_answered(app: Any) -> None:
    environ = environment("OPTIONS", "/v1/x", [], b"") | {"RAW_URI": "*", "PATH_INFO": "*"}
    heads: list[tuple[str, dict[str, str]]] = []
    list(app(environ, lambda status, headers, error=None: heads.append((status, dict(headers)))))
    ((status, headers),) = heads
    assert status == "204 No Content"
    lowered = {name.lower(): value for name, value in headers.items()}
    assert set(lowered["allow"].split(", ")) == {*VERBS}


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_could_mean_another_place_is_refused(kernel: Kernel, app: Any, path: str) -> None:
    answer = call(app, "GET", path)
    assert answer.status == 400
    assert json.loads(answer.body)["detail"]
    assert kernel.call.verb is None


@pytest.mark.parametrize(
    "method, status", [("TRACE", 405), ("CONNECT", 405), ("QUERY", 405), ("BREW", 501), ("WEBSOCKET", 501)]
)
def test_methods_that_no_file_takes(app: Any, method: str, status: int) -> None:
    answer = call(app, method, "/v1/x")
    assert answer.status == status
    assert json.loads(answer.body)["status"] == status
    assert ("allow" in answer.headers) == (status == 405)


def test_the_welcome_says_what_to_type(app: Any) -> None:
    answer = call(app, "GET", "/")
    assert answer.status == 200
    assert 20 <= len(answer.body.splitlines()) <= 30
    assert answer.body.count(b"curl ") == 5
    assert BASE.encode() in answer.body


@pytest.mark.parametrize("path", ["/x", "/v2/x", "/V1/x", "/healthz/x", "/docs"])
def test_elsewhere_is_nothing(app: Any, path: str) -> None:
    answer = call(app, "GET", path)
    assert answer.status == 404
    assert json.loads(answer.body)["instance"] == path


@pytest.mark.parametrize("path", ["/", "/healthz", "/readyz"])
def test_pages_outside_can_only_be_read(app: Any, path: str) -> None:
    assert call(app, "HEAD", path).body == b""
    assert call(app, "OPTIONS", path).headers["allow"] == "GET, HEAD, OPTIONS"
    refused = call(app, "POST", path)
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


def test_health_is_a_word_or_json(kernel: Kernel) -> None:
    app = edge(kernel, identify=Anyone(refusal=errors.Unauthenticated("no")))
    assert call(app, "GET", "/healthz", [("Authorization", "Bearer dead")]).body == b"pass\n"
    answer = call(app, "GET", "/healthz", [("Accept", "application/json")])
    assert json.loads(answer.body) == {"status": "pass"}
    assert kernel.world.entered == 0


def test_a_stream_is_logged_when_it_ends(kernel: Kernel, app: Any, lines: Lines) -> None:
    call(app, "GET", "/v1/stream")
    assert [(line["path"], line["bytes"]) for line in lines.written] == [("/v1/stream", 8)]
    call(app, "HEAD", "/v1/stream")
    assert lines.written[1]["bytes"] == 0


def test_what_a_request_takes_is_given_back(kernel: Kernel, app: Any) -> None:
    for path in ("/v1/x", "/v1/broken", "/v1/stream"):
        call(app, "GET", path)
    assert kernel.world.entered == kernel.world.left == 3


def test_long_calls_leave_room_for_the_others(kernel: Kernel) -> None:
    closed = []

    class Pieces:
        def __iter__(self) -> Iterator[bytes]:
            yield b"x"

        def close(self) -> None:
            closed.append(1)

    def answer(call: Call) -> Reply:
        if call.path[-1] == "slow":
            call.ongoing.begin()
        return Reply(Stream(Pieces(), "text/plain"))

    kernel.answer = answer
    app = edge(kernel, room=SharedLimit(1))
    environ = environment("GET", "/v1/slow", [], b"")
    held = app(environ, lambda status, headers, error=None: None)
    refused = call(app, "GET", "/v1/slow")
    assert (refused.status, refused.headers["retry-after"]) == (503, "5")
    assert call(app, "GET", "/v1/quick").status == 200
    held.close()
    held.close()
    assert closed == [1, 1, 1]
    assert call(app, "GET", "/v1/slow").status == 200


@pytest.mark.parametrize("error", [errors.Denied("no"), RuntimeError("odd")])
def test_a_long_call_that_fails_gives_its_slot_back(kernel: Kernel, error: Exception) -> None:
    def answer(call: Call) -> Reply:
        call.ongoing.begin()
        raise error

    kernel.answer = answer
    app = edge(kernel, room=SharedLimit(1))
    assert call(app, "GET", "/v1/x").status == call(app, "GET", "/v1/x").status != 503


def test_a_login_sets_the_cookie_and_a_logout_takes_it(kernel: Kernel) -> None:
    kernel.answer = lambda call: Reply(Data({"username": "bob"}), session="clw_x")
    answer = call(edge(kernel), "POST", "/v1/x")
    assert answer.headers["set-cookie"] == (
        f"{COOKIE}=clw_x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"
    )
    secure = edge(kernel, front=Front(base_url="https://curlew.example"))
    assert call(secure, "POST", "/v1/x").headers["set-cookie"] == (
        f"__Host-{COOKIE}=clw_x; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure"
    )
    kernel.answer = lambda call: Reply("", session="")
    assert call(secure, "POST", "/v1/x").headers["set-cookie"] == (
        f"__Host-{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
    )
    kernel.answer = lambda call: Reply("")
    assert "set-cookie" not in call(secure, "POST", "/v1/x").headers


def git(error: Exception | None = None) -> Callable[[RequestHead], Answer]:
    def inner(head: RequestHead) -> Answer:
        if error is not None:
            raise error
        head.user = "bob"
        return Answer(HTTPStatus.OK, [("Content-Type", "x/y")], pieces=[head.id.encode()])

    return inner


def test_git_answers_below_its_path(kernel: Kernel, lines: Lines) -> None:
    app = edge(kernel, lines, git=git())
    answer = call(app, "GET", "/git/bob/code.git/info/refs", [("X-Request-ID", "abc")])
    assert (answer.status, answer.body, answer.headers["x-request-id"]) == (200, b"abc", "abc")
    assert (lines.written[0]["user"], lines.written[0]["bytes"]) == ("bob", 3)
    assert call(edge(kernel), "GET", "/git/bob/code.git").status == 404


@pytest.mark.parametrize("error, status", [(errors.NotFound("no"), 404), (RuntimeError("odd"), 500)])
def test_a_refusal_below_git_has_the_one_shape(kernel: Kernel, error: Exception, status: int) -> None:
    answer = call(edge(kernel, git=git(error)), "GET", "/git/x")
    assert (answer.status, json.loads(answer.body)["status"]) == (status, status)
