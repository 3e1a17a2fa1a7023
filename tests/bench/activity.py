"""Row a1: what an organisation's days of activity cost, against counting the runs each time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from handlers.processes.world import LiveWorld, build
from handlers.settings.sources import load
from handlers.trees.people.activity import LONGEST, dense
from storage.runs.activity import JOBS
from tests.bench.figures import Figure, in_turn
from tests.kit.suites.kernel import StillClock
from vfs.access import Grant, Role
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account

SHARED = 1_000
MANY = 1_000_000
# Of a million runs so many are one job's.
BIGGEST = 340_503
STRIDE = 7_919
ROWS = ("a1",)
RUN = """
INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, lines, discarded, spaces)
VALUES (:job, :id, :shortname, :status, :trigger, 'curl', 'alice', :day, 0, FALSE, '')"""
COUNTED = """
INSERT INTO job_day SELECT job, substr(created_on, 1, 10), sum(trigger = 'api'), sum(trigger = 'schedule'),
    sum(trigger = 'email'), sum(status = 'success'), sum(status = 'failed') FROM run GROUP BY 1, 2"""
# The quickest way for SQLite to count so many of the runs there are.
RAW = f"""
SELECT substr(r.created_on, 1, 10), r.trigger, r.status, COUNT(*) FROM run r NOT INDEXED
WHERE r.parent IS NULL AND r.job IN ({JOBS}) AND r.created_on >= :since GROUP BY 1, 2, 3"""


def measure(rows: set[str], rounds: int, scratch: Path) -> Iterator[Figure]:
    """The rows that are asked for."""
    if not rows & set(ROWS):
        return
    live_world = opened(scratch / "activity", MANY)
    try:
        ours, raw = in_turn(rounds, lambda: series(live_world), lambda: counted(live_world))
        what = f"activity of {LONGEST} days, {SHARED:,} jobs, {MANY:,} runs"
        yield Figure("a1", f"{what}, against counting runs", ours * 1000, raw * 1000, bound=0.30)
    finally:
        live_world.close()


def opened(folder: Path, runs: int) -> LiveWorld:
    """A house in which so many runs are recorded."""
    clock = StillClock(datetime(2026, 11, 21, 12, tzinfo=UTC))
    live_world = build(load({}, data=str(folder), synchronous="normal"), clock)
    record(live_world, settle(live_world), runs)
    return live_world


def settle(live_world: LiveWorld) -> list[int]:
    """An organisation with a group in which bob is, and what alice shares there."""
    world = live_world.world
    for name in ("alice", "bob", "village"):
        world.people.users.add(name, "digest", Account.REGULAR, None, public=False)
    world.people.groups.create(GroupKind.ORG, "village", "village", "village")
    group = world.people.groups.create(GroupKind.ORG_GROUP, "village", "birders", "village").ref
    jobs = []
    with world.atomic():
        for name in ("alice", "bob"):
            world.people.members.put(group, name, Role.MEMBERS, pending=False, by=None)
        for number in range(SHARED):
            job = world.items.create("job", "alice", f"job{number}").id
            world.grants.give(job, Grant(group, "rx", f"{group}~rx"))
            jobs.append(job)
    return jobs


def record(live_world: LiveWorld, jobs: list[int], runs: int) -> None:
    """Runs over the days, as they would have been recorded one by one, with their counts."""
    live_world.database.many(RUN, list(_runs(live_world, jobs, runs)))
    live_world.database.run(COUNTED)


def _runs(live_world: LiveWorld, jobs: list[int], runs: int) -> Iterator[dict[str, Any]]:
    today = live_world.world.clock.now()
    days = [
        (today - timedelta(days=day)).isoformat(timespec="milliseconds")[:-6] + "Z" for day in range(LONGEST)
    ]
    for number in range(runs):
        job = jobs[0] if number < runs * BIGGEST // MANY else jobs[number % SHARED]
        status = "failed" if number % 9 == 0 else "success"
        trigger = ("api", "schedule", "email")[number % 3]
        yield {
            "job": job,
            "id": f"run-{number}",
            "shortname": f"r{number}",
            "status": status,
            "trigger": trigger,
            "day": days[number * STRIDE % LONGEST],
        }


def series(live_world: LiveWorld) -> float:
    """Seconds for the days of the organisation as bob sees them."""
    began = time.perf_counter()
    last = live_world.world.clock.now().date()
    first = last - timedelta(days=LONGEST - 1)
    assert (
        len(dense(live_world.world.code.activity.days("village", "bob", first, last), first, last)) == LONGEST
    )
    return time.perf_counter() - began


def counted(live_world: LiveWorld) -> float:
    """Seconds to count the runs themselves."""
    began = time.perf_counter()
    since = (live_world.world.clock.now() - timedelta(days=LONGEST - 1)).date().isoformat()
    assert live_world.database.rows(RAW, me="bob", first="+village~", last="+village\x7f", since=since)
    return time.perf_counter() - began
