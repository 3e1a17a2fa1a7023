"""A simulated year of runs whose steps fail and wait; only time is not real."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

import pytest

from chains.engine.port import Cause, Exit, Handle
from chains.plan.model import LONGEST_BACKOFF, StepConfig
from chains.runner.cleanup import Alarm, Cleaner
from chains.runner.fair_slots import FairSlots
from chains.runner.journal import Flusher
from chains.runner.ports import Staff
from chains.runner.run_work import Work
from chains.runs.states import Event, Status
from tests.chains.runner.test_retry import tried
from tests.kit.counting.amount import points, seed
from tests.kit.fake_engine import FakeEngine
from tests.kit.runner import RunnerSetup, RunnerSetupOf
from tests.kit.suites.chains import chain
from tests.kit.suites.kernel import StillClock

pytestmark = pytest.mark.soak

DAYS = 90
NAMES = ("a", "b", "c")
ENDS = (Exit(0), Exit(1), Exit(1), Exit(70), Exit(137, Cause.TIME), Exit(137, Cause.MEMORY))


class Unsteady(FakeEngine):
    """An engine whose attempts take hours of virtual time and end at random."""

    def __init__(self, setup: RunnerSetup, clock: StillClock, random: Random) -> None:
        super().__init__(setup.images)
        self.clock, self.random = clock, random
        self.ended: list[tuple[str, Exit]] = []

    def wait(self, handle: Handle, tell: object) -> Exit:
        super().wait(handle, tell)  # type: ignore[arg-type]
        self.clock.forward(self.random.random() * 43_200)
        exit = self.random.choice(ENDS)
        self.ended.append((handle.spec.step, exit))
        return exit


@dataclass
class VirtualAlarm(Alarm):
    """The next attempt is due at once, later in virtual time; or the run is canceled or lost before that."""

    clock: StillClock
    random: Random
    fates: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    stop: Callable[[Event], None] = lambda event: None

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        self.waits.append(seconds)
        (fate,) = self.random.choices(("due", "canceled", "lost"), (8, 1, 1))
        self.fates.append(fate)
        self.clock.forward(seconds if fate == "due" else seconds * self.random.random())
        if fate == "due":
            act()
        else:
            self.stop(Event.CANCEL if fate == "canceled" else Event.LOSE)


def expected(ended: list[tuple[str, Exit]], configs: dict[str, StepConfig]) -> tuple[Status, list[float]]:
    """What the attempts make of a run that nobody stopped, and the waits between them."""
    waits, left = list[float](), iter(ended)
    for name in NAMES:
        for attempt in range(1, 12):
            step, exit = next(left)
            assert step == name
            if exit.succeeded:
                break
            again = exit.cause is Cause.TIME or (exit.cause is Cause.EXIT and exit.code != 70)
            if not again or attempt > configs[name].retries:
                assert next(left, None) is None, "an attempt too many"
                return Status.FAILED, waits
            waits.append(min(configs[name].backoff * 2 ** (attempt - 1), LONGEST_BACKOFF))
    assert next(left, None) is None
    return Status.SUCCESS, waits


def test_attempts_of_a_year_are_as_configured_and_no_slot_is_lost(runner_setup_of: RunnerSetupOf) -> None:
    random, clock = Random(seed()), StillClock()
    setup = runner_setup_of(a={}, b={}, c={})
    setup.clock = clock  # type: ignore[assignment]
    setup.engine = engine = Unsteady(setup, clock, random)
    alarm = VirtualAlarm(clock, random)
    steps = FairSlots(ThreadPoolExecutor(2), 1, 1)
    staff = Staff(Flusher(0.001), Cleaner(), steps, ThreadPoolExecutor(2), alarm)
    until, seen = clock.now() + timedelta(days=points(DAYS, 3)), set[str]()
    while clock.now() < until:
        configs = {name: StepConfig(random.randrange(11), random.choice((0, 7.5, 600))) for name in NAMES}
        run = setup.order(tried(chain(*NAMES), **configs))
        taken = setup.run_store.queue.take("w")
        assert taken is not None and taken.key == run.key
        work = Work(taken, setup.ports(), staff, setup.settings.policy)

        def stop(event: Event, run: int = run.key, work: Work = work) -> None:
            setup.run_store.states.event(run, event)
            work.cancel() if event is Event.CANCEL else work.interrupt()

        engine.ended, alarm.waits, alarm.fates, alarm.stop = [], [], [], stop
        work.perform()
        found = setup.run_store.reader.by_key(run.key)
        assert found is not None
        if alarm.fates and alarm.fates[-1] != "due":
            assert found.status is (Status.CANCELED if alarm.fates[-1] == "canceled" else Status.FAILED)
            # It was the last thing that happened: no attempt began afterwards.
            assert len(alarm.fates) == sum(not exit.succeeded for _, exit in engine.ended)
            assert all(row.status.ended for row in setup.run_store.reader.steps(run.key))
        else:
            assert (found.status, alarm.waits) == expected(engine.ended, configs)
        for row in setup.run_store.reader.steps(run.key):
            attempts = sum(name == row.name for name, _ in engine.ended)
            assert (row.attempt or 1) == max(attempts, 1)
        seen |= {str(found.status), *alarm.fates}
    assert seen >= {"failed", "due"}
