"""The pause of a job and the tick of its schedule at the same moment: neither fails or is missed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

from chains.runs.records import Order
from chains.runs.states import Event, Status
from chains.schedules.timetable import firing
from tests.handlers.service_world import ServiceWorld
from vfs.access import Verb

ENABLED = "/v1/code/jobs/nightly/config/enabled"
SOON, PATIENCE = 0.3, 20.0


@contextmanager
def meanwhile(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Do something in a thread, which the block may have to wait for; it may fail no more than the block."""
    failures: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=run)

    def begin() -> None:
        thread.start()
        thread.join(SOON)

    yield begin
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert failures == []


def scheduled(service_world: ServiceWorld, job: int, number: int) -> int:
    """A run that the schedule ordered; its key."""
    id = f"20260102-030405-{number:08x}"
    return service_world.world.code.runs.queue.submit(
        Order(job, id, "schedule", "scheduler", "alice", None, None, None)
    ).key


def failed(service_world: ServiceWorld, job: int, times: int) -> None:
    """Let this many scheduled runs fail."""
    for number in range(times):
        service_world.world.code.runs.states.event(scheduled(service_world, job, number), Event.FAIL)


def paused(service_world: ServiceWorld) -> bool:
    return service_world.call("alice", Verb.READ, ENABLED).value == "false"


def test_a_tick_and_the_tenth_failure_wait_for_each_other(service_world: ServiceWorld) -> None:
    job, world = service_world.job(), service_world.world
    failed(service_world, job, 9)
    tenth = scheduled(service_world, job, 9)
    service_world.clock.forward(60)
    now = world.clock.now()
    with meanwhile(lambda: world.code.runs.states.event(tenth, Event.FAIL)) as begin, world.atomic():
        assert (
            len(world.code.schedules.take([firing(due, now) for due in world.code.schedules.due(now, 1)]))
            == 1
        )
        begin()
        scheduled(service_world, job, 10)
    assert paused(service_world)
    service_world.pass_minutes(60)
    assert [run.status for run in service_world.runs(job)][9:] == [Status.FAILED, Status.PROCESSING]


def test_the_tenth_failure_comes_before_a_tick(service_world: ServiceWorld) -> None:
    job, world = service_world.job(), service_world.world
    failed(service_world, job, 9)
    tenth = scheduled(service_world, job, 9)
    service_world.clock.forward(60)
    with meanwhile(service_world.timer.turn) as begin, world.atomic():
        world.code.runs.states.event(tenth, Event.FAIL)
        begin()
    assert paused(service_world)
    assert len(service_world.runs(job)) == 10


def test_one_of_two_failures_at_once_is_the_tenth(service_world: ServiceWorld) -> None:
    job, world = service_world.job(), service_world.world
    failed(service_world, job, 8)
    ninth = scheduled(service_world, job, 8)
    service_world.clock.forward(timedelta(days=31).total_seconds())
    tenth = scheduled(service_world, job, 9)
    with meanwhile(lambda: world.code.runs.states.event(tenth, Event.FAIL)) as begin, world.atomic():
        world.code.runs.states.event(ninth, Event.FAIL)
        begin()
    assert paused(service_world)


def test_enabling_a_job_and_the_tenth_failure_wait_for_each_other(
    service_world: ServiceWorld,
) -> None:
    job, world = service_world.job(), service_world.world
    failed(service_world, job, 9)
    tenth = scheduled(service_world, job, 9)
    with meanwhile(lambda: world.code.runs.states.event(tenth, Event.FAIL)) as begin, world.atomic():
        world.code.schedules.set(job, "*/5 * * * *", True)
        begin()
        world.leaves.put(job, "config/schedule", "*/5 * * * *", "alice")
        world.leaves.put(job, "config/enabled", "true", "alice")
    assert paused(service_world)
    assert world.code.schedules.first() is None
