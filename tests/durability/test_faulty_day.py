"""A scripted day into which faults of the disk fall: each answer is true, and all goes on by itself."""

from __future__ import annotations

import errno
import os
import random
from collections import defaultdict
from pathlib import Path

import pytest

from tests.durability.day import Refused
from tests.durability.house import House
from tests.durability.revived import owed
from tests.durability.warden import Fault, Warden
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.disk import quick

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

FAULTS = 25
NEVER = 1 << 20
ERRORS = ((errno.EIO, False), (errno.ENOSPC, False), (errno.ENOSPC, True))

pytestmark = pytest.mark.soak


def test_a_fault_at_any_write_of_a_day_is_told_and_passes(tmp_path: Path, record_property: Counted) -> None:
    dice, folder = random.Random(seed()), tmp_path / "data"
    house = House(folder, Warden(folder), dice)
    calls: defaultdict[str, int] = defaultdict(lambda: 40)
    hit = refused = 0
    try:
        for _ in range(points(FAULTS)):
            act = house.day.pick()
            error, lasting = dice.choice(ERRORS)
            # A run waits for the end of a full disk.
            fault = Fault(dice.randrange(calls[act.__name__]) + 1, error, lasting and act.__name__ != "run")
            house.warden.arm(fault)
            failed: list[str] = []
            try:
                house.day.do(act)
                told = ""
            except Refused as refusal:
                told = str(refusal)
            failed = house.warden.disarm()
            calls[act.__name__] = max(20, len(house.warden.calls()))
            assert failed or not told, (act.__name__, str(fault), told)
            hit, refused = hit + bool(failed), refused + bool(told)
            forget_locks(folder, failed)
            if told:
                house.day.go_on()
        house.day.do(house.day.push)
        house.day.do(house.day.run)
    except AssertionError as wrong:
        failed = failed or house.warden.disarm()
        wrong.add_note(f"{act.__name__}, {fault}: {failed}\n{house.service.log()[-3000:]}")
        raise
    finally:
        house.close()
    assert hit > points(FAULTS) // 2
    assert owed(folder, house.tokens, house.day.known[-1], house.day.known[-1]) == []
    record_property("faults of a day", hit)
    record_property("operations refused for one", refused)


def forget_locks(folder: Path, failed: list[str]) -> None:
    """Make the locks old that git could not remove: they keep pushes out until they are."""
    for call in failed:
        if call.startswith("unlink of ") and call.endswith(".lock"):
            os.utime(folder / call.removeprefix("unlink of "), (0, 0))
