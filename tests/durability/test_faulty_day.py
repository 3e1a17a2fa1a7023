"""A scripted day with faults of the disk: each answer is true, and all goes on automatically."""

from __future__ import annotations

import errno
import os
import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.durability.day import Act, Refused
from tests.durability.house import House
from tests.durability.revived import owed
from tests.durability.warden import Fault, Warden
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

FAULTS = 25
IN_A_ROW, LEAST = 3, 10
OPERATIONS = (
    "write", "put_file", "sign_up", "make_repo", "remove_repo", "push", "drop_branch", "commit", "run",
)  # fmt: skip
CHEAP = ("put_file",)
"""Operations whose calls all fail in `make test`, too; the others in `make test-all` and `make soak`."""
MAKERS = {"make_repo": "remove_repo", "remove_repo": "make_repo", "drop_branch": "push"}
"""What makes an operation possible."""
ERRORS = ((errno.EIO, False), (errno.ENOSPC, False), (errno.ENOSPC, True))

pytestmark = pytest.mark.soak


def test_a_fault_at_any_write_of_a_day_is_reported_and_passes(
    tmp_path: Path, record_property: Counted
) -> None:
    calls: defaultdict[str, int] = defaultdict(lambda: 40)
    hit = refused = 0
    with faulty_day(tmp_path / "data") as (house, dice):
        for _ in range(points(FAULTS)):
            act = house.day.pick()
            error, lasting = dice.choice(ERRORS)
            fault = Fault(dice.randrange(calls[act.__name__]) + 1, error, lasting and may_last(act))
            failed, message = fail(house, act, fault)
            calls[act.__name__] = max(20, len(house.warden.calls()))
            hit, refused = hit + bool(failed), refused + bool(message)
    assert hit > points(FAULTS) // 2
    record_property("faults of a day", hit)
    record_property("operations refused for one", refused)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in CHEAP else pytest.mark.whole) for name in OPERATIONS]
)
def test_each_call_of_an_operation_fails_once(tmp_path: Path, name: str, record_property: Counted) -> None:
    hit = refused = 0
    with faulty_day(tmp_path / "data") as (house, _):
        fits = {act.__name__: (act, fit) for act, fit in house.day.acts()}
        act, fit = fits[name]
        for error, lasting in ERRORS:
            missed, nth = 0, 0
            # What goes on besides makes their number vary.
            while missed < IN_A_ROW and (may_last(act) or not lasting):
                nth += 1
                while not fit(house.day.known[-1]):
                    house.day.do(fits[MAKERS[name]][0])
                failed, message = fail(house, act, Fault(nth, error, lasting))
                missed = 0 if failed else missed + 1
                hit, refused = hit + bool(failed), refused + bool(message)
    assert hit > LEAST
    record_property("faults at each call", hit)
    record_property("operations refused for one", refused)


@contextmanager
def faulty_day(folder: Path) -> Iterator[tuple[House, random.Random]]:
    """A day that goes on after all its faults, and whose folder then has all that was promised."""
    dice = random.Random(seed())
    house = House(folder, Warden(folder), dice)
    try:
        yield house, dice
        house.day.do(house.day.push)
        house.day.do(house.day.run)
    finally:
        house.close()
    assert owed(folder, house.tokens, house.day.known[-1], house.day.known[-1]) == []


def may_last(act: Act) -> bool:
    """Whether a disk may stay full under an operation: runs, and builds after pushes, wait for its end."""
    return act.__name__ not in ("run", "push")


def fail(house: House, act: Act, fault: Fault) -> tuple[list[str], str]:
    """The calls that failed under an operation, and its message; then all or nothing is done."""
    failed = list[str]()
    house.warden.arm(fault)
    try:
        try:
            house.day.do(act)
            message = ""
        except Refused as refusal:
            message = str(refusal)
        failed = house.warden.disarm()
        assert failed or not message, message
        forget_locks(house.folder, failed)
        if message:
            house.day.go_on()
    except AssertionError as wrong:
        failed = failed or house.warden.disarm()
        wrong.add_note(f"{act.__name__}, {fault}: {failed}\n{house.service.log()[-3000:]}")
        raise
    return failed, message


def forget_locks(folder: Path, failed: list[str]) -> None:
    """Make the locks old that git could not remove: they keep pushes out until they are."""
    for call in failed:
        if call.startswith("unlink of ") and call.endswith(".lock"):
            os.utime(folder / call.removeprefix("unlink of "), (0, 0))
