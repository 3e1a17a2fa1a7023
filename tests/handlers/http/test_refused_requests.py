"""Refusals at the edge: logged once, with the address of the client if a known proxy names it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handlers.http.access_log import RefusedRequests
from handlers.http.request_head import Front, read_head
from handlers.security.events import WatchedPaths
from handlers.security.security_log import SecurityLog
from tests.kit.suites.kernel import StillClock

PROXY = "10.0.0.1"


def entries(status: int, times: int = 1, **environ: str) -> list[dict[str, Any]]:
    written = list[bytes]()
    refused = RefusedRequests(SecurityLog(written.append, StillClock()), WatchedPaths(["/v1/auth"]))
    base = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/v1/x?secret=1",
        "REMOTE_ADDR": PROXY,
        "wsgi.url_scheme": "http",
    }
    head = read_head({**base, **environ}, Front("https://c.example", proxies=frozenset({PROXY})))
    for _ in range(times):
        refused(head, status)
    return [json.loads(line) for line in written]


def test_behind_a_proxy_the_client_is_named() -> None:
    (one,) = entries(403, times=2, HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.7", HTTP_USER_AGENT="curl/8")
    assert (one["address"], one["client"], one["target"]) == ("203.0.113.7", "curl/8", "GET /v1/x")
    assert "secret" not in json.dumps(one)


@pytest.mark.parametrize(
    "status, environ, count",
    [
        (401, {}, 0),
        (401, {"HTTP_AUTHORIZATION": "Bearer x"}, 1),
        (429, {}, 1),
        (404, {"HTTP_AUTHORIZATION": "Bearer x"}, 0),
        (200, {}, 0),
    ],
)
def test_a_refusal_is_logged_where_something_was_tried(
    status: int, environ: dict[str, str], count: int
) -> None:
    assert len(entries(status, **environ)) == count


def test_a_password_that_never_reached_the_kernel_is_a_sign_in() -> None:
    (one,) = entries(429, REQUEST_METHOD="POST", RAW_URI="/v1/auth")
    assert (one["event"], one["target"], one["why"]) == ("sign-in", "/v1/auth", "toomany")
