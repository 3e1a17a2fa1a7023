"""Rows s1 to s3: what 10,000 scheduled jobs cost at the start, at a busy minute, and while nothing is due."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from chains.language.ast import to_data
from chains.language.chain import parse
from chains.schedules.timer import Timer
from handlers.processes.background import timer_of
from handlers.processes.world import LiveWorld, build
from handlers.settings.sources import load
from tests.bench.figures import Figure, in_turn
from tests.kit.suites.kernel import StillClock
from vfs.ports.people import Account

JOBS = 10_000
BUSY = 440
LOOKS, WARM = 200, 20
LOOK = 0.01
ROWS = ("s1", "s2", "s3")


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    clock = StillClock()
    folder = str(scratch / "schedules")
    live_world = build(load({}, data=folder, quota_items=str(2 * JOBS), quota_runs=str(JOBS)), clock)
    try:
        settle(live_world, rounds)
        timer = timer_of(live_world)
        timer.turn()
        if "s1" in rows:
            (start,) = in_turn(rounds, lambda: started(live_world))
            yield Figure("s1", f"start with {JOBS:,} scheduled jobs", start * 1000, bound=1000)
        if "s2" in rows:
            (tick,) = in_turn(rounds, lambda: minute(timer, clock))
            yield Figure("s2", f"a minute's edge to the rows of {BUSY} runs", tick * 1000, bound=150)
        if "s3" in rows:
            (idle,) = in_turn(rounds, lambda: look(live_world, clock))
            what = f"processor time a minute with {JOBS:,} scheduled jobs, none due"
            yield Figure("s3", what, idle * 1000, bound=1)
    finally:
        live_world.lead.release()
        live_world.close()


def settle(live_world: LiveWorld, rounds: int) -> None:
    """Jobs of one image, 440 of them for each of the next minutes and the others for other days."""
    world = live_world.world
    world.people.users.add("alice", "digest", Account.REGULAR, None, public=False)
    repo = world.items.create("repo", "alice", "noop")
    image = world.code.builds.queue(repo.id, ("latest",), "refs/heads/main", "c0ffee", "alice")
    world.code.builds.take("w")
    world.code.builds.finish(image, "image")
    plan = json.dumps(to_data(parse("noop")))
    minutes = [world.clock.now() + timedelta(minutes=number) for number in range(1, rounds + 1)]
    with world.atomic():
        for number in range(JOBS):
            job = world.items.create("job", "alice", f"job{number}").id
            busy = minutes[number // BUSY] if number // BUSY < rounds else None
            text = f"{number % 60} {number % 24} {1 + number % 28} 6 *"
            if busy is not None:
                text = f"{busy.minute} {busy.hour} {busy.day} {busy.month} *"
            for rel, content in (("chains", "noop"), ("plan", plan), ("schedule", text)):
                world.leaves.put(job, f"config/{rel}", content, "alice")


def started(live_world: LiveWorld) -> float:
    """Seconds that a process takes to begin with what is scheduled."""
    live_world.lead.release()
    began = time.perf_counter()
    timer_of(live_world).turn()
    return time.perf_counter() - began


def minute(timer: Timer, clock: StillClock) -> float:
    """Seconds that the jobs of the next minute take until they have their runs."""
    clock.forward(60)
    began = time.perf_counter()
    timer.turn()
    return time.perf_counter() - began


def look(live_world: LiveWorld, clock: StillClock) -> float:
    """Processor time of one look, alarm included; there is one a minute when nothing is due."""
    marks: dict[int, float] = {}
    enough = threading.Event()

    class Counted(StillClock):
        """The clock, asked twice a look."""

        def now(self) -> datetime:
            marks[len(marks)] = time.process_time()
            if len(marks) > 2 * (WARM + LOOKS):
                enough.set()
            return clock.now()

    timer = Timer(live_world.world.code.schedules, live_world.lead, Counted(), lambda firings: None, LOOK)
    thread = threading.Thread(target=timer.loop)
    thread.start()
    enough.wait()
    timer.stop()
    thread.join()
    return (marks[2 * (WARM + LOOKS)] - marks[2 * WARM]) / LOOKS
