"""Alerts of jobs: a schedule that did not run in time, and a run that takes three times its usual time."""

from __future__ import annotations

import pytest

from chains.runs.records import Order, Run
from chains.runs.states import Event
from handlers.processes.background import timer_of
from handlers.services.alerts.job_alerts import GRACE
from tests.handlers.service_world import ServiceWorld
from tests.kit.suites.chains import at_once
from vfs.access import Verb

AT = "/v1/code/jobs/nightly"
DAY, HOUR = 1440, 60
WAITED = GRACE.total_seconds() / 60


def new(world: ServiceWorld) -> list[tuple[str, str]]:
    """Return alice's notices of alerts since the last call."""
    alerts = [
        (one.notice.kind, one.text.removeprefix("job nightly: "))
        for one in world.shown_notices("alice")[::-1]
        if one.notice.kind in ("alert", "recovered")
    ]
    world.world.social.notices.dismiss("alice", [one.id for one in world.world.social.notices.of("alice")])
    return alerts


def begin(world: ServiceWorld) -> Run:
    """A runner takes the next run."""
    world.world.code.runs.leases.enlist("worker", "home", 1e6)
    run = world.world.code.runs.queue.take("worker")
    assert run is not None
    return run


def run_for(world: ServiceWorld, seconds: float, *events: Event) -> Run:
    """Let a caller trigger a run that takes `seconds` seconds."""
    found = world.world.items.find("job", "alice", "nightly", "alice")
    assert found is not None
    number = world.world.code.runs.reader.newest(found.item.id, None)
    order = Order(found.item.id, f"run-{len(number)}", "api", "curl", "alice", None, None)
    world.world.code.runs.queue.submit(order)
    run = begin(world)
    world.pass_minutes(seconds / 60)
    world.end(run, *(events or (Event.SUCCEED,)))
    return run


class TestLate:
    def test_a_missed_time_sends_one_notice_and_the_next_run_ends_it(
        self, service_world: ServiceWorld
    ) -> None:
        service_world.job(schedule="10 3 * * *")
        service_world.pass_minutes(0)
        service_world.pass_minutes(2 * DAY - HOUR)
        assert new(service_world) == [
            ("alert", "its run of 2026-01-02 03:10 (UTC) did not begin, as the scheduler was down then.")
        ]
        service_world.timer = timer_of(service_world.live_world)
        service_world.pass_minutes(1)
        assert new(service_world) == []
        service_world.pass_minutes(HOUR + 10)
        run = begin(service_world)
        assert new(service_world) == [("recovered", f"its schedule runs again, with the run {run.id}.")]
        service_world.end(run, Event.SUCCEED)
        service_world.pass_minutes(DAY)
        begin(service_world)
        assert new(service_world) == []

    def test_a_run_that_catches_up_is_not_late(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="10 * * * *")
        service_world.pass_minutes(0)
        service_world.pass_minutes(3 * HOUR)
        begin(service_world)
        assert new(service_world) == []

    def test_a_run_that_no_runner_takes_is_late(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="10 3 * * *")
        service_world.pass_minutes(0)
        service_world.pass_minutes(10)
        service_world.pass_minutes(WAITED - 1)
        assert new(service_world) == []
        service_world.pass_minutes(1)
        ((kind, said),) = new(service_world)
        assert kind == "alert"
        assert said.endswith("of its schedule waits for a runner for 15 minutes or more.")
        service_world.pass_minutes(WAITED)
        run = begin(service_world)
        assert new(service_world) == [("recovered", f"its schedule runs again, with the run {run.id}.")]

    @pytest.mark.parametrize("pause", ["enabled", "schedule", "alerts/late"])
    def test_a_paused_job_is_not_late(self, service_world: ServiceWorld, pause: str) -> None:
        service_world.job(schedule="10 3 * * *")
        service_world.pass_minutes(0)
        service_world.pass_minutes(10)
        service_world.write("alice", f"{AT}/config/{pause}", "" if pause == "schedule" else "no")
        service_world.pass_minutes(2 * DAY)
        assert new(service_world) == []

    def test_a_run_that_waits_because_of_overlap_is_not_late(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="0 * * * *")
        service_world.write("alice", f"{AT}/config/overlap", "queue")
        service_world.pass_minutes(HOUR)
        run = begin(service_world)
        service_world.pass_minutes(HOUR)
        service_world.pass_minutes(WAITED)
        assert new(service_world) == []
        service_world.end(run, Event.SUCCEED)
        service_world.pass_minutes(WAITED)
        assert [kind for kind, _ in new(service_world)] == ["alert"]

    def test_the_jobs_of_a_locked_account_are_not_late(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="10 3 * * *")
        service_world.world.people.users.change("alice", locked=True)
        service_world.pass_minutes(2 * DAY)
        assert new(service_world) == []

    def test_several_timers_send_one_notice(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="10 3 * * *")
        service_world.pass_minutes(0)
        service_world.clock.forward(DAY * 60.0)
        timers = [timer_of(service_world.live_world) for _ in range(3)]
        answers = at_once(*[timer.turn for timer in timers])
        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        assert [kind for kind, _ in new(service_world)] == ["alert"]


class TestSlow:
    def test_a_run_that_takes_three_times_the_median_is_slow(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="")
        for seconds in (50, 100, 100, 110, 900):
            run_for(service_world, seconds)
        assert new(service_world) == []
        slow = run_for(service_world, 301)
        assert new(service_world) == [
            (
                "alert",
                f"the run {slow.id} takes more than 3 times as long as usual, which is 100 s.",
            ),
            ("recovered", f"the run {slow.id}, which took long, has ended: success."),
        ]
        run_for(service_world, 299)
        assert new(service_world) == []
        assert service_world.world.social.alerts.first() is None

    @pytest.mark.parametrize("event", [Event.FAIL, Event.LOSE])
    def test_runs_that_did_not_succeed_have_no_usual_time(
        self, service_world: ServiceWorld, event: Event
    ) -> None:
        service_world.job(schedule="")
        for _ in range(4):
            run_for(service_world, 10)
        for _ in range(3):
            run_for(service_world, 10, event)
        run_for(service_world, 3_600)
        assert new(service_world) == []

    def test_no_run_is_slow_within_a_minute(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="")
        for _ in range(5):
            run_for(service_world, 1)
        run_for(service_world, 59)
        assert new(service_world) == []
        run_for(service_world, 61)
        assert [kind for kind, _ in new(service_world)] == ["alert", "recovered"]

    def test_it_may_be_switched_off(self, service_world: ServiceWorld) -> None:
        service_world.job(schedule="")
        for _ in range(5):
            run_for(service_world, 100)
        service_world.write("alice", f"{AT}/config/alerts/slow", "no")
        run_for(service_world, 3_600)
        assert new(service_world) == []

    def test_a_removed_job_has_no_alerts(self, service_world: ServiceWorld) -> None:
        job = service_world.job(schedule="")
        for _ in range(5):
            run_for(service_world, 100)
        run = run_for(service_world, 0)
        assert run.job == job
        service_world.world.code.runs.queue.submit(Order(job, "last", "api", "curl", "alice", None, None))
        begin(service_world)
        assert service_world.world.social.alerts.first() is not None
        service_world.call("alice", Verb.REMOVE, AT)
        assert service_world.world.social.alerts.first() is None
        service_world.pass_minutes(DAY)
