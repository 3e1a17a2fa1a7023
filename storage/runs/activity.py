"""Counts of runs in the database, one row for each job and day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from chains.runs.activity import COUNTERS, OUTCOMES, TRIGGERS, Day
from chains.runs.states import Status
from storage.database.store import Store

COUNT = """
INSERT INTO job_day (job, day, {counter}) VALUES (:job, :day, :runs)
ON CONFLICT (job, day) DO UPDATE SET {counter} = job_day.{counter} + excluded.{counter}"""
FORGET = "DELETE FROM job_day WHERE job = :job"
# References of the groups of `+org` sort from `+org~` to below `+org\x7f`. The query starts from the caller's
# memberships. A share counts while the job's owner is in the group.
JOBS = """
SELECT DISTINCT s.item AS job FROM member m CROSS JOIN share s CROSS JOIN member o
WHERE m.name = :me AND m.group_ref >= :first AND m.group_ref < :last AND NOT m.pending
    AND s.target = m.group_ref AND s.kind = 'job' AND s.letters <> replace(s.letters, 'r', '')
    AND o.group_ref = s.target AND o.name = s.owner AND NOT o.pending"""
DAYS = f"""
SELECT d.day, {", ".join(f"sum(d.{counter})" for counter in COUNTERS)}
FROM ({JOBS}) j CROSS JOIN job_day d
WHERE d.job = j.job AND d.day >= :begin AND d.day <= :end GROUP BY d.day ORDER BY d.day"""


class StoredActivity(Store):
    """chains.runs.activity.Activity over a database."""

    def count_start(self, jobs: Sequence[int], trigger: str, created_on: str) -> None:
        if trigger in TRIGGERS:
            self._add(jobs, trigger, created_on)

    def count_end(self, job: int, status: Status, created_on: str) -> None:
        if status in OUTCOMES:
            self._add([job], status, created_on)

    def forget(self, job: int) -> None:
        self._database.run(FORGET, job=job)

    def days(self, org: str, caller: str, first: date, last: date) -> Sequence[Day]:
        groups = {"me": caller, "first": f"+{org}~", "last": f"+{org}\x7f"}
        rows = self._database.rows(DAYS, **groups, begin=first.isoformat(), end=last.isoformat())
        return [Day(day, *map(int, counts)) for day, *counts in rows]

    def _add(self, jobs: Sequence[int], counter: str, created_on: str) -> None:
        # Sorted, so that two transactions cannot deadlock.
        runs = [
            {"job": job, "day": created_on[:10], "runs": each} for job, each in sorted(Counter(jobs).items())
        ]
        self._database.many(COUNT.format(counter=counter), runs)
