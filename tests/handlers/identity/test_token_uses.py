"""Uses of credentials are written down later, together, and never lost in silence."""

from __future__ import annotations

from threading import Event, Timer

import pytest

from handlers.identity.token_uses import TokenUses
from tests.handlers.door import WHOAMI, Door
from vfs.access import Verb
from vfs.errors import Unavailable
from vfs.ports.clock import stamp


def test_uses_are_written_once_a_minute_with_their_count(door: Door) -> None:
    header = f"Bearer {door.mint()}"
    token = door.ask(authorization=header, user_agent="curl/7.88").token
    assert token is not None
    door.uses.flush()
    line = "GET /v1/whoami from 10.0.0.1 curl/7.88"
    assert [what for _, what in door.world.tokens.log(token)] == [line]
    for _ in range(3):
        door.clock.forward(10)
        door.ask(authorization=header, user_agent="curl/7.88")
    last = stamp(door.clock.now())
    door.uses.flush()
    assert len(door.world.tokens.log(token)) == 1
    door.clock.forward(60)
    door.uses.flush()
    assert door.world.tokens.log(token)[1:] == [(last, f"{line} (3 times)")]
    door.ask(authorization=header)
    door.uses.close()
    assert len(door.world.tokens.log(token)) == 3


@pytest.mark.parametrize("error, traced", [(OSError("no space"), True), (Unavailable("it is away"), False)])
def test_uses_that_cannot_be_written_are_reported_and_stop_nothing(
    door: Door, caplog: pytest.LogCaptureFixture, error: Exception, traced: bool
) -> None:
    class Full:
        def record_uses(self, uses: object) -> None:
            raise error

    uses = TokenUses(Full(), door.clock, every=3600)  # type: ignore[arg-type]
    uses.record(1, "GET /", door.clock.now())
    uses.close()
    assert "1 uses of credentials could not be written down" in caplog.text
    assert ("Traceback" in caplog.text) is traced


def test_a_thread_writes_uses_down(door: Door) -> None:
    written = []

    class Waiting:
        def record_uses(self, uses: object) -> None:
            written.append(uses)
            door.uses.close()

    door.uses = uses = TokenUses(Waiting(), door.clock, every=0.001)  # type: ignore[arg-type]
    uses.record(1, "GET /", door.clock.now())
    while not written:
        uses._stop.wait(0.01)
    assert written == [[(1, stamp(door.clock.now()), "GET /")]]


def test_a_request_that_is_checked_again_is_recorded_once(door: Door) -> None:
    head = {"REQUEST_METHOD": "GET", "HTTP_AUTHORIZATION": f"Bearer {door.mint()}"}
    callers = [door.identify.caller(head, Verb.READ, WHOAMI, again=again) for again in (False, True, True)]
    assert {caller.name for caller in callers} == {"bob"}
    door.uses.close()
    token = callers[0].token
    assert token is not None
    assert [what for _, what in door.world.tokens.log(token)] == ["GET /v1/whoami from"]


def test_closing_waits_for_what_is_being_written(door: Door) -> None:
    begun, go_on, done = Event(), Event(), []

    class Slow:
        def record_uses(self, uses: object) -> None:
            begun.set()
            go_on.wait(30)
            done.append(uses)

    uses = TokenUses(Slow(), door.clock, every=0.001)  # type: ignore[arg-type]
    uses.record(1, "GET /", door.clock.now())
    begun.wait(30)
    Timer(0.2, go_on.set).start()
    uses.close()
    assert len(done) == 1
