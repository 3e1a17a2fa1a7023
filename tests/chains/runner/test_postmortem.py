"""A step that failed is explained: its last lines, and a command line that runs it by hand."""

from __future__ import annotations

import re
import shlex
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chains.engine.port import Cause, EngineError, Exit, Handle, Limits, Line, Mount, Network, StepSpec
from chains.podman.confinement import Confinement, command_line, confinement_options
from chains.podman.container_spec import StepUser
from chains.runner.launch import Part
from chains.runner.step_records import Postmortem
from chains.runs.records import ERROR
from tests.chains.runner.test_fan_out import fanned
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import NEVER, RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import TIME, chain

HERE = Confinement(Path("/data/a folder/seccomp.json"), network="bridge-a", api="bridge-b")
MOUNTS = (
    Mount(Path("/data/run-1/in"), "/input"),
    Mount(Path("/data/run-1/mnt/sea"), "/mnt/sea", writable=True),
    Mount(Path("/data/run-1/out"), "/output", writable=True),
)


def spec(network: Network = Network.NONE, **env: str) -> StepSpec:
    return StepSpec("1", "a", "c0ffee", env, MOUNTS, Path("/data/run-1/out"), Limits(memory=1 << 20), network)


def test_a_failed_step_tells_its_last_lines_once_and_how_to_run_it_by_hand(
    runner_setup_of: RunnerSetupOf,
) -> None:
    many = "\n".join(f"line {number}" for number in range(20))
    runner_setup = runner_setup_of(a={"ECHO": many, "EXIT": "7"})
    runner_setup.env["API_KEY"] = "a very secret word"
    log = runner_setup.log(runner_setup.run(chain("a")))
    assert [line for line in log if "line 19" in line] == ["a: line 19", log[-1]]
    (command,) = [line for line in log if "by hand" in line]
    assert "podman run --rm" in command
    assert " --env=API_KEY " in command
    assert '-v "$PWD/input:/input:ro"' in command
    assert command.endswith("# @alice/a:latest (commit c0ffee)")
    assert not any("a very secret word" in line for line in log)
    assert log[-1].startswith("a: ended with exit code 7")
    assert log[-1].endswith(" s; it printed last: line 19")


class Siblings(FakeEngine):
    """Replicas that run together: number `first` fails, the others end as `end` tells once they are stopped.

    `late`: they do so when the failure is in the book, and if not, before their stop is even answered.
    """

    def __init__(self, runner_setup: RunnerSetup, first: int, late: bool, end: Callable[[], Exit]) -> None:
        super().__init__(runner_setup.images)
        self._runner_setup, self._first, self._late, self._end = runner_setup, first, late, end
        self._together = threading.Barrier(3, timeout=NEVER)
        self._stopped = {replica: threading.Event() for replica in range(3)}
        self._through = {replica: threading.Event() for replica in range(3)}

    def _failed(self, run: int) -> bool:
        return ("b", "failed") in {
            (row.name, str(row.status)) for row in self._runner_setup.run_store.reader.steps(run)
        }

    def wait(self, handle: Handle, tell: Callable[[Line], None]) -> Exit:
        if (replica := handle.spec.replica) is None:
            return super().wait(handle, tell)
        self._together.wait()
        if replica == self._first:
            tell(Line(TIME, "stderr", "no such thing"))
            return Exit(1)
        assert self._stopped[replica].wait(NEVER)
        while self._late and not self._failed(int(handle.spec.run)):
            time.sleep(0.01)
        tell(Line(TIME, "stdout", "goodbye"))
        self._through[replica].set()
        return self._end()

    def stop(self, handle: Handle, grace: float) -> None:
        replica = handle.spec.replica
        if replica is not None and replica != self._first:
            self._stopped[replica].set()
            assert self._late or self._through[replica].wait(NEVER)


def broken() -> Exit:
    raise EngineError("The container is gone.")


@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize(
    "end, status",
    [
        (lambda: Exit(143, Cause.STOPPED), "canceled"),
        (broken, "canceled"),
        (lambda: Exit(1), "failed"),
        (lambda: Exit(0), "success"),
    ],
    ids=["stopped", "lost", "failed too", "through"],
)
def test_of_a_fan_out_the_first_failure_is_explained(
    tmp_path: Path, first: int, late: bool, end: Callable[[], Exit], status: str
) -> None:
    runner_setup = RunnerSetup(tmp_path, a={"WRITE": "x=1;y=2;z=3"}, b={})
    runner_setup.engine = Siblings(runner_setup, first, late, end)
    run = runner_setup.run(fanned("a", "b", over="b"))
    log = runner_setup.log(run)
    (command,) = [line for line in log if "to run it by hand" in line]
    assert command.startswith(f"b[{first}]: ")
    reason = rf"b\[{first}\]: {'xyz'[first]}: ended with exit code 1 after [0-9.]+ s"
    assert re.fullmatch(f"{reason}; it printed last: no such thing", log[-1])
    assert [
        line.message for line in runner_setup.run_store.reader.lines(run.key) if line.severity == ERROR
    ] == [log[-1]]
    rows = {
        row.replica: str(row.status)
        for row in runner_setup.run_store.reader.steps(run.key)
        if row.name == "b"
    }
    assert rows == {None: "failed", 0: status, 1: status, 2: status} | {first: "failed"}


