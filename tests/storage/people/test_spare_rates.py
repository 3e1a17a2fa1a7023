"""While nothing can be written, what is tried too often is counted in memory."""

from __future__ import annotations

from collections.abc import Sequence

from storage.people.rates import MOST_SUBJECTS, MemoryRates, SpareRates
from tests.kit.suites.kernel import StillClock
from vfs.errors import NoSpace
from vfs.ports.people import Limit

ONE, OTHER = Limit("one", 2, 60), Limit("other", 5, 60)


class Full(MemoryRates):
    """Rates on a disk that may be full."""

    full = False

    def take(self, limits: Sequence[Limit]) -> int:
        self._write()
        return super().take(limits)

    def give_back(self, subjects: Sequence[str]) -> None:
        self._write()
        super().give_back(subjects)

    def _write(self) -> None:
        if self.full:
            raise NoSpace("The database's disk is full.")


def test_a_full_disk_changes_nothing_of_what_is_refused() -> None:
    clock = StillClock()
    stored = Full(clock)
    rates = SpareRates(stored, lambda: MemoryRates(clock))
    assert rates.take([ONE, OTHER]) == 0
    stored.full = True
    assert [rates.take([ONE]) for _ in range(3)] == [0, 0, 60]
    assert rates.wait_for(ONE) == 60
    rates.give_back(["one"])
    assert rates.take([ONE]) == 0
    stored.full = False
    assert rates.take([ONE]) == 0
    assert rates.take([ONE]) == rates.wait_for(ONE) == 60
    rates.give_back(["one"])
    assert rates.take([ONE]) == 0
    stored.full = True
    rates.give_back(["one"])
    assert rates.take([ONE]) == 60, "what is stored counts"


def test_subjects_are_counted_up_to_a_bound_and_forgotten_with_their_spans() -> None:
    clock = StillClock()
    rates = MemoryRates(clock)
    assert not any(rates.take([Limit(str(number), 5, 60)]) for number in range(MOST_SUBJECTS))
    assert rates.take([Limit("another", 5, 60)]) == 60
    assert rates.wait_for(Limit("another", 5, 60)) == 0
    clock.forward(seconds=60)
    assert rates.take([Limit("another", 5, 60)]) == 0
