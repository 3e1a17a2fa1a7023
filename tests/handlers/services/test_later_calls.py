"""LaterCalls: calls are made one after the other, and all that were taken before it is closed."""

import logging
import threading
from functools import partial

import pytest

from handlers.services.world import LaterCalls


def test_accepted_calls_are_made_before_it_is_closed() -> None:
    done: list[int] = []
    gate = threading.Event()
    later = LaterCalls()
    assert later.add(gate.wait)
    assert all(later.add(partial(done.append, at)) for at in range(5))
    assert done == []
    gate.set()
    later.close()
    assert done == list(range(5))


def test_beyond_those_that_may_wait_nothing_is_taken() -> None:
    gate = threading.Event()
    later = LaterCalls(most=2)
    assert [later.add(gate.wait) for _ in range(3)] == [True, True, False]
    gate.set()
    later.close()


def test_nothing_is_taken_once_it_is_closed() -> None:
    later = LaterCalls()
    later.close()
    assert not later.add(lambda: None)
    later.close()


def test_a_call_that_fails_is_logged_and_makes_room(caplog: pytest.LogCaptureFixture) -> None:
    later = LaterCalls(most=1)

    def fail() -> None:
        raise ValueError("no")

    with caplog.at_level(logging.ERROR, "curlew"):
        assert later.add(fail)
        while not later.add(lambda: None):
            pass
        later.close()
    assert "failed" in caplog.text
