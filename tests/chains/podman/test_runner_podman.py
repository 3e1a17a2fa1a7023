"""The runner with real containers: files from step to step, joins, cancels, limits, nothing left behind."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chains.engine.port import Engine, Mount, Network, StepSpec
from chains.runner.policy import RunnerSettings, StepPolicy
from chains.runs.records import Run
from chains.runs.states import Status
from tests.kit.podman import Bench
from tests.kit.runner import RunnerSetup
from tests.kit.suites.chains import chain
from tests.kit.suites.chains.engines import SCRIPT, EngineSuite

pytestmark = pytest.mark.podman

DIAMOND = chain("a", "b", "c", "d", edges=[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


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


def timed(act: Callable[[], Run]) -> tuple[Run, float]:
    started = time.monotonic()
    return act(), time.monotonic() - started


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


def test_a_join_reads_each_predecessors_files_in_a_folder(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "echo seed > /output/x")
    runner_setup.script("b", "sed s/$/b/ /input/x > /output/x; ln -s /etc/passwd /output/link")
    runner_setup.script("c", "sed s/$/c/ /input/x > /output/x")
    runner_setup.script(
        "d", "cd /input; find . -type f -o -type l | sort > /output/list; cat b/x c/x >> /output/list"
    )
    run = runner_setup.run(DIAMOND)
    assert run.status is Status.SUCCESS, runner_setup.log(run)
    assert runner_setup.output(run) == b"./b/x\n./c/x\nseedb\nseedc\n"
    assert "b: dropped link from /output: it is a link" in runner_setup.log(run)


def test_a_sleeping_step_is_canceled_at_once(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "echo on; exec sleep 60")
    runner_setup.script("b", "true")
    with runner_setup.working():
        run = runner_setup.order(chain("a", "b"))
        runner_setup.running(run, "a")
        runner_setup.cancel(run)
        ended, seconds = timed(lambda: runner_setup.end(run))
        assert ended.status is Status.CANCELED
        assert seconds < 20


def test_a_step_that_ignores_sigterm_is_killed_after_the_grace(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "trap '' TERM; echo deaf; while :; do sleep 1; done")
    with runner_setup.working():
        run = runner_setup.order(chain("a"))
        while "a: deaf" not in runner_setup.log(run):
            runner_setup.run_store.waits.follow(run.key, len(runner_setup.log(run)), 5)
        runner_setup.cancel(run)
        ended, seconds = timed(lambda: runner_setup.end(run))
        assert ended.status is Status.CANCELED
        assert 0.4 <= seconds < 30


def test_a_step_that_needs_too_much_memory_fails_and_the_log_says_so(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.limit(memory=32 << 20)
    runner_setup.script("a", "tail /dev/zero")
    run = runner_setup.run(chain("a"))
    assert run.status is Status.FAILED
    assert "more than 32 MiB of memory" in runner_setup.log(run)[-1]


def test_a_failing_step_and_a_missing_image_fail_the_run(runner_setup: PodmanRunnerSetup) -> None:
    runner_setup.script("a", "echo broke >&2; exit 3")
    failed = runner_setup.run(chain("a", "b"))
    assert failed.status is Status.FAILED
    assert runner_setup.log(failed)[-1].startswith("a: ended with exit code 3")
    missing = runner_setup.run(chain("nobody"))
    assert missing.status is Status.FAILED
    assert "is not there" in runner_setup.log(missing)[-1]


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
