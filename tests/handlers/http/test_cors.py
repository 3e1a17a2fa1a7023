"""Pages of other origins."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.http.request_head import Front
from tests.handlers.small_kernel import Anyone, Kernel, edge
from tests.kit.client import call
from vfs import errors

PREFLIGHT = [("Origin", "https://a.example"), ("Access-Control-Request-Method", "POST")]


def test_pages_of_other_origins_are_not_admitted_unless_a_setting_says_so(kernel: Kernel) -> None:
    app = edge(kernel, identify=Anyone(refusal=errors.Unauthenticated("no")))
    answer = call(app, "OPTIONS", "/v1/x", PREFLIGHT)
    assert answer.status == 204
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert not any(name.startswith("access-control") for name in call(app, "GET", "/v1/x", PREFLIGHT).headers)


@pytest.mark.parametrize(
    "origins, admitted",
    [({"https://a.example"}, "https://a.example"), ({"*"}, "*"), ({"https://b.example"}, None)],
)
def test_a_setting_admits_origins(kernel: Kernel, origins: set[str], admitted: str | None) -> None:
    app = edge(kernel, front=Front(origins=frozenset(origins)))
    before, after = call(app, "OPTIONS", "/v1/x", PREFLIGHT), call(app, "GET", "/v1/x", PREFLIGHT[:1])
    for answer in (before, after):
        assert answer.headers.get("access-control-allow-origin") == admitted
        assert "Origin" in answer.headers["vary"]
        assert "access-control-allow-credentials" not in answer.headers
    assert ("access-control-allow-methods" in before.headers) == (admitted is not None)
    assert ("access-control-expose-headers" in after.headers) == (admitted is not None)
    assert "access-control-allow-origin" not in call(app, "GET", "/v1/x").headers


def test_options_without_a_preflight_reach_the_kernel(kernel: Kernel, app: Any) -> None:
    call(app, "OPTIONS", "/v1/x", PREFLIGHT[:1])
    assert kernel.call.verb is None
    assert kernel.world.entered == 1
