"""Counts of the runs of each job, day by day, with those of the runs that are there already."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from storage.migrations.dialect import execute

COUNTERS = ("api", "schedule", "email", "success", "failed")
SIZE = 31 * len(COUNTERS) * 4

# `counts` are 32 bits for each counter of each day of the month, lowest first.
TABLE = """CREATE TABLE activity (
    job {int} NOT NULL, month {text} NOT NULL, counts {bytes} NOT NULL,
    PRIMARY KEY (job, month)){clustered}"""
COUNTED = """
SELECT job, substr(created_on, 1, 10), trigger, status, COUNT(*) FROM run
WHERE parent IS NULL AND NOT discarded GROUP BY 1, 2, 3, 4"""


def up(migrator: Any, db: Any) -> None:
    """Create the table and count what is there."""
    execute(db, [TABLE])
    fill(db)


def fill(db: Any) -> None:
    """Count the recorded runs."""
    months: defaultdict[tuple[int, str], int] = defaultdict(int)
    for job, day, trigger, status, runs in db.execute_sql(COUNTED).fetchall():
        for counter in {trigger, status} & set(COUNTERS):
            lane = len(COUNTERS) * (int(day[8:]) - 1) + COUNTERS.index(counter)
            months[job, day[:7]] += runs << (32 * lane)
    insert = f"INSERT INTO activity (job, month, counts) VALUES ({db.param}, {db.param}, {db.param})"
    for (job, month), number in months.items():
        db.execute_sql(insert, (job, month, number.to_bytes(SIZE, "little")))
