"""Figures of the book: what is open by state and age, what ended in a day, and no walk over whole tables."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from storage.database.database import Database
from storage.upkeep.figures import BUILDS, ENDED, HOLDS, MAILS, RUNS, OpenTally, book_figures
from vfs.ports.clock import stamp

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
RUN = """
INSERT INTO run (job, id, shortname, status, trigger, source, caller, created_on, started_on, completed_on,
    worker, top, parent, lines, discarded, spaces)
VALUES (1, :id, :id, :status, :trigger, '', 'wren', :made, :began, :ended, :worker, :top, :top, 0, FALSE,
    '')"""
# Rows that go when they are done, and what a statement found already.
SHORT = re.compile("queued_message|ended")
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


def test_an_empty_book_has_figures_of_nothing(database: Database) -> None:
    with database.session():
        found = book_figures(database, NOW)
    assert found.runs == dict.fromkeys(("queued", "running", "waiting", "canceling"), OpenTally())
    assert (found.ended, sum(found.mails.values()), sum(found.runners.values())) == ({}, 0, 0)


def test_figures_tell_of_states_and_ages(database: Database) -> None:
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
        found = book_figures(database, NOW)
    assert found.runs["queued"] == OpenTally(2, 60.0)
    assert found.runs["running"] == OpenTally(1, 90.0)
    assert found.runs["waiting"].number == 1
    assert found.holds == {"waiting": OpenTally(1, 120.0)}
    assert found.builds == {"queued": OpenTally(1, 7200.0), "building": OpenTally(1, 3600.0)}
    assert found.ended == {("success", "api"): 1, ("success", "other"): 1}
    assert found.runners == {"working": 1, "without_podman": 1, "late": 1}


def test_no_statement_walks_over_a_whole_table(database: Database) -> None:
    if database.dialect != "sqlite":
        return  # it walks over small tables as it likes
    with database.session():
        for sql in (RUNS, BUILDS, HOLDS, ENDED, MAILS):
            named = {name: "" for name in ("since", "most") if f":{name}" in sql}
            plan = [str(row[3]) for row in database.rows(f"EXPLAIN QUERY PLAN {sql}", **named)]
            walks = [step for step in plan if step.startswith("SCAN") and "INDEX" not in step]
            assert [step for step in walks if not SHORT.search(step)] == [], plan
