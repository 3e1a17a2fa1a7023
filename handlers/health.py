"""Health: the checks that say whether this process can serve, as JSON and as one word."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from vfs.world import Clock, stamp

log = logging.getLogger("curlew")


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found: whether it passed, when it was made, what it says (never a secret)."""

    passed: bool
    time: str
    output: str = ""


class Checks:
    """Named checks, made when asked. A check passes by returning a line or None, and fails by raising."""

    def __init__(self, checks: Mapping[str, Callable[[], str | None]], clock: Clock) -> None:
        self._checks = checks
        self._clock = clock

    def __call__(self) -> dict[str, Check]:
        return {name: self._made(check) for name, check in self._checks.items()}

    def _made(self, check: Callable[[], str | None]) -> Check:
        began = time.perf_counter()
        try:
            output, passed = check() or "ok", True
        except Exception as wrong:
            # Whoever asks for readiness need not be anyone: the particulars go into the service's own log.
            log.warning("not ready: %s", wrong)
            output, passed = f"{type(wrong).__name__}: the service's log says more", False
        took = (time.perf_counter() - began) * 1000
        return Check(passed, stamp(self._clock.now()), f"{output} ({took:.1f} ms)")


def summary(checks: Mapping[str, Check]) -> dict[str, Any]:
    """The checks as the JSON of health+json: `status` is `pass` when all of them passed, else `fail`."""
    return {
        "status": "pass" if all(check.passed for check in checks.values()) else "fail",
        "checks": {
            name: {"status": "pass" if check.passed else "fail", "time": check.time, "output": check.output}
            for name, check in checks.items()
        },
    }
