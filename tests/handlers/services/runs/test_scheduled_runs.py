"""Schedules order runs as triggers do, once each, and a job that keeps failing is paused."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from chains.runs.records import Order
from chains.runs.states import Event, Status
from handlers.processes.background import timer_of
from handlers.services.runs.run_ends import PAUSED
from handlers.services.runs.scheduled_runs import fire, remarks
from tests.handlers.service_world import ServiceWorld
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
    def test_a_run_is_ordered_as_by_any_trigger(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        service_world.pass_minutes(0)
        assert service_world.runs(job) == []
        service_world.pass_minutes(1)
        (run,) = service_world.runs(job)
        assert (run.status, run.trigger, run.source, run.by) == (
            Status.PROCESSING, "schedule", "scheduler", "alice",
        )  # fmt: skip
        assert (run.input, run.author, run.id[:15]) == (None, "alice", "20260102-030505")
        whole = service_world.world.code.runs.reader.by_key(run.key)
        assert whole is not None
        assert whole.plan is not None
        assert whole.plan.steps[0].source.image_id == "image-count"
        assert [row.name for row in service_world.world.code.runs.reader.steps(run.key)] == ["count"]
        assert list(remarks(service_world.world, run)) == []

    def test_nobody_else_may_be_the_one_who_asks(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        service_world.share(job, "bob", "rwx")
        service_world.write("bob", "/v1/users/alice/code/jobs/nightly/config/schedule", "*/2 * * * *")
        service_world.pass_minutes(2)
        assert [run.by for run in service_world.runs(job)] == ["alice"]

    def test_a_chain_that_may_not_be_used_is_rejected_with_a_notice(
        self, service_world: ServiceWorld
    ) -> None:
        service_world.image("carol", "private")
        job = service_world.job(chain="@carol/private")
        service_world.pass_minutes(1)
        (run,) = service_world.runs(job)
        assert run.status is Status.REJECTED
        assert service_world.log(run) == [
            "@alice may not use @carol/private: its owner has to share it with x"
        ]
        assert [(shown.notice.kind, shown.path) for shown in service_world.shown_notices("alice")] == [
            ("rejected", f"/v1/users/alice/code/jobs/nightly/runs/{run.id}")
        ]
        assert service_world.world.code.runs.reader.failures(job) == 0

    def test_a_job_without_a_chain_has_a_run_without_a_plan(self, service_world: ServiceWorld) -> None:
        job = service_world.job(chain="")
        service_world.pass_minutes(1)
        (run,) = service_world.runs(job)
        assert (run.status, run.plan) == (Status.PROCESSING, None)

    def test_the_log_of_a_late_run_says_so(self, service_world: ServiceWorld) -> None:
        job = service_world.job(schedule="10 * * * *")
        service_world.pass_minutes(0)
        service_world.pass_minutes(40)
        (run,) = service_world.runs(job)
        assert list(remarks(service_world.world, run)) == [
            "This run was planned for 2026-01-02T03:10:00.000Z and comes 34 minutes late: "
            "the scheduler was down then."
        ]
        service_world.pass_minutes(30)
        assert list(remarks(service_world.world, service_world.runs(job)[1])) != []

    def test_a_runner_writes_that_below_the_chain(self, service_world: ServiceWorld) -> None:
        job, world = service_world.job(schedule="10 * * * *"), service_world.world
        service_world.clock.forward(40 * 60)
        with running(world.service.settings, service_world.live_world):
            seen = 0
            while not service_world.runs(job):
                seen = world.code.runs.queue.await_work(seen, SECONDS)
            (run,) = service_world.runs(job)
            assert world.code.runs.waits.wait(run.key, lambda status: status.ended, SECONDS).ended
        log = service_world.log(run)
        assert log[0] == "Chain: count"
        assert [line for line in log if "34 minutes late" in line] == [log[2]]

    def test_a_run_that_is_an_hour_late_is_skipped(
        self, service_world: ServiceWorld, caplog: pytest.LogCaptureFixture
    ) -> None:
        job = service_world.job(schedule="10 3 * * *")
        service_world.pass_minutes(0)
        with caplog.at_level(logging.WARNING, logger="curlew"):
            service_world.pass_minutes(66)
        assert service_world.runs(job) == []
        assert "alice/nightly" in caplog.text
        service_world.pass_minutes(23 * 60)
        assert len(service_world.runs(job)) == 1

    def test_jobs_of_a_locked_account_rest_until_it_is_unlocked(
        self, service_world: ServiceWorld, caplog: pytest.LogCaptureFixture
    ) -> None:
        job = service_world.job(schedule="* * * * *")
        service_world.world.people.users.change("alice", locked=True)
        service_world.pass_minutes(1)
        service_world.pass_minutes(1)
        assert service_world.runs(job) == []
        said = [record.getMessage() for record in caplog.records if "locked" in record.getMessage()]
        assert len(said) == 2
        assert said[0].startswith("what was planned for 2026-01-02T03:05:00.000Z of the job alice/nightly is")
        assert service_world.world.code.schedules.due(service_world.clock.now(), 9) == []
        service_world.world.people.users.change("alice", locked=False)
        service_world.pass_minutes(1)
        assert len(service_world.runs(job)) == 1
        assert list(remarks(service_world.world, service_world.runs(job)[0])) == []

    def test_only_an_api_run_has_nothing_to_remark(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        service_world.pass_minutes(1)
        (run,) = service_world.runs(job)
        service_world.clock.forward(600)
        order = Order(job, "20260102-040000-00000000", "api", "curl", "bob", None, None)
        other = service_world.world.code.runs.queue.submit(order)
        assert list(remarks(service_world.world, other)) == []
        assert run.key != other.key

    def test_many_are_fired_once_by_two_processes(self, service_world: ServiceWorld) -> None:
        jobs = [service_world.job(f"job{number}") for number in range(12)]
        service_world.world.code.schedules.rebuild()
        service_world.clock.forward(60)
        now = service_world.clock.now()
        timers = [timer_of(service_world.live_world) for _ in range(3)]
        answers = at_once(*[timer.turn for timer in timers])
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        assert [len(service_world.runs(job)) for job in jobs] == [1] * 12
        assert service_world.runs(jobs[0])[0].created_on == stamp(now)

    def test_a_tick_takes_few_statements_however_many_are_due(
        self, service_world: ServiceWorld, statements: Statements
    ) -> None:
        jobs = [service_world.job(f"job{number}") for number in range(64)]
        # What the leaves of a job say is read job by job.
        assert statements(lambda: service_world.pass_minutes(1)) < 64 + 32
        runs = [service_world.runs(job) for job in jobs]
        assert [[run.status for run in each] for each in runs] == [[Status.PROCESSING]] * 64
        assert len({run.shortname for each in runs for run in each}) == 64

    def test_a_run_beyond_the_quota_is_rejected_with_a_reason(self, service_world: ServiceWorld) -> None:
        jobs = [service_world.job(name) for name in ("one", "two", "three")]
        service_world.world.service.quotas.set("alice", {QuotaName.RUNS: 2})
        service_world.pass_minutes(1)
        runs = sorted(str(run.status) for job in jobs for run in service_world.runs(job))
        assert runs == ["processing", "processing", "rejected"]
        (rejected,) = [run for job in jobs for run in service_world.runs(job) if run.status == "rejected"]
        assert "as many runs under way as it may" in service_world.log(rejected)[-1]

    def test_one_that_is_rejected_stands_beside_the_others(self, service_world: ServiceWorld) -> None:
        service_world.image("carol", "private")
        twice = "a <- j/one\nb <- j/one\na -> b"
        chains = {"one": "count", "two": "@carol/private", "three": twice, "four": "count"}
        jobs = [service_world.job(name, chain=chain) for name, chain in chains.items()]
        service_world.pass_minutes(1)
        (one,), (two,), (three,), (four,) = (service_world.runs(job) for job in jobs)
        assert [run.status for run in (one, two, three, four)] == [
            Status.PROCESSING, Status.REJECTED, Status.PROCESSING, Status.PROCESSING,
        ]  # fmt: skip
        assert service_world.inbox("alice") == ["rejected"]
        assert len(service_world.world.code.runs.reader.children(three.key)) == 2
        whole = service_world.world.code.runs.reader.by_key(four.key)
        assert whole is not None
        assert whole.plan is not None
        assert whole.plan.steps[0].source.image_id == "image-count"

    def test_one_that_cannot_be_ordered_stops_no_other(
        self, service_world: ServiceWorld, caplog: pytest.LogCaptureFixture
    ) -> None:
        broken, sound = service_world.job("broken"), service_world.job("sound")
        service_world.world.leaves.put(broken, "config/plan", "{", "alice")
        service_world.pass_minutes(1)
        assert (len(service_world.runs(broken)), len(service_world.runs(sound))) == (0, 1)
        assert "could not be started by its schedule" in caplog.text
        service_world.write("alice", "/v1/code/jobs/broken/config/chains", "count")
        service_world.pass_minutes(1)
        assert (len(service_world.runs(broken)), len(service_world.runs(sound))) == (1, 2)

    def test_while_the_database_is_away_everything_stays_due(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        service_world.pass_minutes(0)
        service_world.clock.forward(60)
        world = service_world.world

        class Away:
            def __getattr__(self, name: str) -> object:
                raise Unavailable("the database is away")

        runs = replace(world.code.runs, queue=Away())  # type: ignore[arg-type]
        away = replace(world, code=replace(world.code, runs=runs))
        with pytest.raises(Unavailable):
            timer_of(replace(service_world.live_world, world=away)).turn()
        assert service_world.runs(job) == []
        service_world.timer.turn()
        assert len(service_world.runs(job)) == 1
        fire(world, [])


class TestConfiguration:
    def test_a_schedule_acts_rests_and_ends_at_once(self, service_world: ServiceWorld) -> None:
        job, first = service_world.job(schedule=""), service_world.world.code.schedules.first
        assert first() is None
        service_world.write("alice", SCHEDULE, "* * * * *")
        assert first() == "2026-01-02T03:05:00.000Z"
        service_world.write("alice", ENABLED, "no")
        assert first() is None
        service_world.write("alice", SCHEDULE, "30 4 * * *")
        assert first() is None
        service_world.call("alice", Verb.REMOVE, ENABLED)
        assert first() == "2026-01-02T04:30:00.000Z"
        service_world.call("alice", Verb.RENAME, "/v1/code/jobs/nightly", "daily")
        assert first() == "2026-01-02T04:30:00.000Z"
        service_world.pass_minutes(90)
        assert [run.origin for run in service_world.runs(job)] == ["/u/alice/j/daily"]
        service_world.call("alice", Verb.REMOVE, "/v1/code/jobs/daily/config/schedule")
        assert first() is None
        service_world.write("alice", "/v1/code/jobs/daily/config/schedule", "* * * * *")
        service_world.call("alice", Verb.REMOVE, "/v1/code/jobs/daily")
        assert first() is None

    def test_the_next_five_times_are_shown_with_the_explanation(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="TZ=Europe/Oslo 30 4 * * Mon-Fri")
        schedule = service_world.read("alice", SCHEDULE)
        assert schedule["explanation"].endswith("Europe/Oslo")
        assert schedule["next"] == [f"2026-01-{day:02}T03:30:00.000Z" for day in (2, 5, 6, 7, 8)]
        service_world.write("alice", SCHEDULE, "# nothing")
        assert service_world.read("alice", SCHEDULE) == {
            "schedule": "# nothing", "explanation": None, "enabled": True, "next": [],
        }  # fmt: skip


class TestPause:
    def fail(self, service_world: ServiceWorld, job: int, times: int) -> None:
        for _ in range(times):
            service_world.pass_minutes(1)
            service_world.end(service_world.runs(job)[-1], Event.FAIL)

    def test_ten_failures_in_a_row_pause_the_job(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        self.fail(service_world, job, 9)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(service_world, job, 1)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "false"
        assert service_world.log(service_world.runs(job)[-1]) == [PAUSED]
        assert service_world.inbox("alice")[:3] == ["paused", "failed", "failed"]
        assert service_world.shown_notices("alice")[0].path == "/v1/users/alice/code/jobs/nightly"
        service_world.pass_minutes(60)
        assert len(service_world.runs(job)) == 10

    def test_canceled_runs_do_not_count_and_a_success_resets_the_count(
        self, service_world: ServiceWorld
    ) -> None:
        job = service_world.job()
        self.fail(service_world, job, 9)
        service_world.pass_minutes(1)
        service_world.end(service_world.runs(job)[-1], Event.CANCEL, Event.TORN_DOWN)
        service_world.pass_minutes(1)
        service_world.end(service_world.runs(job)[-1], Event.SUCCEED)
        self.fail(service_world, job, 9)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "true"
        service_world.pass_minutes(1)
        service_world.end(service_world.runs(job)[-1], Event.CANCEL, Event.TORN_DOWN)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(service_world, job, 1)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "false"

    def test_a_job_that_is_enabled_again_has_ten_more(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        self.fail(service_world, job, 10)
        service_world.write("alice", ENABLED, "true")
        self.fail(service_world, job, 9)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "true"
        self.fail(service_world, job, 1)
        assert service_world.call("alice", Verb.READ, ENABLED).value == "false"

    def test_a_job_that_rests_already_is_not_paused_again(self, service_world: ServiceWorld) -> None:
        job = service_world.job()
        self.fail(service_world, job, 9)
        service_world.pass_minutes(1)
        service_world.write("alice", ENABLED, "false")
        service_world.end(service_world.runs(job)[-1], Event.FAIL)
        assert "paused" not in service_world.inbox("alice")
