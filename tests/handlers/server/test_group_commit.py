"""Short writes that wait together are answered in one transaction, or each alone where it came to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from handlers.server.application import Claimant, Grouping, OnWait
from handlers.server.group_commit import (
    MOST_TOGETHER,
    MOST_TURNS,
    GroupCommit,
    GroupedWrite,
)
from handlers.server.limits import ClientLimits
from vfs.errors import Unavailable

ALICE, BOB = Claimant("192.0.2.1", "alice"), Claimant("192.0.2.2", "bob")


class Storage:
    """A transaction that is open, is taken back at the write `lost`, or fails with `error` at its end.

    It waits for a sync, or for a lock where it `is_locked`.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.lost = ""
        self.is_locked = False
        self.error: Exception | None = None

    @contextmanager
    def together(self, on_wait: OnWait, *, several: bool) -> Iterator[Callable[[], bool]]:
        self.said.append("together" if several else "alone")
        yield lambda: not self.lost or self.said[-1] != f"begin {self.lost}"
        on_wait(not self.is_locked)
        if self.error is not None:
            raise self.error
        self.said.append("durable")


class House:
    """Groups over a storage; calls that are left to the loop wait in `calls`."""

    def __init__(self, patience: float = 60.0, rest: float = 60.0, brief: float = 0.0) -> None:
        self.storage = Storage()
        self.calls: list[Callable[[], object]] = []
        self.leads_given_up = 0
        self.groups = GroupCommit(
            Grouping(self.storage.together, lambda call: call()),
            ClientLimits(sync_patience=patience, rest=rest, brief=brief),
            lambda call, *args: self.calls.append(lambda: call(*args)),
        )

    def submit(self, claimant: Claimant, name: str) -> None:
        say = self.storage.said.append
        self.groups.submit(
            claimant,
            GroupedWrite(
                lambda: say(f"begin {name}"), lambda: say(f"finish {name}"), lambda: say(f"repeat {name}")
            ),
        )

    def answer(self) -> None:
        self.groups.answer(self.give_up_lead)

    def give_up_lead(self) -> None:
        self.leads_given_up += 1

    def turn(self) -> list[str]:
        """What is said while the loop turns once, the calls that were left to it made."""
        self.storage.said.clear()
        self.answer()
        while self.calls:
            self.calls.pop(0)()
        return self.storage.said


@pytest.fixture
def house() -> House:
    return House()


def test_a_write_alone_is_its_own_transaction(house: House) -> None:
    house.submit(ALICE, "a")
    assert house.turn() == ["alone", "begin a", "durable", "finish a"]
    assert house.leads_given_up == 1
    assert house.turn() == []


def test_the_lead_is_kept_for_a_sync_once_one_was_brief_and_nobody_reads() -> None:
    house = House(brief=60.0)

    def leads_given_up(*, beside: bool = False) -> int:
        before = house.leads_given_up
        house.submit(ALICE, "a")
        if beside:
            house.groups.note_reader()
        house.turn()
        return house.leads_given_up - before

    assert (leads_given_up(), leads_given_up()) == (1, 0)
    assert leads_given_up(beside=True) == 1
    assert leads_given_up() == 0
    house.storage.is_locked = True
    assert leads_given_up() == 1


def test_claimants_take_turns_in_a_group(house: House) -> None:
    for name in ("a1", "a2", "a3"):
        house.submit(ALICE, name)
    house.submit(BOB, "b1")
    began = [word for word in house.turn() if word.startswith("begin")]
    assert began == ["begin a1", "begin b1", "begin a2", "begin a3"]


def test_nothing_is_answered_before_it_is_durable(house: House) -> None:
    house.submit(ALICE, "a")
    house.submit(ALICE, "b")
    assert house.turn() == ["together", "begin a", "begin b", "durable", "finish a", "finish b"]


def test_a_group_has_its_limit_and_waits_for_the_one_before(house: House) -> None:
    for number in range(MOST_TOGETHER + 1):
        house.submit(ALICE, str(number))
    house.answer()
    assert house.storage.said.count("together") == 1
    house.answer()
    assert house.storage.said[-1] == "durable"
    assert house.groups.has_waiting
    house.calls.pop(0)()
    house.answer()
    assert house.storage.said[-3:] == ["alone", f"begin {MOST_TOGETHER}", "durable"]


def test_those_whose_answers_went_out_together_come_back_into_one_group(house: House) -> None:
    gathered = []
    for number in range(0, MOST_TOGETHER, 4):
        for one in range(4):
            house.submit(ALICE, str(number + one))
        gathered.append(house.groups.gathers(is_busy=True))
    assert gathered == [True] * (MOST_TOGETHER // 4 - 1) + [False]
    house.turn()
    house.submit(ALICE, "alone")
    assert house.groups.gathers(is_busy=True)
    assert not house.groups.gathers(is_busy=False)


def test_a_write_does_not_wait_long_for_others_that_do_not_come(house: House) -> None:
    house.submit(ALICE, "a")
    assert [house.groups.gathers(is_busy=True) for _ in range(MOST_TURNS)][-2:] == [True, False]


def test_groups_are_smaller_and_not_waited_for_beside_readers(house: House) -> None:
    for number in range(MOST_TOGETHER + 1):
        house.submit(ALICE, str(number))
    house.groups.note_reader()
    assert not house.groups.gathers(is_busy=True)
    assert house.turn().count("durable") == 1
    assert house.groups.has_waiting
    assert house.turn()[0] == "together"
    assert not house.groups.has_waiting


@pytest.mark.parametrize("how", ["refused", "broken", "lost"])
def test_where_a_transaction_came_to_nothing_each_is_repeated_alone(house: House, how: str) -> None:
    if how == "lost":
        house.storage.lost = "a"
    else:
        house.storage.error = Unavailable("away") if how == "refused" else ValueError("a mistake")
    house.submit(ALICE, "a")
    house.submit(BOB, "b")
    said = house.turn()
    assert [word for word in said if word.startswith("repeat")] == ["repeat a", "repeat b"]
    assert not any(word.startswith("finish") for word in said)
    assert not house.groups.is_open


def test_groups_are_made_again_after_a_rest() -> None:
    house = House(rest=0.0)
    house.storage.error = Unavailable("away")
    house.submit(ALICE, "a")
    assert house.turn()[-1] == "repeat a"
    house.storage.error = None
    assert house.groups.is_open
    house.submit(ALICE, "b")
    assert house.turn()[-1] == "finish b"


def test_nobody_waits_for_a_sync_that_does_not_end() -> None:
    house = House(patience=0.0)
    house.submit(ALICE, "a")
    house.answer()
    house.submit(BOB, "b")
    house.answer()
    assert house.storage.said[-1] == "repeat b"
    assert not house.groups.is_open
    house.calls.pop(0)()
    assert house.storage.said[-1] == "finish a"
