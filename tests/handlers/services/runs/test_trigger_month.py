"""A simulated month of triggered jobs: no event is lost, none starts two runs, and the bound pauses once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from chains.runs.records import Run
from chains.runs.states import Event
from chains.schedules.timetable import TriggerEvent
from handlers.services.due_dispatch import LEASE
from handlers.services.runs.job_triggers import TriggerDispatch, fire_event
from tests.handlers.service_world import ServiceWorld
from tests.handlers.services.runs.trigger_world import JOBS, TriggerWorld
from tests.kit.counting.amount import points, seed
from tests.kit.suites.chains import at_once
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

DAYS, MOST = 30, 6


class Killed(BaseException):
    """The process is killed here."""


def bounded(service: ServiceWorld) -> TriggerWorld:
    """A world whose triggers start at most MOST runs of a job in an hour."""
    ports = service.world.service
    ports = replace(ports, settings=replace(ports.settings, trigger_runs=MOST))
    service.world = replace(service.world, service=ports)
    service.world.service.quotas.set("alice", {QuotaName.RUNS: 10_000})
    return TriggerWorld(service)


def take(triggers: TriggerWorld) -> list[TriggerEvent]:
    """Return the events that are due, as a process takes them."""
    now = triggers.service.clock.now()
    return list(triggers.world.code.triggers.take(stamp(now), stamp(now + LEASE), 100))


class Month:
    """Writers, pushes, runs that end, runners that are killed, and pauses, in any order."""

    def __init__(self, service: ServiceWorld, random: Random) -> None:
        self.triggers, self.random = bounded(service), random
        self.jobs = {
            "read": self.triggers.job("read", "changed /s/orders/in/*.csv"),
            "built": self.triggers.job("built", "push count:main"),
            "next": self.triggers.job("next", "after /j/read success|failed"),
        }
        self.happened: Counter[tuple[str, str]] = Counter()
        self.waiting: Counter[tuple[str, str]] = Counter()
        self.since = dict.fromkeys(self.jobs, 0)
        self.enabled = dict.fromkeys(self.jobs, True)
        self.number, self.pauses, self.notified = 0, 0, set[int]()

    def expect(self, job: str, source: str) -> None:
        self.happened[job, source] += 1
        if self.enabled[job]:
            self.waiting[job, source] += 1

    def write(self) -> None:
        for _ in range(self.random.choice((1, 1, 1, 2, MOST + 3))):
            self.number += 1
            self.triggers.put(f"in/{self.number}.csv")
            self.triggers.put(f"in/{self.number}.txt")
            self.expect("read", f"changed /s/orders/in/{self.number}.csv")

    def push(self) -> None:
        label = self.random.choice(("main", "dev"))
        self.triggers.push(label=label)
        if label == "main":
            self.expect("built", "push count:main")

    def end(self) -> None:
        for name, job in self.jobs.items():
            for run in list(self.triggers.world.code.runs.reader.going(job))[:2]:
                self.triggers.end(run, self.random.choice((Event.SUCCEED, Event.FAIL)))
                if name == "read":
                    self.expect("next", f"after /j/read/runs/{run.id}")

    def enable(self) -> None:
        for name, is_on in self.enabled.items():
            if not is_on:
                self.triggers.call("POST", f"{JOBS}/{name}/config/enabled", "yes")
                self.enabled[name] = True
                self.since[name] = len(self.triggers.runs(self.jobs[name]))

    def kill(self) -> None:
        """A runner takes what is due, and is killed in the transaction of the first or before it."""
        taken = take(self.triggers)
        for event in taken[: self.random.choice((0, 1))]:
            with pytest.raises(Killed):
                self.fire_and_die(event)
        self.look()

    def fire_and_die(self, event: TriggerEvent) -> None:
        with self.triggers.world.atomic():
            fire_event(self.triggers.world, event, is_last=False)
            raise Killed

    def dispatch(self) -> None:
        self.triggers.dispatch()
        self.look()

    def look(self) -> None:
        """Compare the runs with what happened, and see which jobs were paused."""
        made: Counter[tuple[str, str]] = Counter()
        for name, job in self.jobs.items():
            runs = self.triggers.runs(job)
            made.update((name, run.source) for run in runs)
            self.check_bound(runs[self.since[name] :])
            if self.enabled[name] and not self.triggers.is_enabled(name):
                self.enabled[name], self.pauses = False, self.pauses + 1
                self.waiting = Counter({key: n for key, n in self.waiting.items() if key[0] != name})
        assert made <= self.happened, made - self.happened
        notices = self.triggers.service.inbox("alice", lambda notice: (notice.kind, notice.id))
        self.notified.update(id for kind, id in notices if kind == "paused")
        assert len(self.notified) == self.pauses
        self.made = made

    def check_bound(self, runs: list[Run]) -> None:
        """In no hour more than twice the bound: it counts in spans of an hour, and two may touch."""
        starts = [run.created_on for run in runs]
        for first, later in zip(starts, starts[2 * MOST :], strict=False):
            assert later[:13] != first[:13]

    def step(self) -> None:
        acts: Mapping[Callable[[], None], int] = {
            self.write: 3, self.push: 3, self.end: 3, self.dispatch: 4, self.kill: 1, self.enable: 1,
        }  # fmt: skip
        self.triggers.service.clock.forward(60 * self.random.choice((0, 1, 11, 200, 2_000)))
        (act,) = self.random.choices(list(acts), list(acts.values()))
        act()


@pytest.mark.soak
def test_whatever_happens_each_event_starts_one_run(service_world: ServiceWorld) -> None:
    month = Month(service_world, Random(seed()))
    until = service_world.clock.now() + timedelta(days=points(DAYS))
    while service_world.clock.now() < until:
        month.step()
    for _ in range(3):
        service_world.clock.forward(LEASE.total_seconds())
        month.dispatch()
    # Of jobs that were not paused since, everything that happened has its run.
    assert month.waiting <= month.made, month.waiting - month.made
    assert month.pauses > 0
    assert sum(month.made.values()) > 20


def test_an_event_that_several_runners_have_starts_one_run(service_world: ServiceWorld) -> None:
    triggers = bounded(service_world)
    job = triggers.job("read", "changed /s/orders")
    triggers.put("a.csv")
    service_world.clock.forward(2)
    (event,) = take(triggers)

    def fire() -> None:
        with triggers.world.session():
            fire_event(triggers.world, event, is_last=False)

    assert at_once(*[fire] * 4) == [None] * 4
    assert triggers.sources(job) == ["changed /s/orders/a.csv"]
    folders = triggers.world.code.folders.path("x").parent
    assert len([*folders.glob("in-*")]) == 1, "inputs of runs that were not made are left"


def test_runners_at_once_pause_a_job_once(service_world: ServiceWorld) -> None:
    triggers = bounded(service_world)
    job = triggers.job("read", "changed /s/orders")
    for number in range(MOST + 4):
        triggers.put(f"{number}.csv")
    service_world.clock.forward(2)
    events = take(triggers)

    def fire(event: TriggerEvent) -> None:
        with triggers.world.session():
            fire_event(triggers.world, event, is_last=False)

    assert at_once(*[lambda event=event: fire(event) for event in events]) == [None] * len(events)
    assert len(triggers.runs(job)) == MOST
    assert service_world.inbox("alice").count("paused") == 1
    assert take(triggers) == []


def test_a_job_for_whose_runs_there_is_no_room_is_paused_before_too_many_events_wait(
    service_world: ServiceWorld,
) -> None:
    triggers = bounded(service_world)
    job = triggers.job("read", "changed /s/orders")
    triggers.world.service.quotas.set("alice", {QuotaName.RUNS: 0})
    for number in range(MOST):
        triggers.put(f"{number}.csv")
    triggers.dispatch()
    assert triggers.is_enabled("read")
    triggers.put("one more.csv")
    triggers.dispatch()
    assert not triggers.is_enabled("read")
    assert triggers.world.code.triggers.waiting(job) == 0
    assert service_world.inbox("alice").count("paused") == 1


def test_a_file_that_is_written_while_its_run_is_made_is_not_lost(service_world: ServiceWorld) -> None:
    triggers = bounded(service_world)
    job = triggers.job("read", "changed /s/orders")
    triggers.put("a.csv")
    service_world.clock.forward(2)
    (event,) = take(triggers)
    # The same request, which is a form with files, writes one more.
    space = triggers.world.items.find("space", "alice", "orders", "alice")
    assert space is not None
    request = event.cause.partition(" ")[2]
    triggers.world.code.triggers.add(event.kind, space.item.id, request, event.journal)
    fire_event(triggers.world, event, is_last=False)
    assert triggers.runs(job) == []
    service_world.clock.forward(2)
    TriggerDispatch(triggers.world).round()
    assert triggers.sources(job) == ["changed /s/orders/a.csv"]
