"""Answers that turn out to wait are left on the loop, and made anew in a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from handlers.server.application import ON_LOOP, Environ, WouldWait
from tests.handlers.server.test_event_server import CREDENTIAL, Quick, serving
from tests.handlers.server.test_server import PATIENCE, status
from tests.kit.wire.malformed import head

GET = head("GET", "/hesitant")


class Hesitant(Quick):
    """An application that answers `/hesitant` in threads alone, with their names; it finds out `late`."""

    def __init__(self, late: float = 0.0) -> None:
        super().__init__()
        self.tries: list[bool] = []
        self._late = late

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/hesitant":
            return super().__call__(environ, start)
        self.tries.append(ON_LOOP in environ)
        if ON_LOOP in environ:
            time.sleep(self._late)
            raise WouldWait
        name = threading.current_thread().name.encode()
        start("200 OK", [("Content-Length", str(len(name)))])
        return [name]


def test_what_would_wait_is_answered_in_a_thread_of_requests() -> None:
    application = Hesitant()
    with serving(application) as send:
        wire = send(GET)
        for _ in range(3):
            answer = wire.recv(1 << 16)
            assert (status(answer), answer.endswith(b"request")) == (200, True)
            wire.sendall(GET)
        assert status(wire.recv(1 << 16)) == 200
    assert application.tries == [True, False] * 4


def test_what_would_wait_finds_out_so_late_that_another_leads() -> None:
    application = Hesitant(late=0.5)
    with serving(application, patience=0.05, rest=PATIENCE) as send:
        assert status(send(GET).recv(1 << 16)) == 200
        assert status(send(GET).recv(1 << 16)) == 200
    # Calls are not risked on the loop for a while.
    assert application.tries == [True, False, False]


@pytest.mark.parametrize("share, told", [(1, 429), (2, 200)])
def test_what_would_wait_counts_with_what_its_account_has_asked(share: int, told: int) -> None:
    with serving(application := Hesitant(), requests_account=share) as send:
        send(CREDENTIAL)
        application.waiting.acquire(timeout=PATIENCE)
        asked = head("GET", "/hesitant", "Authorization: Bearer a")
        assert status(send(asked).recv(1 << 16)) == told
