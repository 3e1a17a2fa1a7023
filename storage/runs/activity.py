"""Counts of runs as rows, one for each job and month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from chains.runs.activity import OUTCOMES, TRIGGERS, Day, days_of, pack_month, unit, unpack_month
from chains.runs.states import Status
from storage.database.bulk import several
from storage.database.database import Database

# The statement that reads the rows locks them until the transaction ends: what comes at once is added up.
HELD = (
    "INSERT INTO activity (job, month, counts) VALUES ?"
    " ON CONFLICT (job, month) DO UPDATE SET counts = activity.counts RETURNING job, counts"
)
NEXT = "UPDATE activity SET counts = :counts WHERE job = :job AND month = :month"
FORGET = "DELETE FROM activity WHERE job = :job"
# The references of the groups of `+org` stand from `+org~` to short of the next character. Driven from the
# caller's memberships; a share counts while the job's owner is in the group.
JOBS = """
SELECT DISTINCT s.item AS job FROM member m CROSS JOIN share s CROSS JOIN member o
WHERE m.name = :me AND m.group_ref >= :first AND m.group_ref < :last AND NOT m.pending
    AND s.target = m.group_ref AND s.kind = 'job' AND s.letters <> replace(s.letters, 'r', '')
    AND o.group_ref = s.target AND o.name = s.owner AND NOT o.pending"""
MONTHS = f"""
SELECT a.month, a.counts FROM ({JOBS}) j CROSS JOIN activity a
WHERE a.job = j.job AND a.month >= :begin AND a.month <= :end"""


class StoredActivity:
    """chains.runs.activity.Activity over a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count_start(self, jobs: Sequence[int], trigger: str, created_on: str) -> None:
        if trigger in TRIGGERS:
            self._add(jobs, trigger, created_on)

    def count_end(self, job: int, status: Status, created_on: str) -> None:
        if status in OUTCOMES:
            self._add([job], status, created_on)

    def forget(self, job: int) -> None:
        self._database.run(FORGET, job=job)

    def days(self, org: str, caller: str, first: date, last: date) -> Sequence[Day]:
        begin, end = first.isoformat(), last.isoformat()
        groups = {"me": caller, "first": f"+{org}~", "last": f"+{org}\x7f"}
        months: dict[str, int] = {}
        for month, counts in self._database.rows(MONTHS, **groups, begin=begin[:7], end=end[:7]):
            months[month] = months.get(month, 0) + unpack_month(counts)
        days = (day for month in sorted(months) for day in days_of(month, months[month]))
        return [day for day in days if begin <= day.day <= end]

    def _add(self, jobs: Sequence[int], counter: str, created_on: str) -> None:
        month, one, more = created_on[:7], unit(counter, created_on), Counter(jobs)
        held = several(self._database, HELD, [(job, month, pack_month(0)) for job in sorted(more)])
        added = [
            {"counts": pack_month(unpack_month(counts) + more[job] * one), "job": job, "month": month}
            for job, counts in held
        ]
        self._database.many(NEXT, added)
