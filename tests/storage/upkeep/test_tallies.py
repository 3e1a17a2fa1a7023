"""Tallies of what is open and what ended, by state and age, without a walk over whole tables."""

from __future__ import annotations

import re
from datetime import timedelta

from chains.runs.overview import OpenTally, WaitingMails
from storage.database.database import Database
from storage.upkeep.overview import (
    DELIVERIES,
    ENDED,
    HOOKS,
    INBOUND,
    MESSAGES,
    NOTICES,
    TALLY_BUILDS,
    TALLY_HOLDS,
    TALLY_RUNS,
    StoredOverview,
)
from tests.kit.suites.kernel import StillClock
from vfs.ports.clock import stamp

CLOCK = StillClock()
NOW = CLOCK.now()
RUN = """
INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, started_on, completed_on,
    worker, top, parent, lines, discarded, spaces)
VALUES (1, :id, :id, :status, :trigger, '', 'wren', :made, :began, :ended, :worker, :top, :top, 0, FALSE,
    '')"""
# Rows that go when they are done, and what a statement found already.
SHORT = re.compile("queued_message|hook|ended")
HOLD = """
INSERT INTO hold (run, step, phase, waiting_since)
SELECT key, 'a', 'before', :since FROM run WHERE status = 'waiting'"""
BUILD = """
INSERT INTO build (repo, labels, ref, revision, status, error, created_on, pusher)
VALUES (1, '[]', '', '', :status, '', :made, 'wren')"""
WORKER = "INSERT INTO worker (name, home, expires_on, trouble) VALUES (:name, :name, :until, :trouble)"


def ago(**time: float) -> str:
    return stamp(NOW - timedelta(**time))


def run(database: Database, id: str, status: str, **more: str | int | None) -> None:
    facts = {"trigger": "api", "made": ago(hours=3), **dict.fromkeys(("began", "ended", "worker", "top"))}
    database.run(RUN, id=id, status=status, **facts | more)


def test_an_empty_book_has_nothing_to_count(database: Database) -> None:
    view = StoredOverview(database, CLOCK, {})
    with database.session():
        assert (view.tally_runs(), view.tally_builds(), view.tally_holds()) == ({}, {}, OpenTally())
        assert (view.ended_runs(ago(hours=24), 9), view.mails()) == ({}, WaitingMails(0, 0, 0, 0, 0))
        assert view.count_runners() == {"working": 0, "without_podman": 0, "late": 0}


def test_tallies_tell_of_states_and_of_the_oldest(database: Database) -> None:
    with database.session():
        run(database, "q1", "processing", made=ago(seconds=60))
        run(database, "q2", "processing", made=ago(seconds=30))
        run(database, "r1", "processing", began=ago(seconds=90), worker="w")
        run(database, "inner", "processing", top=1)
        run(database, "h1", "waiting")
        run(database, "e1", "success", ended=ago(hours=1))
        run(database, "e2", "success", ended=ago(hours=1), trigger="odd")
        run(database, "e3", "failed", ended=ago(hours=25))
        database.run(HOLD, since=ago(seconds=120))
        for status, hours in (("queued", 2), ("building", 1), ("ready", 5)):
            database.run(BUILD, status=status, made=ago(hours=hours))
        for name, seconds, trouble in (("w", -9, None), ("x", -9, "no Podman"), ("y", 9, None)):
            database.run(WORKER, name=name, until=ago(seconds=seconds), trouble=trouble)
        view = StoredOverview(database, CLOCK, {})
        runs = view.tally_runs()
        assert runs["queued"] == OpenTally(2, ago(seconds=60))
        assert runs["running"] == OpenTally(1, ago(seconds=90))
        assert runs["waiting"].number == 1
        assert view.tally_holds() == OpenTally(1, ago(seconds=120))
        builds = {"queued": OpenTally(1, ago(hours=2)), "building": OpenTally(1, ago(hours=1))}
        assert view.tally_builds() == builds
        assert view.ended_runs(ago(hours=24), 9) == {("success", "api"): 1, ("success", "odd"): 1}
        assert sum(view.ended_runs(ago(hours=24), 1).values()) == 1
        assert view.count_runners() == {"working": 1, "without_podman": 1, "late": 1}
        assert view.silent_runners() == {"y": ago(seconds=9)}


def test_no_statement_walks_over_a_whole_table(database: Database) -> None:
    if database.dialect != "sqlite":
        return  # it walks over small tables as it likes
    with database.session():
        for sql in (
            TALLY_RUNS,
            TALLY_BUILDS,
            TALLY_HOLDS,
            ENDED,
            DELIVERIES,
            MESSAGES,
            NOTICES,
            INBOUND,
            HOOKS,
        ):
            named = {name: "" for name in ("since", "most") if f":{name}" in sql}
            plan = [str(row[3]) for row in database.rows(f"EXPLAIN QUERY PLAN {sql}", **named)]
            walks = [step for step in plan if step.startswith("SCAN") and "INDEX" not in step]
            assert [step for step in walks if not SHORT.search(step)] == [], plan
