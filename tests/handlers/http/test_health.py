"""Health: what readiness says, and to whom."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import pytest

from handlers.http.health import Checks, Concern, Trouble
from tests.handlers.small_kernel import Kernel, edge
from tests.kit.client import call
from tests.kit.suites.kernel import StillClock


def readiness(app: Any, **changed: str) -> dict[str, Any]:
    """The JSON of readiness, for a caller on this host unless the environment was `changed`."""
    headers = [("Accept", "application/json")]
    answer = call(lambda environ, start: app({**environ, **changed}, start), "GET", "/readyz", headers)
    found: dict[str, Any] = json.loads(answer.body)
    return found


def test_a_concern_is_a_warning_and_no_failure(kernel: Kernel) -> None:
    def worried() -> str:
        raise Concern("Podman is away")

    app = edge(kernel, ready=Checks({"disk": lambda: None, "runner": worried}, StillClock()))
    answer = call(app, "GET", "/readyz")
    assert (answer.status, answer.body) == (200, b"warn\n")
    assert "Podman is away" in readiness(app)["checks"]["runner"]["output"]


def test_a_trouble_is_a_failure_that_says_what_it_is(kernel: Kernel) -> None:
    def full() -> str:
        raise Trouble("the disk is full")

    app = edge(kernel, ready=Checks({"disk": full}, StillClock()))
    assert call(app, "GET", "/readyz").status == 503
    assert "the disk is full" in readiness(app)["checks"]["disk"]["output"]


@pytest.mark.parametrize(
    "environ",
    [
        {"REMOTE_ADDR": "198.51.100.7"},
        {"HTTP_X_FORWARDED_FOR": "198.51.100.7"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 front"},
    ],
)
def test_particulars_of_readiness_are_for_callers_on_this_host(
    kernel: Kernel, environ: dict[str, str]
) -> None:
    app = edge(kernel, ready=Checks({"database": lambda: "sqlite"}, StillClock()))
    assert "sqlite" in readiness(app)["checks"]["database"]["output"]
    assert set(readiness(app, **environ)["checks"]["database"]) == {"status", "time"}


def test_readiness_tells_of_every_check(kernel: Kernel, caplog: pytest.LogCaptureFixture) -> None:
    def away() -> str:
        raise ConnectionError("postgresql://user:password@host")

    clock = StillClock()
    well = edge(kernel, ready=Checks({"database": lambda: "sqlite", "disk": lambda: None}, clock))
    assert call(well, "GET", "/readyz").body == b"pass\n"
    ill = edge(kernel, ready=Checks({"database": away, "disk": lambda: None}, clock))
    assert (call(ill, "GET", "/readyz").status, call(ill, "GET", "/readyz").body) == (503, b"fail\n")
    found = readiness(ill)
    assert found["status"] == "fail"
    assert found["version"] == version("curlew")
    assert found["checks"]["disk"]["status"] == "pass"
    assert found["checks"]["database"]["time"] == "2026-01-02T03:04:05.678Z"
    assert "password" not in found["checks"]["database"]["output"]
    assert "password" in caplog.text
