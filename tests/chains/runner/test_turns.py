"""What one account has queued keeps nobody else waiting for longer than one running step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chains.builds.run_store import Build
from chains.runs.states import Status
from tests.kit.runner import NEVER, RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain

LONG = {"SLEEP": "60"}


def status(runner_setup: RunnerSetup, run: int) -> Status:
    found = runner_setup.run_store.reader.by_key(run)
    assert found is not None
    return found.status


def test_a_strangers_run_does_not_wait_for_the_queue_of_another(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a=LONG, b={})
    runner_setup.settings = replace(runner_setup.settings, slots=2, drain=0.0)
    with runner_setup.working():
        queued = [runner_setup.order(chain("a"), by="mallory") for _ in range(8)]
        runner_setup.running(queued[1], "a")
        assert runner_setup.end(runner_setup.order(chain("b"), by="bob")).status is Status.SUCCESS
        assert runner_setup.end(runner_setup.order(chain("b"), by="carol")).status is Status.SUCCESS
        assert [status(runner_setup, run.key) for run in queued] == [Status.PROCESSING] * 8
        started = [runner_setup.run_store.reader.by_key(run.key).started_on is not None for run in queued]  # type: ignore[union-attr]
        assert started == [True] * 2 + [False] * 6


def test_a_strangers_step_is_the_next_where_no_slot_is_spare(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a={"SLEEP": "0.1"}, b={}, c=LONG, d=LONG, e=LONG)
    runner_setup.settings = replace(runner_setup.settings, slots=1, spare=0, drain=0.0)
    with runner_setup.working():
        greedy = runner_setup.order(chain("a", "c", "d", "e"), by="mallory")
        waiting = runner_setup.order(chain("a"), by="mallory")
        runner_setup.running(greedy, "a")
        assert runner_setup.end(runner_setup.order(chain("b"), by="bob")).status is Status.SUCCESS
        assert [status(runner_setup, run.key) for run in (greedy, waiting)] == [Status.PROCESSING] * 2


def test_only_the_first_run_of_an_account_is_taken_beyond_the_slots(runner_setup_of: RunnerSetupOf) -> None:
    runner_setup = runner_setup_of(a=LONG)
    runner_setup.settings = replace(runner_setup.settings, slots=2, spare=0, accounts=2, drain=0.0)
    for account in "aabbcde":
        runner_setup.order(chain("a"), by=account)
    with runner_setup.working():
        taken: list[str] = []
        while len(taken) < 4:
            taken = [run.by for run in runner_setup.run_store.retention.open_runs() if run.worker is not None]
    assert taken == list("abcd")


class Site(RunnerSetup):
    """Builds that end on request."""

    def make(self, build: Build) -> None:
        super().make(build)
        if len(self.built) == 1:
            for number in range(3):
                self.builds.queue(1, ["main"], "refs/heads/main", f"m{number}", "mallory")
            self.builds.queue(2, ["main"], "refs/heads/main", "b", "bob")


def test_the_next_build_is_of_who_waited_for_a_turn_however_many_branches_another_pushed(
    tmp_path: Path,
) -> None:
    runner_setup = Site(tmp_path)
    runner_setup.builds.queue(1, ["main"], "refs/heads/main", "m", "mallory")
    last = runner_setup.builds.queue(3, ["main"], "refs/heads/main", "z", "zoe")
    with runner_setup.working():
        for number in range(1, last + 5):
            while runner_setup.builds.get(number) is None or not list(
                runner_setup.builds.follow(number, NEVER)
            ):
                pass
    assert [build.by for build in runner_setup.built] == [
        "mallory",
        "zoe",
        "bob",
        "mallory",
        "mallory",
        "mallory",
    ]
