"""A simulated year of a job whose schedule is faster than it: no run twice, no slot lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from random import Random

import pytest

from chains.runs.records import Run
from chains.runs.states import Event, Overlap, Status
from handlers.processes.background import timer_of
from handlers.services.runs.kept_inputs import NO_INPUT
from handlers.services.runs.run_trigger import API, Overlapping, RunRequest, order
from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.amount import points, seed
from vfs.errors import Conflict

pytestmark = pytest.mark.soak

DAYS = 90
LEASE = 60.0
AT = "/v1/code/jobs/nightly"


class Simulation:
    """Runners that take, hold, finish and lose runs of one job, its schedule, callers, and restarts."""

    def __init__(self, service: ServiceWorld, overlap: Overlap, random: Random) -> None:
        self.service, self.overlap, self.random = service, overlap, random
        self.runs, self.now = service.world.code.runs, service.clock
        self.job = service.job(schedule="0 6 * * *", chain="count")
        service.write("alice", f"{AT}/config/overlap", overlap)
        found = service.world.items.find("job", "alice", "nightly", "alice")
        assert found is not None
        self.item = found.item
        self.workers = 0
        self.taken: list[int] = []
        self.worker = self.enlist()

    def enlist(self) -> str:
        self.workers += 1
        name = f"worker-{self.workers}"
        self.runs.leases.enlist(name, "home", LEASE)
        return name

    def going(self) -> list[Run]:
        return list(self.runs.reader.going(self.job))

    def take(self) -> None:
        self.runs.leases.heartbeat(self.worker, LEASE)
        while (run := self.runs.queue.take(self.worker)) is not None:
            if run.status is Status.CANCELING:
                self.runs.states.event(run.key, Event.TORN_DOWN)
            else:
                assert run.key not in self.taken or self.runs.reader.holds(run.key), "taken twice"
                self.taken.append(run.key)

    def at_work(self) -> list[Run]:
        return [run for run in self.going() if run.worker is not None]

    def end(self) -> None:
        for run in self.at_work():
            if run.status is Status.CANCELING:
                self.runs.states.event(run.key, Event.TORN_DOWN)
            else:
                self.runs.states.event(run.key, self.random.choice((Event.SUCCEED, Event.FAIL)))

    def call(self) -> None:
        world = self.service.world
        try:
            order(world, self.item, RunRequest(API, "curl", "alice"), NO_INPUT)
            refused = None
        except Overlapping as overlapping:
            refused = overlapping.earlier.key
        if refused is not None:
            assert self.overlap is Overlap.SKIP and refused in {run.key for run in self.going()}

    def cancel(self) -> None:
        for run in self.random.sample(going := self.going(), min(len(going), 1)):
            try:
                self.runs.states.event(run.key, Event.CANCEL)
            except Conflict:
                assert run.status is Status.WAITING

    def lose(self) -> None:
        """A runner is killed; the next one settles its runs, as chains.runner.recovery does."""
        self.worker = self.enlist()
        for run in self.runs.leases.lost_runs():
            self.runs.states.event(run.key, Event.LOSE)

    def restart(self) -> None:
        self.service.timer = timer_of(self.service.live_world)

    def check(self) -> None:
        going = self.going()
        assert sum(run.worker is not None for run in going if run.status is not Status.CANCELING) <= 1
        assert self.taken == sorted(self.taken), "out of order"
        waiting = [run for run in going if run.worker is None and run.status is Status.PROCESSING]
        if self.overlap is Overlap.SKIP:
            assert len(going) <= 1
        if self.overlap is Overlap.QUEUE:
            assert sum(run.trigger == "schedule" for run in waiting) <= 1
        if self.overlap is Overlap.CANCEL:
            assert all(run.status is Status.CANCELING for run in going[:-1])

    def step(self) -> None:
        acts: Mapping[Callable[[], None], int] = {
            self.take: 8, self.end: 4, self.call: 2, self.cancel: 1, self.lose: 1, self.restart: 1,
        }  # fmt: skip
        self.service.pass_minutes(self.random.choice((1, 60, 400, 1_500)))
        (act,) = self.random.choices(list(acts), list(acts.values()))
        act()
        self.check()


@pytest.mark.parametrize("overlap", [Overlap.SKIP, Overlap.QUEUE, Overlap.CANCEL])
def test_whatever_happens_one_run_at_a_time_and_no_slot_is_lost(
    service_world: ServiceWorld, overlap: Overlap
) -> None:
    simulation = Simulation(service_world, overlap, Random(seed()))
    until = service_world.clock.now() + timedelta(days=points(DAYS, 3))
    while service_world.clock.now() < until:
        simulation.step()
    # Whatever is open now comes to its end by runners that go on: nothing waits without end.
    service_world.write("alice", f"{AT}/config/enabled", "no")
    for _ in range(2 * len(simulation.going()) + 2):
        simulation.take()
        simulation.end()
    assert simulation.going() == []
    assert len(simulation.taken) > 5
