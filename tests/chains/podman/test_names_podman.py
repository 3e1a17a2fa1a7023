"""Odd names and deep folders in real containers: what may be a name passes, what may not is named."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from chains.files.names import DEEPEST
from chains.plan.model import MountedSpace
from chains.runs.records import Run
from chains.runs.states import Status
from chains.spaces.space import Changed, Snapshot
from tests.chains.podman.test_runner_podman import PodmanRunnerSetup, runner_setup
from tests.kit.file_trees import NASTY
from tests.kit.suites.chains import chain

__all__ = ["runner_setup"]

pytestmark = pytest.mark.podman

TEXTS = {path: body.decode() for path, body in NASTY.items()}
COPY = "cp -r /input/. /output/"


class NastySpace:
    """The space 5 with odd names, mounted as `/mnt/n`; what was written back of it."""

    def __init__(self) -> None:
        self.written: dict[str, bytes] | None = None

    def spaces(self, run: Run) -> Sequence[MountedSpace]:
        return (MountedSpace("n", 5, True, "alice", "notes"),)

    def room(self, space: int) -> int:
        return 1 << 20

    def export(self, space: int, target: Path) -> Snapshot:
        for path, body in NASTY.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(body)
        return {path: sha256(body).hexdigest() for path, body in NASTY.items()}

    def write_back(self, changes: Iterable[Changed]) -> None:
        (change,) = changes
        self.written = {file.rel: file.path.read_bytes() for file in change.files.files}


def zipped(content: bytes | None) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content or b"")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("fan_out", [False, True])
def test_odd_names_pass_from_step_to_step(runner_setup: PodmanRunnerSetup, fan_out: bool) -> None:
    runner_setup.script("a", COPY)
    runner_setup.script("b", COPY)
    plan = chain("a", "b")
    plan = replace(plan, steps=tuple(replace(one, fan_out=fan_out and one.name == "b") for one in plan.steps))
    run = runner_setup.run(plan, TEXTS)
    assert run.status is Status.SUCCESS, runner_setup.log(run)
    assert zipped(runner_setup.output(run)) == NASTY
    assert not any("dropped" in line for line in runner_setup.log(run))


def test_what_a_step_did_not_touch_in_a_space_stays(runner_setup: PodmanRunnerSetup) -> None:
    space = NastySpace()
    runner_setup.mounting = space
    runner_setup.script("a", "echo nothing")
    assert runner_setup.run(chain("a")).status is Status.SUCCESS
    assert space.written == NASTY


@pytest.mark.parametrize(
    "script,said",
    [
        ("p=/output; for i in $(seq 64); do p=$p/d; done; mkdir -p $p; echo x > $p/x", "this one 65"),
        ("cd /output; for i in $(seq 130); do mkdir d; cd d; done; echo x > x", "which is too deep"),
        ("cd /output; for i in $(seq 3000); do mkdir d; cd d; done; sleep 60", "which is too deep"),
        ("cd /mnt/n; for i in $(seq 130); do mkdir d; cd d; done; echo x > x", "it left /mnt/n/d/d/"),
        ("touch '/mnt/n/back\\slash'", "it left /mnt/n/back\\slash, which cannot be stored"),
        ("touch $(printf '/output/caf\\351')", "it left /output/caf\ufffd, which cannot be stored"),
    ],
)
def test_what_may_be_no_name_fails_its_step(runner_setup: PodmanRunnerSetup, script: str, said: str) -> None:
    space = NastySpace()
    runner_setup.mounting = space
    runner_setup.script("a", script)
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    line = next(line for line in runner_setup.log(run) if said in line)
    assert line.startswith("a: ")
    assert ("deep" not in said and "65" not in said) or f"at most {DEEPEST} levels" in line
    assert space.written is None
