"""Several schedulers at work: when the leading one is killed another fires what is due, once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from handlers.processes.world import build
from handlers.settings.settings import Settings
from tests.handlers.service_world import ServiceWorld
from vfs.ports.clock import stamp

ROOT = Path(__file__).parents[4]
SECONDS = 120.0
SCHEDULER = """
import sys
from handlers.processes.world import build
from handlers.processes.background import timer_of
from handlers.settings.sources import load
house = build(load({}, data=sys.argv[1], database_url=sys.argv[2]))
print("ready", flush=True)
timer_of(house).loop()
"""

# Killed when this many runs are committed, and those of the next transaction not yet.
DYING = """
import os, signal, sys
from dataclasses import replace
from handlers.processes.world import build
from handlers.processes.background import timer_of
from handlers.settings.sources import load
from tests.kit.suites.kernel import StillClock
clock = StillClock()
house = build(load({}, data=sys.argv[1], database_url=sys.argv[2]), clock)
left = int(sys.argv[3])
class Dying:
    def submit_all(self, orders):
        global left
        house.world.code.runs.queue.submit_all(orders)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= len(orders)
clock.forward(60)
code = house.world.code
code = replace(code, runs=replace(code.runs, queue=Dying()))
timer_of(replace(house, world=replace(house.world, code=code))).turn()
"""


@contextmanager
def scheduler(settings: Settings) -> Iterator[subprocess.Popen[str]]:
    """A process that fires what is scheduled, until the end or until it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER, settings.data, settings.database],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_when_the_leader_is_killed_another_fires(service_world: ServiceWorld) -> None:
    job = service_world.job(schedule="0 0 1 1 *")
    world, settings = service_world.world, service_world.world.service.settings
    service_world.live_world.lead.release()
    mine = build(settings)
    with scheduler(settings) as leader:
        deadline = time.monotonic() + SECONDS
        while mine.lead.mine():
            mine.lead.release()
            assert time.monotonic() < deadline
        seen = world.code.runs.queue.await_work(0, 0)
        with scheduler(settings), scheduler(settings):
            leader.kill()
            leader.wait()
            planned = stamp(datetime.now(UTC) - timedelta(seconds=1))
            service_world.live_world.database.run("UPDATE schedule SET planned = ?", planned)
            world.code.schedules.signal()  # another may have the lead by now, and look again in a minute
            killed = time.monotonic()
            while not service_world.runs(job):
                seen = world.code.runs.queue.await_work(seen, SECONDS)
                assert time.monotonic() < killed + SECONDS
            assert [run.trigger for run in service_world.runs(job)] == ["schedule"]
    mine.close()


@pytest.mark.parametrize("recorded", [0, 128])
def test_a_scheduler_that_is_killed_amid_a_tick_loses_and_doubles_nothing(
    service_world: ServiceWorld, recorded: int
) -> None:
    jobs = [service_world.job(f"job{number}") for number in range(150)]
    service_world.pass_minutes(0)
    service_world.live_world.lead.release()
    settings = service_world.world.service.settings
    dying = [sys.executable, "-c", DYING, settings.data, settings.database, str(recorded)]
    assert subprocess.run(dying, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    assert sum(len(service_world.runs(job)) for job in jobs) == recorded
    service_world.pass_minutes(1)
    assert [len(service_world.runs(job)) for job in jobs] == [1] * 150
