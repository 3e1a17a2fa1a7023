"""What one account has queued keeps nobody else waiting for longer than one running step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chains.builds.book import Build
from chains.runs.states import Status
from tests.kit.runner import NEVER, Yard, YardOf
from tests.kit.suites.chains import chain

LONG = {"SLEEP": "60"}


def status(yard: Yard, run: int) -> Status:
    found = yard.book.reader.by_key(run)
    assert found is not None
    return found.status


def test_a_strangers_run_does_not_wait_for_the_queue_of_another(yard_of: YardOf) -> None:
    yard = yard_of(a=LONG, b={})
    yard.settings = replace(yard.settings, slots=2, drain=0.0)
    with yard.working():
        queued = [yard.order(chain("a"), by="mallory") for _ in range(8)]
        yard.running(queued[1], "a")
        assert yard.end(yard.order(chain("b"), by="bob")).status is Status.SUCCESS
        assert yard.end(yard.order(chain("b"), by="carol")).status is Status.SUCCESS
        assert [status(yard, run.key) for run in queued] == [Status.PROCESSING] * 8
        started = [yard.book.reader.by_key(run.key).started_on is not None for run in queued]  # type: ignore[union-attr]
        assert started == [True] * 2 + [False] * 6


def test_a_strangers_step_is_the_next_where_no_slot_is_spare(yard_of: YardOf) -> None:
    yard = yard_of(a={"SLEEP": "0.1"}, b={}, c=LONG, d=LONG, e=LONG)
    yard.settings = replace(yard.settings, slots=1, spare=0, drain=0.0)
    with yard.working():
        greedy = yard.order(chain("a", "c", "d", "e"), by="mallory")
        waiting = yard.order(chain("a"), by="mallory")
        yard.running(greedy, "a")
        assert yard.end(yard.order(chain("b"), by="bob")).status is Status.SUCCESS
        assert [status(yard, run.key) for run in (greedy, waiting)] == [Status.PROCESSING] * 2


def test_only_the_first_run_of_an_account_is_taken_beyond_the_slots(yard_of: YardOf) -> None:
    yard = yard_of(a=LONG)
    yard.settings = replace(yard.settings, slots=2, spare=0, accounts=2, drain=0.0)
    for account in "aabbcde":
        yard.order(chain("a"), by=account)
    with yard.working():
        taken: list[str] = []
        while len(taken) < 4:
            taken = [run.by for run in yard.book.retention.open_runs() if run.worker is not None]
    assert taken == list("abcd")


class Site(Yard):
    """Builds that end when they are told to."""

    def make(self, build: Build) -> None:
        super().make(build)
        if len(self.built) == 1:
            for number in range(3):
                self.builds.queue(1, ["main"], "refs/heads/main", f"m{number}", "mallory")
            self.builds.queue(2, ["main"], "refs/heads/main", "b", "bob")


def test_the_next_build_is_of_who_waited_for_a_turn_however_many_branches_another_pushed(
    tmp_path: Path,
) -> None:
    yard = Site(tmp_path)
    yard.builds.queue(1, ["main"], "refs/heads/main", "m", "mallory")
    last = yard.builds.queue(3, ["main"], "refs/heads/main", "z", "zoe")
    with yard.working():
        for number in range(1, last + 5):
            while yard.builds.get(number) is None or not list(yard.builds.follow(number, NEVER)):
                pass
    assert [build.by for build in yard.built] == ["mallory", "zoe", "bob", "mallory", "mallory", "mallory"]
