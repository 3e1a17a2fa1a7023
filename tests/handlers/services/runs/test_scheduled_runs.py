"""Schedules order runs as triggers do, once each, and a job that keeps failing is paused."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from chains.runs.records import Order
from chains.runs.states import Event, Status
from handlers.processes.timer import timer_of
from handlers.services.runs.run_ends import PAUSED
from handlers.services.runs.scheduled_runs import fire, remarks
from tests.handlers.household import Household
from tests.kit.counting.statements import Statements
from tests.kit.service import running
from tests.kit.suites.chains import at_once
from vfs.access import Verb
from vfs.errors import Unavailable
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

SECONDS = 120.0
ENABLED = "/v1/code/jobs/nightly/config/enabled"
SCHEDULE = "/v1/code/jobs/nightly/config/schedule"


class TestFiring:
    def test_a_run_is_ordered_as_by_any_trigger(self, household: Household) -> None:
        job = household.job()
        household.pass_minutes(0)
        assert household.runs(job) == []
        household.pass_minutes(1)
        (run,) = household.runs(job)
        assert (run.status, run.trigger, run.source, run.by) == (
            Status.PROCESSING, "schedule", "scheduler", "alice",
        )  # fmt: skip
        assert (run.input, run.author, run.id[:15]) == (None, "alice", "20260102-030505")
        whole = household.world.code.runs.reader.by_key(run.key)
        assert whole is not None
        assert whole.plan is not None
        assert whole.plan.steps[0].source.image_id == "image-count"
        assert [row.name for row in household.world.code.runs.reader.steps(run.key)] == ["count"]
        assert list(remarks(household.world, run)) == []

    def test_nobody_else_may_be_the_one_who_asks(self, household: Household) -> None:
        job = household.job()
        household.share(job, "bob", "rwx")
        household.write("bob", "/v1/users/alice/code/jobs/nightly/config/schedule", "*/2 * * * *")
        household.pass_minutes(2)
        assert [run.by for run in household.runs(job)] == ["alice"]

    def test_a_chain_that_may_not_be_used_is_rejected_and_told(self, household: Household) -> None:
        household.image("carol", "private")
        job = household.job(chain="@carol/private")
        household.pass_minutes(1)
        (run,) = household.runs(job)
        assert run.status is Status.REJECTED
        assert household.log(run) == ["@alice may not use @carol/private: its owner has to share it with x"]
        assert [(told.notice.kind, told.path) for told in household.told("alice")] == [
            ("rejected", f"/v1/users/alice/code/jobs/nightly/runs/{run.id}")
        ]
        assert household.world.code.runs.reader.failures(job) == 0

    def test_a_job_without_a_chain_has_a_run_without_a_plan(self, household: Household) -> None:
        job = household.job(chain="")
        household.pass_minutes(1)
        (run,) = household.runs(job)
        assert (run.status, run.plan) == (Status.PROCESSING, None)

    def test_the_log_of_a_late_run_says_so(self, household: Household) -> None:
        job = household.job(schedule="10 * * * *")
        household.pass_minutes(0)
        household.pass_minutes(40)
        (run,) = household.runs(job)
        assert list(remarks(household.world, run)) == [
            "This run was planned for 2026-01-02T03:10:00.000Z and comes 34 minutes late: "
            "the scheduler was down then."
        ]
        household.pass_minutes(30)
        assert list(remarks(household.world, household.runs(job)[1])) != []

    def test_a_runner_writes_that_below_the_chain(self, household: Household) -> None:
        job, world = household.job(schedule="10 * * * *"), household.world
        household.clock.forward(40 * 60)
        with running(world.service.settings, household.house):
            seen = 0
            while not household.runs(job):
                seen = world.code.runs.queue.await_work(seen, SECONDS)
            (run,) = household.runs(job)
            assert world.code.runs.waits.wait(run.key, lambda status: status.ended, SECONDS).ended
        log = household.log(run)
        assert log[0] == "Chain: count"
        assert [line for line in log if "34 minutes late" in line] == [log[2]]

    def test_what_is_an_hour_late_is_skipped(
        self, household: Household, caplog: pytest.LogCaptureFixture
    ) -> None:
        job = household.job(schedule="10 3 * * *")
        household.pass_minutes(0)
        with caplog.at_level(logging.WARNING, logger="curlew"):
            household.pass_minutes(66)
        assert household.runs(job) == []
        assert "alice/nightly" in caplog.text
        household.pass_minutes(23 * 60)
        assert len(household.runs(job)) == 1

    def test_jobs_of_a_locked_account_rest_until_it_is_unlocked(
        self, household: Household, caplog: pytest.LogCaptureFixture
    ) -> None:
        job = household.job(schedule="* * * * *")
        household.world.people.users.change("alice", locked=True)
        household.pass_minutes(1)
        household.pass_minutes(1)
        assert household.runs(job) == []
        said = [record.getMessage() for record in caplog.records if "locked" in record.getMessage()]
        assert len(said) == 2
        assert said[0].startswith("the run of alice/nightly that was planned for 2026-01-02T03:05:00.000Z is")
        assert household.world.code.schedules.due(household.clock.now(), 9) == []
        household.world.people.users.change("alice", locked=False)
        household.pass_minutes(1)
        assert len(household.runs(job)) == 1
        assert list(remarks(household.world, household.runs(job)[0])) == []

    def test_only_an_api_run_has_nothing_to_remark(self, household: Household) -> None:
        job = household.job()
        household.pass_minutes(1)
        (run,) = household.runs(job)
        household.clock.forward(600)
        order = Order(job, "20260102-040000-00000000", "api", "curl", "bob", None, None)
        other = household.world.code.runs.queue.submit(order)
        assert list(remarks(household.world, other)) == []
        assert run.key != other.key

    def test_many_are_fired_once_by_two_processes(self, household: Household) -> None:
        jobs = [household.job(f"job{number}") for number in range(12)]
        household.world.code.schedules.rebuild()
        household.clock.forward(60)
        now = household.clock.now()
        timers = [timer_of(household.house) for _ in range(3)]
        answers = at_once(*[timer.turn for timer in timers])
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        assert [len(household.runs(job)) for job in jobs] == [1] * 12
        assert household.runs(jobs[0])[0].created_on == stamp(now)

    def test_a_tick_takes_few_statements_however_many_are_due(
        self, household: Household, statements: Statements
    ) -> None:
        jobs = [household.job(f"job{number}") for number in range(64)]
        # What the leaves of a job say is read job by job.
        assert statements(lambda: household.pass_minutes(1)) < 64 + 32
        runs = [household.runs(job) for job in jobs]
        assert [[run.status for run in each] for each in runs] == [[Status.PROCESSING]] * 64
        assert len({run.shortname for each in runs for run in each}) == 64

    def test_one_more_than_the_owner_may_have_is_rejected_and_told(self, household: Household) -> None:
        jobs = [household.job(name) for name in ("one", "two", "three")]
        household.world.service.quotas.set("alice", {QuotaName.RUNS: 2})
        household.pass_minutes(1)
        runs = sorted(str(run.status) for job in jobs for run in household.runs(job))
        assert runs == ["processing", "processing", "rejected"]
        (rejected,) = [run for job in jobs for run in household.runs(job) if run.status == "rejected"]
        assert "as many runs under way as it may" in household.log(rejected)[-1]

    def test_one_that_is_rejected_stands_beside_the_others(self, household: Household) -> None:
        household.image("carol", "private")
        twice = "a <- j/one\nb <- j/one\na -> b"
        chains = {"one": "count", "two": "@carol/private", "three": twice, "four": "count"}
        jobs = [household.job(name, chain=chain) for name, chain in chains.items()]
        household.pass_minutes(1)
        (one,), (two,), (three,), (four,) = (household.runs(job) for job in jobs)
        assert [run.status for run in (one, two, three, four)] == [
            Status.PROCESSING, Status.REJECTED, Status.PROCESSING, Status.PROCESSING,
        ]  # fmt: skip
        assert household.inbox("alice") == ["rejected"]
        assert len(household.world.code.runs.reader.children(three.key)) == 2
        whole = household.world.code.runs.reader.by_key(four.key)
        assert whole is not None
        assert whole.plan is not None
        assert whole.plan.steps[0].source.image_id == "image-count"

    def test_one_that_cannot_be_ordered_stops_no_other(
        self, household: Household, caplog: pytest.LogCaptureFixture
    ) -> None:
        broken, sound = household.job("broken"), household.job("sound")
        household.world.leaves.put(broken, "config/plan", "{", "alice")
        household.pass_minutes(1)
        assert (len(household.runs(broken)), len(household.runs(sound))) == (0, 1)
        assert "could not be started by its schedule" in caplog.text
        household.write("alice", "/v1/code/jobs/broken/config/chains", "count")
        household.pass_minutes(1)
        assert (len(household.runs(broken)), len(household.runs(sound))) == (1, 2)

    def test_while_the_database_is_away_everything_stays_due(self, household: Household) -> None:
        job = household.job()
        household.pass_minutes(0)
        household.clock.forward(60)
        world = household.world

        class Away:
            def __getattr__(self, name: str) -> object:
                raise Unavailable("the database is away")

        runs = replace(world.code.runs, queue=Away())  # type: ignore[arg-type]
        away = replace(world, code=replace(world.code, runs=runs))
        with pytest.raises(Unavailable):
            timer_of(replace(household.house, world=away)).turn()
        assert household.runs(job) == []
        household.timer.turn()
        assert len(household.runs(job)) == 1
        fire(world, [])


class TestConfiguration:
    def test_a_schedule_acts_rests_and_ends_at_once(self, household: Household) -> None:
        job, first = household.job(schedule=""), household.world.code.schedules.first
        assert first() is None
        household.write("alice", SCHEDULE, "* * * * *")
        assert first() == "2026-01-02T03:05:00.000Z"
        household.write("alice", ENABLED, "no")
        assert first() is None
        household.write("alice", SCHEDULE, "30 4 * * *")
        assert first() is None
        household.call("alice", Verb.REMOVE, ENABLED)
        assert first() == "2026-01-02T04:30:00.000Z"
        household.call("alice", Verb.RENAME, "/v1/code/jobs/nightly", "daily")
        assert first() == "2026-01-02T04:30:00.000Z"
        household.pass_minutes(90)
        assert [run.origin for run in household.runs(job)] == ["/u/alice/j/daily"]
        household.call("alice", Verb.REMOVE, "/v1/code/jobs/daily/config/schedule")
        assert first() is None
        household.write("alice", "/v1/code/jobs/daily/config/schedule", "* * * * *")
        household.call("alice", Verb.REMOVE, "/v1/code/jobs/daily")
        assert first() is None

    def test_the_next_five_times_are_told_with_the_words(self, household: Household) -> None:
        household.job(schedule="TZ=Europe/Oslo 30 4 * * Mon-Fri")
        told = household.read("alice", SCHEDULE)
        assert told["explanation"].endswith("Europe/Oslo")
        assert told["next"] == [f"2026-01-{day:02}T03:30:00.000Z" for day in (2, 5, 6, 7, 8)]
        household.write("alice", SCHEDULE, "# nothing")
        assert household.read("alice", SCHEDULE) == {
            "schedule": "# nothing", "explanation": None, "enabled": True, "next": [],
        }  # fmt: skip


class TestPause:
    def fail(self, household: Household, job: int, times: int) -> None:
        for _ in range(times):
            household.pass_minutes(1)
            household.end(household.runs(job)[-1], Event.FAIL)

    def test_ten_failures_in_a_row_pause_the_job(self, household: Household) -> None:
        job = household.job()
        self.fail(household, job, 9)
        assert household.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(household, job, 1)
        assert household.call("alice", Verb.READ, ENABLED).value == "false"
        assert household.log(household.runs(job)[-1]) == [PAUSED]
        assert household.inbox("alice")[:3] == ["paused", "failed", "failed"]
        assert household.told("alice")[0].path == "/v1/users/alice/code/jobs/nightly"
        household.pass_minutes(60)
        assert len(household.runs(job)) == 10

    def test_canceled_runs_do_not_count_and_a_success_begins_anew(self, household: Household) -> None:
        job = household.job()
        self.fail(household, job, 9)
        household.pass_minutes(1)
        household.end(household.runs(job)[-1], Event.CANCEL, Event.TORN_DOWN)
        household.pass_minutes(1)
        household.end(household.runs(job)[-1], Event.SUCCEED)
        self.fail(household, job, 9)
        assert household.call("alice", Verb.READ, ENABLED).value == "true"
        household.pass_minutes(1)
        household.end(household.runs(job)[-1], Event.CANCEL, Event.TORN_DOWN)
        assert household.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(household, job, 1)
        assert household.call("alice", Verb.READ, ENABLED).value == "false"

    def test_a_job_that_is_enabled_again_has_ten_more(self, household: Household) -> None:
        job = household.job()
        self.fail(household, job, 10)
        household.write("alice", ENABLED, "true")
        self.fail(household, job, 9)
        assert household.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(household, job, 1)
        assert household.call("alice", Verb.READ, ENABLED).value == "false"

    def test_a_job_that_rests_already_is_not_paused_again(self, household: Household) -> None:
        job = household.job()
        self.fail(household, job, 9)
        household.pass_minutes(1)
        household.write("alice", ENABLED, "false")
        household.end(household.runs(job)[-1], Event.FAIL)
        assert "paused" not in household.inbox("alice")
