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
from chains.spaces.space import Changed, Snapshot
from tests.chains.podman.test_runner_podman import PodmanRunnerSetup, runner_setup
from tests.kit.runner import NEVER
from tests.kit.suites.chains import chain

__all__ = ["runner_setup"]

pytestmark = pytest.mark.podman


def composed(plan: Plan) -> Plan:
    """The plan with its steps `sub__...` as those of a referenced job."""
    steps = tuple(replace(s, parent="sub" if s.name.startswith("sub__") else None) for s in plan.steps)
    return replace(plan, steps=steps, composed=(ComposedStep("sub", "alice", "inner", 7, "Inner", None),))


def test_a_hundred_files_go_through_one_fan_out(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script(
        "a", "cd /input; test $(ls | wc -l) = 1; for f in *; do tr a-z A-Z < $f > /output/$f; done"
    )
    plan = chain("a")
    plan = replace(plan, steps=(replace(plan.steps[0], fan_out=True),))
    run = runner_setup.run(plan, {f"{number:03}.txt": f"bird {number}\n" for number in range(100)})
    assert run.status is Status.SUCCESS, runner_setup.log(run)[-5:]
    with zipfile.ZipFile(io.BytesIO(runner_setup.output(run) or b"")) as archive:
        assert len(archive.namelist()) == 100
        assert archive.read("042.txt") == b"BIRD 42\n"


def test_a_hold_is_continued_with_an_edited_file(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "echo draft > /output/letter")
    runner_setup.script("b", "rev < /input/letter > /output/letter")
    plan = replace(chain("a", "b"), holds=(Hold("a", Phase.AFTER, 0, ("a",)),))
    with runner_setup.working():
        run = runner_setup.order(plan)
        assert (
            runner_setup.run_store.waits.wait(run.key, lambda status: status is Status.WAITING, NEVER)
            is Status.WAITING
        )
        runner_setup.hold_files.files["a-after"]["letter"] = "mended\n"
        runner_setup.run_store.states.settle(run.key, Event.CONTINUE, "carol", 1)
        run = runner_setup.end(run)
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"dednem\n")


def test_a_job_as_a_step_knows_its_run(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "echo $SVC_JOB_RUN > /output/outer")
    runner_setup.script("sub__b", "cp /input/outer /output; echo $SVC_JOB_RUN > /output/inner")
    plan = chain("a", "sub__b")
    run = runner_setup.run(composed(plan))
    (child,) = runner_setup.run_store.reader.children(run.key)
    assert child.status is Status.SUCCESS
    with zipfile.ZipFile(io.BytesIO(runner_setup.output(run) or b"")) as archive:
        outputs = {name: archive.read(name).decode().strip() for name in archive.namelist()}
    assert outputs == {"outer": run.id, "inner": child.id}


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


def test_a_step_writes_into_a_space(runner_setup: PodmanRunnerSetup) -> None:
    space = OneSpace()
    runner_setup.mounting = space
    runner_setup.script("a", "rm /mnt/n/gone; echo new > /mnt/n/new; cat /mnt/n/kept > /output/kept")
    run = runner_setup.run(chain("a"))
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"1"), runner_setup.log(run)
    assert space.files == {"kept": "1", "new": "new\n"}


def test_a_step_cannot_fill_the_disk_through_a_space(runner_setup: PodmanRunnerSetup) -> None:
    space = OneSpace()
    runner_setup.mounting = space
    flood = "i=0; while :; do head -c 8000000 /dev/zero > /mnt/n/$i || exit 3; i=$((i+1)); done"
    runner_setup.script("a", f"sleep 0.2; {flood}")
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    assert any("wrote more to /mnt/n than the space may take" in line for line in runner_setup.log(run))
    assert space.files == {"kept": "1", "gone": "2"}


def test_a_space_that_is_mounted_to_be_read_cannot_be_written(runner_setup: PodmanRunnerSetup) -> None:
    space = OneSpace()
    runner_setup.mounting = space
    tries = (
        "echo no > /mnt/n/new",
        "echo no > /mnt/n/kept",
        "rm /mnt/n/gone",
        "mkdir /mnt/n/d",
        "mount -o remount,rw /mnt/n",
    )
    runner_setup.script(
        "sub__b",
        "; ".join(f"({word}) && echo written" for word in tries) + "; cat /mnt/n/kept > /output/kept",
    )
    run = runner_setup.run(composed(chain("sub__b")))
    assert (run.status, runner_setup.output(run)) == (Status.SUCCESS, b"1"), runner_setup.log(run)
    log = runner_setup.log(run)
    assert sum("Read-only file system" in line for line in log) >= 4, log
    assert not any("written" in line for line in log)
    assert space.files == {"kept": "1", "gone": "2"}
