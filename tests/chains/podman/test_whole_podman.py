"""Fan-outs, holds, jobs as steps and spaces with real containers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chains.language.ast import Phase
from chains.plan.model import ComposedStep, Hold, MountedSpace, Plan
from chains.runs.records import Run
from chains.runs.states import Event, Status
from chains.spaces.ports import Changed, Snapshot
from tests.chains.podman.test_runner_podman import PodmanYard, yard
from tests.kit.runner import NEVER
from tests.kit.suites.chains import chain

__all__ = ["yard"]

pytestmark = pytest.mark.podman


def composed(plan: Plan) -> Plan:
    """The plan with its steps `sub__...` as those of a referenced job."""
    steps = tuple(replace(s, parent="sub" if s.name.startswith("sub__") else None) for s in plan.steps)
    return replace(plan, steps=steps, composed=(ComposedStep("sub", "alice", "inner", 7, "Inner", None),))


def test_a_hundred_files_go_through_one_fan_out(yard: PodmanYard) -> None:
    yard.script("a", "cd /input; test $(ls | wc -l) = 1; for f in *; do tr a-z A-Z < $f > /output/$f; done")
    plan = chain("a")
    plan = replace(plan, steps=(replace(plan.steps[0], fan_out=True),))
    run = yard.run(plan, {f"{number:03}.txt": f"bird {number}\n" for number in range(100)})
    assert run.status is Status.SUCCESS, yard.log(run)[-5:]
    with zipfile.ZipFile(io.BytesIO(yard.output(run) or b"")) as archive:
        assert len(archive.namelist()) == 100
        assert archive.read("042.txt") == b"BIRD 42\n"


def test_a_hold_is_continued_with_an_edited_file(yard: PodmanYard) -> None:
    yard.script("a", "echo draft > /output/letter")
    yard.script("b", "rev < /input/letter > /output/letter")
    plan = replace(chain("a", "b"), holds=(Hold("a", Phase.AFTER, 0, ("a",)),))
    with yard.working():
        run = yard.order(plan)
        assert yard.book.waits.wait(run.key, lambda status: status is Status.WAITING, NEVER) is Status.WAITING
        yard.hold_files.files["a-after"]["letter"] = "mended\n"
        yard.book.states.settle(run.key, Event.CONTINUE, "carol", 1)
        run = yard.end(run)
    assert (run.status, yard.output(run)) == (Status.SUCCESS, b"dednem\n")


def test_a_job_as_a_step_is_told_its_own_run(yard: PodmanYard) -> None:
    yard.script("a", "echo $SVC_JOB_RUN > /output/outer")
    yard.script("sub__b", "cp /input/outer /output; echo $SVC_JOB_RUN > /output/inner")
    plan = chain("a", "sub__b")
    run = yard.run(composed(plan))
    (child,) = yard.book.reader.children(run.key)
    assert child.status is Status.SUCCESS
    with zipfile.ZipFile(io.BytesIO(yard.output(run) or b"")) as archive:
        told = {name: archive.read(name).decode().strip() for name in archive.namelist()}
    assert told == {"outer": run.id, "inner": child.id}


class OneSpace:
    """A space with the number 5, mounted as `/mnt/n` by the run, and to be read alone by its child runs."""

    def __init__(self) -> None:
        self.files = {"kept": "1", "gone": "2"}

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        return (MountedSpace("n", 5, run.parent is None, "alice", "notes"),)

    def room(self, space: int) -> int:
        return 1 << 20

    def export(self, space: int, target: Path) -> Snapshot:
        for name, text in self.files.items():
            (target / name).write_text(text)
        return self.files

    def write_back(self, changes: Iterable[Changed]) -> None:
        (change,) = changes
        self.files = {file.rel: file.path.read_text() for file in change.files.files}


def test_a_step_writes_into_a_space(yard: PodmanYard) -> None:
    space = OneSpace()
    yard.mounting = space
    yard.script("a", "rm /mnt/n/gone; echo new > /mnt/n/new; cat /mnt/n/kept > /output/kept")
    run = yard.run(chain("a"))
    assert (run.status, yard.output(run)) == (Status.SUCCESS, b"1"), yard.log(run)
    assert space.files == {"kept": "1", "new": "new\n"}


def test_a_step_cannot_fill_the_disk_through_a_space(yard: PodmanYard) -> None:
    space = OneSpace()
    yard.mounting = space
    flood = "i=0; while :; do head -c 8000000 /dev/zero > /mnt/n/$i || exit 3; i=$((i+1)); done"
    yard.script("a", f"sleep 0.2; {flood}")
    run = yard.run(chain("a"))
    assert run.status is Status.FAILED
    assert any("wrote more to /mnt/n than the space may take" in line for line in yard.log(run))
    assert space.files == {"kept": "1", "gone": "2"}


def test_a_space_that_is_mounted_to_be_read_cannot_be_written(yard: PodmanYard) -> None:
    space = OneSpace()
    yard.mounting = space
    tries = (
        "echo no > /mnt/n/new",
        "echo no > /mnt/n/kept",
        "rm /mnt/n/gone",
        "mkdir /mnt/n/d",
        "mount -o remount,rw /mnt/n",
    )
    yard.script(
        "sub__b",
        "; ".join(f"({word}) && echo written" for word in tries) + "; cat /mnt/n/kept > /output/kept",
    )
    run = yard.run(composed(chain("sub__b")))
    assert (run.status, yard.output(run)) == (Status.SUCCESS, b"1"), yard.log(run)
    log = yard.log(run)
    assert sum("Read-only file system" in line for line in log) >= 4, log
    assert not any("written" in line for line in log)
    assert space.files == {"kept": "1", "gone": "2"}