def test_last_lines_are_repeated_only_where_others_came_between() -> None:
    postmortem = Postmortem(lambda spec: "podman run")
    one, other = Part("a", 0), Part("a", 1)
    for text in ("up", "down", " "):
        postmortem.remember(one, text)
    assert list(postmortem.last_lines(one)) == []
    assert postmortem.last_word(one) == "down"
    postmortem.remember(other, "between")
    assert list(postmortem.last_lines(one)) == [
        "a[0]: what it printed last:", "a[0]:   up", "a[0]:   down", "a[0]:    "
    ]  # fmt: skip
    assert list(postmortem.last_lines(other)) == []


def test_last_lines_that_did_not_fit_into_the_log_are_shown() -> None:
    postmortem = Postmortem(lambda spec: "podman run")
    postmortem.remember(Part("a"), "beyond", logged=False)
    assert list(postmortem.last_lines(Part("a"))) == ["a: what it printed last:", "a:   beyond"]


def test_a_part_that_printed_nothing_has_no_last_word() -> None:
    postmortem = Postmortem(lambda spec: "podman run")
    assert (postmortem.last_word(Part("a")), list(postmortem.last_lines(Part("a")))) == ("", [])


def test_a_line_for_the_shell_confines_as_the_step_was_and_names_no_value() -> None:
    step = spec(SVC_TOKEN="clw_secret", HOME="/root", API_KEY="hidden $word")
    line = command_line(step, HERE, "CONTAINERS_CONF=/c podman")
    made, _, run = line.partition(" && ")
    assert made == "mkdir -pm 777 ./input ./mnt/sea ./output"
    words = shlex.split(run)
    assert words[:4] == ["CONTAINERS_CONF=/c", "podman", "run", "--rm"]
    assert words[words.index("--env=HOME=/tmp") + 1 :][:2] == ["--env=API_KEY", "--env=SVC_TOKEN"]
    assert set(confinement_options(step, HERE)) <= set(words)
    assert {"--memory=1048576", "--cap-drop=all", "--network=none", "--read-only"} <= set(words)
    assert "--security-opt=seccomp=/data/a folder/seccomp.json" in words
    assert words[-1] == "c0ffee"
    assert "$PWD/mnt/sea:/mnt/sea:rw,nosuid,nodev" in words
    assert "$PWD/input:/input:ro,nosuid,nodev" in words
    assert "secret" not in line
    assert "hidden" not in line
    assert "/data/run-1" not in line


@pytest.mark.parametrize(
    "network, bridge", [(Network.OUTBOUND, "bridge-a"), (Network.API, "bridge-b")], ids=str
)
def test_a_step_with_a_network_had_it_without_version_6(network: Network, bridge: str) -> None:
    words = confinement_options(spec(network), HERE)
    assert f"--network={bridge}" in words
    assert "--sysctl=net.ipv6.conf.all.disable_ipv6=1" in words


def test_a_host_that_maps_no_users_gets_no_mapping() -> None:
    plain = Confinement(Path("s.json"), first_id=None, version_6=False)
    words = confinement_options(spec(Network.OUTBOUND), plain)
    assert not [word for word in words if "map" in word or "sysctl" in word]


def test_a_command_that_the_images_user_may_not_run_is_explained(tmp_path: Path) -> None:
    runner_setup = RunnerSetup(
        tmp_path, a={"ECHO": "ERROR (catatonit:6): failed to exec pid1: Permission denied", "EXIT": "1"}
    )
    (advice,) = [
        line
        for line in runner_setup.log(runner_setup.run(chain("a")))
        if line.startswith("a: the image's command")
    ]
    assert "chmod a+rx" in advice


def test_by_hand_a_step_is_the_user_of_its_image() -> None:
    words = confinement_options(spec(), HERE, StepUser(1000, 70))
    assert "--user=1000:70" in words
    assert [word for word in words if word.startswith("--uidmap")] == [
        "--uidmap=0:100000:1000",
        "--uidmap=1000:165532:1",
        "--uidmap=1001:101001:64531",
        "--uidmap=65532:101000:1",
        "--uidmap=65533:165533:3",
    ]
    plain = replace(HERE, first_id=None)
    assert "--user=65532:65532" in confinement_options(spec(), plain, StepUser(1000, 70))
