"""Requests that a worker turns away are counted, once and each by a separate word."""

from __future__ import annotations

import socket

import pytest

from handlers.server.refusals import REQUESTS, SLOW, TURNED_AWAY
from tests.handlers.server.test_event_server import GET, Application, rest, serving
from tests.handlers.server.test_server import PATIENCE, status
from tests.kit.wire.malformed import REQUESTS as HOSTILE
from tests.kit.wire.malformed import head


@pytest.mark.parametrize("sent", [request for request, _ in HOSTILE.values()], ids=list(HOSTILE))
def test_every_answer_of_the_server_itself_is_counted_once(sent: bytes) -> None:
    application = Application()  # refuses nothing
    with serving(application) as send:
        wire = send(sent)
        wire.shutdown(socket.SHUT_WR)
        answer = rest(wire)
    assert list(application.turned_away.values()) == [1] * (status(answer) != 200)
    assert set(application.turned_away) <= TURNED_AWAY


def test_where_as_many_are_at_work_as_may_be_the_next_request_is_turned_away() -> None:
    application = Application()
    with serving(application, requests=1) as send:
        send(head("GET", "/wait"))
        application.waiting.acquire(timeout=PATIENCE)
        assert status(send(GET).recv(1 << 16)) == 503
    assert application.turned_away == {(REQUESTS, True): 1}


def test_a_client_that_sends_half_a_head_is_counted_and_a_silent_one_is_not() -> None:
    application = Application()
    with serving(application, head=0.2) as send:
        half, silent = send(GET[:3]), send(b"")
        assert (rest(half), rest(silent)) == (b"", b"")
    assert application.turned_away == {(SLOW, False): 1}
