"""Processes that meet at one run store: exactly one wins a race, and waiting processes are woken at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from chains.runs.states import Event, Status
from storage.database.database import Database
from tests.kit.crashing import NEVER, Opened, Site
from tests.kit.suites.chains import chain
from tests.kit.unmeasured import processes, start
from vfs.errors import Conflict

ROUNDS = 100
SOON = 0.05


@pytest.fixture
def site(migrated_url: str, tmp_path: Path) -> Site:
    database = Database(migrated_url)
    database.run(
        "INSERT INTO item (id, kind, owner, name, shortname, created_on, last_modified)"
        " VALUES (1, 'job', 'alice', 'nightly', 'Jobby', '', '')"
    )
    database.close()
    return Site(migrated_url, tmp_path)


@pytest.fixture
def opened(site: Site) -> Iterator[Opened]:
    with site.opened() as opened:
        yield opened


def serve(site: Site, event: Event, pipe: Connection) -> None:
    """In another process: for each key that comes, race with an event; a None asks to take all there is; 0
    ends."""
    with site.opened() as opened:
        pipe.send("ready")
        while (key := pipe.recv()) != 0:
            if key is None:
                pipe.send([run.key for run in iter(lambda: opened.run_store.queue.take(event), None)])
                continue
            try:
                pipe.send(opened.run_store.states.event(key, event))
            except Conflict as refused:
                pipe.send(refused.members["run_status"])


class Rival:
    """A process that races."""

    def __init__(self, site: Site, event: Event) -> None:
        self.event = event
        self.pipe, theirs = processes.Pipe()
        self.process = processes.Process(target=serve, args=(site, event, theirs))
        start(self.process)
        assert self.pipe.recv() == "ready"

    def end(self) -> None:
        self.pipe.send(0)
        self.process.join(NEVER)


@pytest.fixture
def rivals(site: Site) -> Iterator[list[Rival]]:
    rivals = [Rival(site, event) for event in (Event.SUCCEED, Event.LOSE)]
    yield rivals
    for rival in rivals:
        rival.end()


def test_of_two_processes_that_end_a_run_exactly_one_wins(opened: Opened, rivals: list[Rival]) -> None:
    wins = {Status.SUCCESS: 0, Status.FAILED: 0}
    for number in range(ROUNDS):
        run = opened.order(chain("a"), number)
        for rival in rivals:
            rival.pipe.send(run.key)
        answers = [rival.pipe.recv() for rival in rivals]
        found = opened.run_store.reader.by_key(run.key)
        assert found is not None
        assert answers == [found.status] * 2, "the winner gets its status, the other the one that stands"
        wins[found.status] += 1
    assert sum(wins.values()) == ROUNDS


def test_a_job_is_stopped_while_its_runs_end(opened: Opened, rivals: list[Rival]) -> None:
    for number in range(ROUNDS):
        runs = [opened.order(chain("a"), 3 * number + one) for one in range(3)]
        for run in runs:
            rivals[0].pipe.send(run.key)
        opened.run_store.retention.stop(1)
        assert [rivals[0].pipe.recv() for _ in runs] == [Status.SUCCESS] * len(runs)


def test_two_processes_that_claim_share_the_runs(opened: Opened, rivals: list[Rival]) -> None:
    keys = {opened.order(chain("a"), number).key for number in range(ROUNDS)}
    for rival in rivals:
        rival.pipe.send(None)
    shares = [rival.pipe.recv() for rival in rivals]
    taken = [key for share in shares for key in share]
    assert len(taken) == len(keys)
    assert set(taken) == keys


def test_a_waiter_is_woken_by_another_process_within_50_ms(opened: Opened, rivals: list[Rival]) -> None:
    late = []
    for number in range(20):
        run = opened.order(chain("a"), number)
        started = time.monotonic()
        rivals[0].pipe.send(run.key)
        assert opened.run_store.waits.wait(run.key, lambda status: status.ended, NEVER) is Status.SUCCESS
        late.append(time.monotonic() - started)
        assert rivals[0].pipe.recv() is Status.SUCCESS
    assert sorted(late)[len(late) // 4] < SOON, late
