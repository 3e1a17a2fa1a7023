"""The runner with real containers: files from step to step, joins, cancels, limits, nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chains.engine.port import Engine, Handle, Mount, Network, StepSpec
from chains.plan.model import MountedSpace, StepConfig
from chains.runner.policy import RunnerSettings, StepPolicy
from chains.runs.states import Status
from chains.spaces.space import Changed, Snapshot
from tests.chains.runner.test_retry import tried
from tests.kit.podman import Bench
from tests.kit.runner import NoSpaces, RunnerSetup
from tests.kit.suites.chains import chain
from tests.kit.suites.chains.engines import SCRIPT, EngineSuite

pytestmark = pytest.mark.podman


class TestPodmanEngine(EngineSuite):
    @pytest.fixture(autouse=True)
    def keep(self, podman_bench: Bench) -> None:
        self.bench = podman_bench

    def engine(self) -> Engine:
        return self.bench.engine

    def spec(self, **words: str) -> StepSpec:
        spec = self.bench.step(SCRIPT, run="1", seconds=20, memory=64 << 20)
        return StepSpec("1", "a", spec.image, words, spec.mounts, spec.output, spec.limits)


class PodmanRunnerSetup(RunnerSetup):
    """A runner setup whose steps run in containers; an image is a shell script."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        super().__init__(folder)
        self.engine = bench.engine
        self._bench = bench
        self.settings = RunnerSettings(slots=4, policy=StepPolicy(network=Network.NONE, stop_grace=0.5))

    def script(self, name: str, script: str) -> None:
        """What the step `name` does."""
        image = self._bench.image(script)
        self.images[f"image-{name}"] = {"id": image}
        self._bench.podman.call(
            "post", f"/images/{image}/tag", query={"repo": f"image-{name}", "tag": "latest"}
        )

    def containers(self) -> list[str]:
        answer = self._bench.podman.call("get", "/containers/json", query={"all": "true"})
        return [json.dumps(container["Names"]) for container in answer.body]


@pytest.fixture
def runner_setup(podman_bench: Bench, tmp_path: Path) -> Iterator[PodmanRunnerSetup]:
    runner_setup = PodmanRunnerSetup(tmp_path, podman_bench)
    yield runner_setup
    assert runner_setup.containers() == []
    assert runner_setup.leftovers() == []
    runner_setup.database.close()


def test_a_chain_of_two_hands_real_files_on(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script(
        "a", "echo reading; tr a-z A-Z < /input/birds.txt > /output/birds.txt; id -u > /output/who"
    )
    runner_setup.script(
        "b",
        "cd /input; for f in *; do rev < $f > /output/$f; done; rm /output/who; touch /input/x || echo no",
    )
    run = runner_setup.run(chain("a", "b"), {"birds.txt": "curlew\n"})
    assert run.status is Status.SUCCESS, runner_setup.log(run)
    assert runner_setup.output(run) == b"WELRUC\n"
    log = runner_setup.log(run)
    assert "a: reading" in log
    assert "b: no" in log
    assert log[0] == "Chain: a -> b"
    assert log[-1].startswith("b: ended with exit code 0")


def test_a_crashed_runners_containers_are_swept_before_any_work(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "exec sleep 60")
    run = runner_setup.order(chain("a"))
    runner_setup.run_store.leases.enlist("gone", runner_setup.folders.home(), 60)
    assert runner_setup.run_store.queue.take("gone") is not None
    folder = runner_setup.folders.take(run.key, run.input)
    mounts = (Mount(folder.output("a"), "/output", writable=True),)
    spec = StepSpec(str(run.key), "a", "image-a", {}, mounts, folder.output("a"), network=Network.NONE)
    runner_setup.engine.start(runner_setup.engine.prepare(spec))
    assert len(runner_setup.containers()) == 1
    with runner_setup.working():
        assert runner_setup.end(run).status is Status.FAILED
        assert runner_setup.containers() == []


class OneSpace(NoSpaces):
    """One space that is mounted with `rw`, and what is written back to it."""

    def __init__(self, text: str) -> None:
        self.files = {"count.txt": text}
        self.written: list[dict[str, str]] = []

    def room(self, space: int) -> int:
        return 1 << 20

    def export(self, space: int, target: Path) -> Snapshot:
        for name, text in self.files.items():
            (target / name).write_text(text)
        return dict.fromkeys(self.files, "")

    def write_back(self, changes: Iterable[Changed]) -> None:
        found = [{file.rel: file.path.read_text() for file in change.files.files} for change in changes]
        self.written += found


class Numbered:
    """An engine that tells a step the number of its attempt, as the outside would by failing less often."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.attempts = 0

    def prepare(self, spec: StepSpec) -> Handle:
        self.attempts += 1
        env = {**spec.env, "ATTEMPT": str(self.attempts)}
        return self._engine.prepare(replace(spec, env=env, public=spec.public | {"ATTEMPT"}))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


def test_a_flaky_step_succeeds_the_third_time_and_its_space_has_only_that(
    runner_setup: PodmanRunnerSetup,
) -> None:
    runner_setup.mounting = space = OneSpace("0")
    runner_setup.engine = engine = Numbered(runner_setup.engine)  # type: ignore[assignment]
    runner_setup.script(
        "a",
        "echo found $(ls /output /mnt/s) $(cat /mnt/s/count.txt); echo $ATTEMPT >/output/out$ATTEMPT; "
        "mkdir /output/folder; echo $ATTEMPT >/mnt/s/count.txt; echo $ATTEMPT >/mnt/s/new$ATTEMPT; "
        "[ $ATTEMPT = 3 ] || exit 9",
    )
    runner_setup.script("b", "cp /input/out* /output/")
    plan = tried(chain("a", "b"), a=StepConfig(retries=3, backoff=0.05))
    run = runner_setup.run(replace(plan, mounts=(MountedSpace("s", 5, True, "alice", "s"),)))
    assert (run.status, runner_setup.output(run), engine.attempts) == (Status.SUCCESS, b"3\n", 4)
    found = [line for line in runner_setup.log(run) if "found" in line]
    assert len(found) == 3 and set(found) == {"a: found /mnt/s: count.txt /output: 0"}, found
    assert space.written[0] == {"count.txt": "3\n", "new3": "3\n"}
