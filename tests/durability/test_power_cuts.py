"""Power cuts at each sync of a scripted day: whatever the disk kept, the service starts and owes nothing."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from chains.host.doctor import DoctorCheck
from handlers.commands.doctor import _all
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.durability.cut_disk import CutDisk, lay
from tests.durability.day import ENDED, Known
from tests.durability.faults.stage import Program, await_so
from tests.durability.faulty_server import USER
from tests.durability.house import House, runner_words
from tests.durability.recorder import Recorder
from tests.durability.revived import owed
from tests.kit.counting.amount import Counted, points, seed
from tests.kit.disk import quick
from tests.kit.git import Work
from tests.kit.gunicorn import CHEAP, Service
from tests.kit.server import ROOT

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

OPERATIONS, STATES, STARTS = 75, 60, 1
KEPT = (
    ("none", "none"),
    ("all", "all"),
    ("all", "none"),
    ("all", "zero"),
    ("none", "all"),
    ("early", "none"),
    ("early", "some"),
)
"""What a cut keeps of names and of writes that were not synced."""

State = dict[str, bytes | None]

pytestmark = pytest.mark.soak


def test_what_was_promised_outlives_a_power_cut(tmp_path: Path, record_property: Counted) -> None:
    dice = random.Random(seed())
    house = recorded_day(tmp_path / "data", dice)
    recorder, known, folder = house.warden, house.day.known, tmp_path / "cut"
    assert isinstance(recorder, Recorder)
    moments = [at for at, each in enumerate(recorder.events) if each.kind in ("sync", "mark")]
    first = next(at for at, each in enumerate(recorder.events) if each.kind == "mark")
    chosen = sorted(dice.choices([at for at in moments if at > first], k=points(STATES)))
    starts = set(dice.sample(range(len(chosen)), points(STARTS)))
    disk = CutDisk()
    states = cuts(recorder, disk, chosen, dice)
    for number, (kept, state, promised) in enumerate(states):
        lay(state, folder)
        between = known[promised], known[min(promised + 1, len(known) - 1)]
        wrong = owed(folder, house.tokens, *between)
        if number in starts:
            wrong += served(folder, house, between[0], tmp_path / f"after-{number}")
        assert not wrong, (chosen[number], kept, wrong)
        shutil.rmtree(folder)
    assert disk.after("all", "all", dice) | unlogged(house.folder) == files(house.folder)
    record_property("operations of a day", points(OPERATIONS))
    record_property("power cuts", len(chosen))


def recorded_day(folder: Path, dice: random.Random) -> House:
    """A day that was recorded from the first file on; its processes have ended."""
    folder.mkdir()
    house = House(folder, Recorder(folder), dice)
    try:
        for _ in range(points(OPERATIONS)):
            house.day.do(house.day.pick())
    finally:
        house.close()
    return house


def cuts(
    recorder: Recorder, disk: CutDisk, chosen: Sequence[int], dice: random.Random
) -> Iterator[tuple[tuple[str, str], State, int]]:
    """Yield what is kept at each chosen event, the files after a cut before it, and the last promise."""
    promised, waiting = 0, list(chosen)
    for at, event in enumerate(recorder.events):
        while waiting and waiting[0] == at:
            waiting.pop(0)
            kept = dice.choice(KEPT)
            state = disk.after(*kept, dice)
            # SQLite creates its shared memory again.
            yield kept, {path: data for path, data in state.items() if not path.endswith("-shm")}, promised
        disk.do(event)
        promised = event.offset if event.kind == "mark" else promised


def served(folder: Path, house: House, known: Known, scratch: Path) -> list[str]:
    """What is wrong with the real processes over a folder: runs end, a push works, and doctor is content."""
    service = Service(folder, f"sqlite:///{folder}/curlew.db", 1)
    runner = Program(runner_words(folder), folder.with_name("served.log"), PYTHONPATH=str(ROOT), **CHEAP)
    service.start()
    client = service.client(house.tokens[USER])
    try:
        runner.start()
        for path in (path for path in known.bodies if path.endswith("/status")):
            await_so(lambda path=path: client.call("GET", path).body in (b"success", *ENDED))  # type: ignore[misc]
        work = Work(scratch)
        work.commit({"after": "the cut"})
        address = f"http://{USER}:{house.tokens[USER]}@127.0.0.1:{service.port}/git/{USER}/tool.git"
        pushed = work.run("push", "-q", address, "HEAD:refs/heads/after")
        checks = until_git(load(CHEAP, data=str(folder)))
        return [pushed.stderr.decode()] * pushed.returncode + [str(each) for each in checks if not each.ok]
    finally:
        client.close()
        runner.kill()
        service.kill()


def until_git(settings: Settings) -> Iterator[DoctorCheck]:
    """The checks of doctor that are about data, without those of the machine."""
    for check in _all(settings):
        if check.name not in ("disk", "limits"):
            yield check
        if check.name == "git":
            return


def files(folder: Path) -> State:
    """All files and folders below a folder."""
    kinds = [path for path in folder.rglob("*") if path.is_dir() or path.is_file()]
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in kinds}


def unlogged(folder: Path) -> State:
    """What is written without a call: SQLite's shared memory."""
    return {path: data for path, data in files(folder).items() if path.endswith("-shm")}
