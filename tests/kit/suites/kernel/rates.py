"""Promises of limits, for every keeper of vfs.ports.people.Rates."""

from __future__ import annotations

from typing import Protocol

from tests.kit.suites.kernel import Ground
from vfs.ports.people import Limit, Rates

TWICE = Limit("tries of bob", 2, 60)


class RatesGround(Ground, Protocol):
    """An empty world with its counts."""

    @property
    def rates(self) -> Rates: ...


class RatesSuite:
    """Promises of vfs.ports.people.Rates."""

    def test_a_limit_holds_until_its_span_is_over(self, ground: RatesGround) -> None:
        assert [ground.rates.take([TWICE]) for _ in range(2)] == [0, 0]
        ground.clock.forward(20)
        assert ground.rates.take([TWICE]) == ground.rates.wait_for(TWICE) == 40
        ground.clock.forward(40)
        assert [ground.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_what_is_refused_by_one_limit_counts_for_none(self, ground: RatesGround) -> None:
        other = Limit("tries of eve", 1, 60)
        ground.rates.take([other])
        assert [ground.rates.take([TWICE, other]) for _ in range(3)] == [60, 60, 60]
        assert ground.rates.wait_for(TWICE) == 0
        assert [ground.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_subjects_are_counted_apart(self, ground: RatesGround) -> None:
        odd = ("tries of bob", "tries of  bob", "", "\0", "\udcff", "x" * 10_000)
        assert [ground.rates.take([Limit(subject, 1, 60)]) for subject in odd] == [0] * len(odd)
        assert [ground.rates.take([Limit(subject, 1, 60)]) for subject in odd] == [60] * len(odd)

    def test_a_count_is_taken_back(self, ground: RatesGround) -> None:
        ground.rates.give_back([TWICE.subject])
        for _ in range(5):
            assert ground.rates.take([TWICE]) == 0
            ground.rates.give_back([TWICE.subject, "what was never counted"])
        assert [ground.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]

    def test_a_narrower_limit_counts_the_same(self, ground: RatesGround) -> None:
        ground.rates.take([TWICE])
        assert ground.rates.take([Limit(TWICE.subject, 1, 60)]) == 60
        assert ground.rates.wait_for(Limit(TWICE.subject, 1, 60)) == 60
        assert ground.rates.wait_for(TWICE) == 0

    def test_a_clock_that_was_set_back_keeps_nobody_out(self, ground: RatesGround) -> None:
        ground.clock.forward(1_000_000)
        for _ in range(2):
            ground.rates.take([TWICE])
        ground.clock.forward(-1_000_000)
        assert ground.rates.wait_for(TWICE) == 0
        assert [ground.rates.take([TWICE]) for _ in range(3)] == [0, 0, 60]
