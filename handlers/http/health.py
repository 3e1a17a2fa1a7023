"""Health: the checks that say whether this process can serve, as JSON and as one word."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vfs.ports.world import Clock, stamp

log = logging.getLogger("curlew")


class Health(StrEnum):
    """How well it is, from good to bad (the words of health+json)."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


class Concern(Exception):
    """What somebody should see to, though this process serves; `str()` says what, and never a secret."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found: how well it is, when it was made, what it says (never a secret)."""

    health: Health
    time: str
    output: str = ""


class Checks:
    """Named checks, made when asked. A check passes by returning a line or None, warns by raising a Concern,
    and fails by raising anything else.
    """

    def __init__(self, checks: Mapping[str, Callable[[], str | None]], clock: Clock) -> None:
        self._checks = checks
        self._clock = clock

    def __call__(self) -> dict[str, Check]:
        return {name: self._made(check) for name, check in self._checks.items()}

    def _made(self, check: Callable[[], str | None]) -> Check:
        began = time.perf_counter()
        try:
            output, health = check() or "ok", Health.PASS
        except Concern as concern:
            output, health = str(concern), Health.WARN
        except Exception as wrong:
            # The particulars go into the service's own log.
            log.warning("not ready: %s", wrong)
            output, health = f"{type(wrong).__name__}: the service's log says more", Health.FAIL
        took = (time.perf_counter() - began) * 1000
        return Check(health, stamp(self._clock.now()), f"{output} ({took:.1f} ms)")


def summary(checks: Mapping[str, Check], *, whole: bool) -> dict[str, Any]:
    """The checks as the JSON of health+json: `status` is that of the worst. What they say is told on the
    `whole` alone: whoever asks for readiness need not be anyone.
    """
    order = list(Health)
    return {
        "status": str(max((check.health for check in checks.values()), key=order.index, default=Health.PASS)),
        "checks": {
            name: {"status": str(check.health), "time": check.time}
            | ({"output": check.output} if whole else {})
            for name, check in checks.items()
        },
    }
