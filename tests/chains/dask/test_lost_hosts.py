"""Every loss of the table in chapter dask, at every moment of a step, with a runner and its book.

The run ends as lost, nothing is begun twice, nothing is left, and a repeated trigger has separate output.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from chains.dask.engine import DaskEngine
from chains.runs.records import Run
from chains.runs.states import Status
from chains.sharing.run_files import KeptRunFiles
from storage.bytes.blobs import FileBlobs
from storage.bytes.seal import AesSeal
from tests.kit.clocks import WallClock, until
from tests.kit.dask.certificates import make_certificates
from tests.kit.dask.fakes import ListedImages
from tests.kit.dask.parts import IMAGES, begun, part
from tests.kit.hosts.cables import Cable, cables
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [
    pytest.mark.repeats,
    pytest.mark.podman,
    # distributed does not close the socket of a connection that a killed scheduler refuses.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
    ),
]

PORT = 28788
LONGER = 20.0
"""Seconds that are longer than any timeout between the hosts."""


class Hosts:
    """A scheduler and a worker, each on a separate host; a process that ends is restarted."""

    def __init__(self, folder: Path, cables: tuple[Cable, ...], stack: ExitStack) -> None:
        self.certificates = make_certificates(folder / "tls")
        self.runner, self.scheduler, self.worker = cables
        self.folder, self.address = folder, f"tls://{self.scheduler.address}:{PORT}"
        self._stack = stack
        self._parts: dict[str, subprocess.Popen[str]] = {}
        self.repair()

    def repair(self) -> None:
        """Mend all cables, and begin what has ended, as systemd does."""
        for cable in (self.runner, self.scheduler, self.worker):
            cable.repair()
        for kind, cable in (("scheduler", self.scheduler), ("worker", self.worker)):
            if kind not in self._parts or self._parts[kind].poll() is not None:
                begin = part(self.folder, kind, self.address, kind, *cable.inside)
                self._parts[kind] = self._stack.enter_context(begin)

    def kill(self, kind: str) -> None:
        """End a host's part at once, and the part that ends without it."""
        self._parts[kind].kill()
        self._parts[kind].wait()
        if kind == "scheduler":
            assert self._parts["worker"].wait(30) == 1

    def cut(self, cable: Cable) -> None:
        """Have the cable of a host cut for longer than any timeout, and then be mended."""
        cable.cut()
        time.sleep(LONGER)
        cable.repair()
        if cable is not self.runner:
            assert self._parts["worker"].wait(30) == 1

    def containers(self) -> list[str]:
        """What is left on the worker's host."""
        return [path.name for path in (self.folder / "worker" / "containers").glob("*")]


class FarRunnerSetup(RunnerSetup):
    """A runner setup whose steps run on the worker; it claims nothing while there is none."""

    def __init__(self, folder: Path, hosts: Hosts) -> None:
        self.dask = DaskEngine(
            hosts.address,
            hosts.certificates,
            ListedImages(IMAGES),
            KeptRunFiles(FileBlobs(f"osfs://{hosts.folder / 'blobs'}", WallClock())),
            AesSeal(bytes(32)),
            str,
        )
        self.hosts = hosts
        super().__init__(folder)
        self.engine = self.dask

    @property
    def trouble(self) -> str | None:  # type: ignore[override]
        return self.dask.repair()

    @trouble.setter
    def trouble(self, value: str | None) -> None:
        assert value is None


LOSSES: dict[str, Callable[[Hosts], None]] = {
    "worker killed": lambda hosts: hosts.kill("worker"),
    "worker cut off": lambda hosts: hosts.cut(hosts.worker),
    "scheduler killed": lambda hosts: hosts.kill("scheduler"),
    "scheduler cut off": lambda hosts: hosts.cut(hosts.scheduler),
    "runner cut off": lambda hosts: hosts.cut(hosts.runner),
}


@pytest.fixture
def runner_setup(tmp_path: Path) -> Iterator[FarRunnerSetup]:
    with cables(2) as laid, ExitStack() as stack:
        hosts = Hosts(tmp_path, laid, stack)
        runner_setup = FarRunnerSetup(tmp_path / "runner", hosts)
        stack.callback(runner_setup.dask.close)
        assert until(runner_setup.dask.repair, lambda trouble: trouble is None) is None
        yield runner_setup


def ordered(runner_setup: FarRunnerSetup, text: str, **script: str) -> Run:
    """A run of one step that copies a text and does what the words say."""
    runner_setup.env = script
    return runner_setup.order(chain("a"), {"birds.txt": text})


@pytest.mark.parametrize("lost", LOSSES)
@pytest.mark.parametrize("moment", ["before it begins", "while it runs", "after its end"])
def test_what_is_lost_ends_a_step_once_and_leaves_nothing(
    runner_setup: FarRunnerSetup, lost: str, moment: str
) -> None:
    hosts = runner_setup.hosts
    with runner_setup.working():
        if moment == "after its end":
            first = runner_setup.end(ordered(runner_setup, "first"))
            LOSSES[lost](hosts)
            assert first.status is Status.SUCCESS
            assert runner_setup.output(first) == b"first"
        else:
            slow = {"SLOW": "6"} if moment == "before it begins" else {"SLEEP": "120"}
            run = ordered(runner_setup, "first", **slow)
            if "SLOW" in slow:
                assert until((hosts.folder / "prepared").exists, bool, 30)
            else:
                assert until(lambda: "a: on" in runner_setup.log(run), bool, 30)
            LOSSES[lost](hosts)
            first = runner_setup.end(run)
            assert first.status is Status.FAILED
            assert (
                "that is no fault of the job: trigger it again with the same input"
                in runner_setup.log(first)[-1]
            )
            assert first.output is None
        hosts.repair()
        assert until(runner_setup.dask.repair, lambda trouble: trouble is None, 60) is None
        second = runner_setup.end(ordered(runner_setup, "second"))
        assert second.status is Status.SUCCESS, runner_setup.log(second)
        assert runner_setup.output(second) == b"second"
        assert until(hosts.containers, lambda left: not left, 30) == []
    assert runner_setup.leftovers() == []
    runs = [] if moment == "before it begins" else [str(first.key)]
    assert begun(hosts.folder) == [*runs, str(second.key)]
