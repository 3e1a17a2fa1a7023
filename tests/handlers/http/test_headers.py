"""What every answer says to browsers and caches, whatever went wrong on its way."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import pytest

from handlers.http.problems import MALFORMED, PROBLEM_TYPES, raw_answer
from handlers.http.request_head import Front
from tests.handlers.small_kernel import Kernel, blob, edge, get, raising
from tests.kit.client import Answer, call, environment, sandboxed
from vfs import errors
from vfs.call import Reply, Stream

BROWSER = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
ACTIVE = (
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "text/javascript",
    "text/css",
)
HSTS = "strict-transport-security"


@pytest.mark.parametrize("kind", PROBLEM_TYPES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("accept", ["*/*", "text/plain", BROWSER[1]])
def test_every_refusal_is_sandboxed(kernel: Kernel, kind: type[errors.VfsError], accept: str) -> None:
    kernel.answer = raising(kind("<script>1</script>", size=1))
    answer = call(edge(kernel), "GET", "/v1/x", [("Accept", accept)])
    assert answer.status == PROBLEM_TYPES[kind].status
    assert sandboxed(answer.headers)


def test_bytes_are_never_split_into_separate_answers(kernel: Kernel) -> None:
    answer = get(kernel, blob(kernel, b"--x", "multipart/x-mixed-replace"))
    assert answer.headers["content-type"] == "application/octet-stream"


@pytest.mark.parametrize("media", ACTIVE)
def test_no_media_type_leaves_the_sandbox(kernel: Kernel, media: str) -> None:
    for reply in (
        Reply("<p>", media=media),
        Reply(Stream(iter([b"<p>"]), media)),
        blob(kernel, b"<p>", media),
    ):
        for method in ("GET", "HEAD", "POST"):
            answer = get(kernel, reply, method, Accept=BROWSER[1])
            assert answer.headers["content-type"].startswith(media)
            assert sandboxed(answer.headers)


def test_an_internal_error_is_sandboxed_wherever_it_happens(kernel: Kernel) -> None:
    kernel.answer = raising(RuntimeError("odd"))
    assert sandboxed(call(edge(kernel), "GET", "/v1/x").headers)

    failures = iter([RuntimeError("odd")])

    def once(line: bytes) -> None:
        for failure in failures:
            raise failure

    kernel.answer = lambda call: Reply("<script>1</script>", media="text/html")
    answer = call(edge(kernel, once), "GET", "/v1/x", [BROWSER])  # type: ignore[arg-type]
    assert (answer.status, b"script" in answer.body) == (500, False)
    assert sandboxed(answer.headers)


def test_what_another_application_says_of_itself_does_not_count(kernel: Kernel) -> None:
    def inner(environ: Any, start_response: Any) -> list[bytes]:
        lax = [
            ("content-security-policy", "script-src *"),
            ("Cache-Control", "public"),
            ("Content-Type", "text/html"),
        ]
        start_response("200 OK", lax)
        return [b"<script>1</script>"]

    begun: list[list[tuple[str, str]]] = []
    list(
        edge(kernel, git=inner)(
            environment("GET", "/git/x", [], b""), lambda _, headers, *more: begun.append(headers)
        )
    )
    names = [name.lower() for name, _ in begun[0]]
    assert len(names) == len(set(names))
    assert sandboxed({name.lower(): value for name, value in begun[0]})


@pytest.mark.parametrize("word", [*MALFORMED, "broken"])
def test_what_never_became_a_request_is_answered_in_the_sandbox(word: str) -> None:
    head = raw_answer(word, "<script>1</script>").partition(b"\r\n\r\n")[0].decode().lower()
    for header in ("content-security-policy: default-src 'none'; sandbox", "x-content-type-options: nosniff"):
        assert header in head
    assert "cache-control: no-store" in head


SECURE = ("X-Forwarded-Proto", "https")


@pytest.mark.parametrize(
    ("front", "headers", "sure"),
    [
        (Front(), [], False),
        (Front(), [SECURE], False),
        (Front(base_url="http://curlew.example", proxies=frozenset({"127.0.0.1"})), [SECURE], False),
        (Front(base_url="https://curlew.example"), [], True),
        (Front(proxies=frozenset({"127.0.0.1"})), [SECURE], True),
        (Front(proxies=frozenset({"127.0.0.1"})), [("X-Forwarded-Proto", "https, http")], False),
        (Front(proxies=frozenset({"10.0.0.1"})), [SECURE], False),
    ],
)
def test_tls_is_kept_on_where_it_is_sure(
    kernel: Kernel, front: Front, headers: list[tuple[str, str]], sure: bool
) -> None:
    answers = [
        call(edge(kernel, front=front), "GET", path, headers) for path in ("/v1/x", "/healthz", "/nowhere")
    ]
    assert [answer.headers.get(HSTS) for answer in answers] == [("max-age=31536000" if sure else None)] * 3


def test_origins_that_are_admitted_may_embed_what_they_read(kernel: Kernel) -> None:
    front = Front(origins=frozenset({"https://a.example"}))
    answer = call(edge(kernel, front=front), "GET", "/v1/x", [("Origin", "https://a.example")])
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["vary"] == "Accept, Authorization, Cookie, Origin"
    assert call(edge(kernel), "GET", "/v1/x").headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("query", ["key=secret", "a=b&key=secret", "next=/invited%3Fkey%3Dsecret"])
def test_what_is_answered_to_the_key_of_a_link_is_not_stored(kernel: Kernel, query: str) -> None:
    for path in ("/v1/x", "/x"):
        answer = call(edge(kernel), "GET", f"{path}?{query}")
        assert answer.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize(
    ("method", "headers", "kept"),
    [
        ("GET", {}, "no-cache"),
        ("HEAD", {}, "no-cache"),
        ("GET", {"Authorization": "Bearer x"}, "private, no-store"),
        ("GET", {"Cookie": "theme=dark"}, "private, no-store"),
        ("POST", {}, "private, no-store"),
        ("OPTIONS", {}, "private, no-store"),
    ],
)
def test_only_what_anybody_is_shown_may_be_kept(
    kernel: Kernel, method: str, headers: Mapping[str, str], kept: str
) -> None:
    answer: Answer = call(edge(kernel), method, "/v1/both", [*headers.items()])
    assert answer.headers["cache-control"] == kept
    assert answer.status == HTTPStatus.OK
