"""Promises of limits, for every keeper of vfs.ports.people.Rates."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import EmptyWorld
from vfs.ports.people import Limit, Rates

TWICE = Limit("tries of bob", 2, 60)


class RatesWorld(EmptyWorld, Protocol):
    """An empty world with its counts."""

    @property
    def rates(self) -> Rates: ...


class RatesSuite:
    """Promises of vfs.ports.people.Rates."""

    def test_a_limit_holds_until_its_span_is_over(self, empty_world: RatesWorld) -> None:
        assert [empty_world.rates.take([TWICE]) for _ in range(2)] == [0, 0]
        empty_world.clock.forward(20)
        assert empty_world.rates.take([TWICE]) == empty_world.rates.wait_for(TWICE) == 40
        empty_world.clock.forward(40)
        assert [empty_world.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_what_is_refused_by_one_limit_counts_for_none(self, empty_world: RatesWorld) -> None:
        other = Limit("tries of eve", 1, 60)
        empty_world.rates.take([other])
        assert [empty_world.rates.take([TWICE, other]) for _ in range(3)] == [60, 60, 60]
        assert empty_world.rates.wait_for(TWICE) == 0
        assert [empty_world.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_subjects_are_counted_apart(self, empty_world: RatesWorld) -> None:
        odd = ("tries of bob", "tries of  bob", "", "\0", "\udcff", "x" * 10_000)
        assert [empty_world.rates.take([Limit(subject, 1, 60)]) for subject in odd] == [0] * len(odd)
        assert [empty_world.rates.take([Limit(subject, 1, 60)]) for subject in odd] == [60] * len(odd)

    def test_a_count_is_taken_back(self, empty_world: RatesWorld) -> None:
        empty_world.rates.give_back([TWICE.subject])
        for _ in range(5):
            assert empty_world.rates.take([TWICE]) == 0
            empty_world.rates.give_back([TWICE.subject, "what was never counted"])
        assert [empty_world.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_a_narrower_limit_counts_the_same(self, empty_world: RatesWorld) -> None:
        empty_world.rates.take([TWICE])
        assert empty_world.rates.take([Limit(TWICE.subject, 1, 60)]) == 60
        assert empty_world.rates.wait_for(Limit(TWICE.subject, 1, 60)) == 60
        assert empty_world.rates.wait_for(TWICE) == 0

    def test_a_clock_that_was_set_back_keeps_nobody_out(self, empty_world: RatesWorld) -> None:
        empty_world.clock.forward(1_000_000)
        for _ in range(2):
            empty_world.rates.take([TWICE])
        empty_world.clock.forward(-1_000_000)
        assert empty_world.rates.wait_for(TWICE) == 0
        assert [empty_world.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]
