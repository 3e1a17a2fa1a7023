"""Health checks: whether this process can serve, as JSON and as one word."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from importlib.metadata import version

from handlers.http.headers import plain_headers
from handlers.http.problems import indented_json
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, PLAIN, Answer
from vfs.call import Form
from vfs.ports.clock import Clock, stamp

log = logging.getLogger("curlew")

HEALTH = "/healthz"
ALIVE: Mapping[str, object] = {"status": "pass"}


class Health(StrEnum):
    """The states of health+json, from good to bad."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


class Concern(Exception):
    """Raised by a check that warns although this process serves; `str()` gives the reason, never a secret."""


class Trouble(Exception):
    """Raised by a check that fails; `str()` gives the reason, never a secret."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The outcome of one check; `output` never contains a secret."""

    health: Health
    time: str
    output: str = ""


class Checks:
    """Named checks, run when called.

    A check passes by returning a line or None, warns by raising a Concern, and fails by raising a Trouble. It
    also fails by any other exception, whose text is not shown.
    """

    def __init__(self, checks: Mapping[str, Callable[[], str | None]], clock: Clock) -> None:
        self._checks = checks
        self._clock = clock

    def __call__(self) -> dict[str, CheckResult]:
        return {name: self._run(check) for name, check in self._checks.items()}

    def _run(self, check: Callable[[], str | None]) -> CheckResult:
        began = time.perf_counter()
        try:
            output, health = check() or "ok", Health.PASS
        except Concern as concern:
            output, health = str(concern), Health.WARN
        except Trouble as trouble:
            output, health = str(trouble), Health.FAIL
        except Exception as wrong:
            # The details go to the service's own log only.
            log.warning("not ready: %s", wrong)
            output, health = f"{type(wrong).__name__}: the details are in the service's log", Health.FAIL
        took = (time.perf_counter() - began) * 1000
        return CheckResult(health, stamp(self._clock.now()), f"{output} ({took:.1f} ms)")


def summary(checks: Mapping[str, CheckResult], *, whole: bool) -> dict[str, object]:
    """Return the checks as health+json, with the worst `status` and the running version.

    Their outputs are in the `whole` only, because anyone may read the readiness.
    """
    order = list(Health)
    return {
        "status": str(max((check.health for check in checks.values()), key=order.index, default=Health.PASS)),
        "version": version("curlew"),
        "checks": {
            name: {"status": str(check.health), "time": check.time}
            | ({"output": check.output} if whole else {})
            for name, check in checks.items()
        },
    }


def health_answer(head: RequestHead, found: Mapping[str, object]) -> Answer:
    """Return the response of a health check: JSON, or its status as one word; a warning is still 200."""
    well = found["status"] != "fail"
    answer = Answer(HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE)
    if head.face.form is Form.DATA:
        answer.body = indented_json(found)
        answer.add("Content-Type", JSON)
    else:
        answer.body = f"{found['status']}\n".encode()
        answer.add("Content-Type", PLAIN)
    return answer


def constant_health() -> bytes:
    """Return headers and body that say that this process is alive, the same for all callers."""
    body = f"{ALIVE['status']}\n"
    headers = [("Content-Type", PLAIN), ("Content-Length", str(len(body))), *plain_headers()]
    return "".join([*(f"{name}: {value}\r\n" for name, value in headers), "\r\n", body]).encode()
