"""Counts of the runs of each job as a row for each day, instead of a number for each month."""

from __future__ import annotations

from struct import Struct
from typing import Any

from storage.migrations.dialect import execute

# A month was 32 bits for each of five counters of each of 31 days, lowest first.
MONTH = Struct("<155I")
TABLE = """CREATE TABLE job_day (
    job {int} NOT NULL, day {text} NOT NULL, api {int} NOT NULL DEFAULT 0, schedule {int} NOT NULL DEFAULT 0,
    email {int} NOT NULL DEFAULT 0, success {int} NOT NULL DEFAULT 0, failed {int} NOT NULL DEFAULT 0,
    PRIMARY KEY (job, day)){clustered}"""


def up(migrator: Any, db: Any) -> None:
    """Create the table from the previous one, which is dropped."""
    execute(db, [TABLE])
    insert = f"INSERT INTO job_day VALUES ({', '.join([db.param] * 7)})"
    for job, month, counts in db.execute_sql("SELECT job, month, counts FROM activity").fetchall():
        numbers = MONTH.unpack(bytes(counts))
        for day in range(31):
            if any(of_day := numbers[5 * day : 5 * day + 5]):
                db.execute_sql(insert, (job, f"{month}-{day + 1:02}", *of_day))
    db.execute_sql("DROP TABLE activity")
