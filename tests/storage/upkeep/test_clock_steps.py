"""A clock that is set is noticed."""

from __future__ import annotations

from datetime import timedelta

from storage.upkeep.clocks import Steady, uptime
from tests.kit.suites.kernel import StillClock


def test_a_clock_that_goes_as_it_should_has_not_moved() -> None:
    clock, elapsed = StillClock(), [100.0]
    steady = Steady(clock, lambda: elapsed[0])
    clock.forward(3600)
    elapsed[0] += 3600
    assert steady.step() == timedelta()


def test_a_change_of_the_clock_is_reported_once() -> None:
    clock, elapsed = StillClock(), [100.0]
    steady = Steady(clock, lambda: elapsed[0])
    for seconds in (7200, -86_400):
        clock.forward(seconds + 10)
        elapsed[0] += 10
        assert steady.step() == timedelta(seconds=seconds)
        assert steady.step() == timedelta()


def test_the_time_of_this_machine_goes_forward() -> None:
    assert 0 < uptime() <= uptime()
