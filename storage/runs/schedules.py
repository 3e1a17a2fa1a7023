"""The next times of jobs and mails in the database, from their leaves config/schedule and config/enabled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from chains.language.mistake import Mistake
from chains.language.schedule import Schedule, parse
from chains.schedules.timetable import Due, Firing
from storage.database.bulk import several
from storage.signals.waking_store import WakingStore
from storage.tree.item_rows import IS_LIVE, ITEM
from vfs.ports.clock import stamp

SET = """
INSERT INTO schedule (job, text, zone, expression, planned) VALUES (:job, :text, :zone, :expression, :planned)
ON CONFLICT (job) DO UPDATE SET text = excluded.text, zone = excluded.zone, expression = excluded.expression,
    planned = excluded.planned"""
UNSET = "DELETE FROM schedule WHERE job = :job"
KNOWN = "SELECT text FROM schedule WHERE job = :job"
ALL = "SELECT job, text FROM schedule"
PLANS = "SELECT job, zone, expression FROM schedule"
PLAN = "UPDATE schedule SET planned = :planned WHERE job = :job"
# Serializes the ends of a job's scheduled runs, its pause and its tick. To avoid deadlocks, all transactions
# take their locks in this order: a run, this row, the counts of the job, its leaves.
LOCK_SCHEDULE = "UPDATE schedule SET planned = planned WHERE job = :job"
SAID = f"""
SELECT i.id, s.text, e.text FROM item i
JOIN leaf s ON s.item = i.id AND s.rel = 'config/schedule'
LEFT JOIN leaf e ON e.item = i.id AND e.rel = 'config/enabled'
WHERE {IS_LIVE}"""
DUE = f"""
SELECT {ITEM.of("i")}, s.zone, s.expression, s.planned, coalesce(a.locked, FALSE)
FROM schedule s JOIN item i ON i.id = s.job LEFT JOIN account a ON a.name = i.owner
WHERE s.planned <= :now AND {IS_LIVE} ORDER BY s.planned, s.job LIMIT :most"""
TAKE = """
UPDATE schedule SET planned = v.column3 FROM (VALUES ?) AS v
WHERE schedule.job = CAST(v.column1 AS BIGINT) AND schedule.planned = v.column2 RETURNING schedule.job"""
FIRE = "INSERT INTO firing (job, planned) VALUES ? ON CONFLICT DO NOTHING RETURNING job"
FIRED = "SELECT MAX(planned) FROM firing WHERE job = :job AND planned <= :before"
LAST = "SELECT MAX(planned) FROM firing"
FIRST = "SELECT MIN(planned) FROM schedule"
FORGET = "DELETE FROM firing WHERE planned < :before"


class StoredSchedules(WakingStore):
    """chains.schedules.timetable.Schedules over a database."""

    topic = "schedules"

    def set(self, job: int, text: str, enabled: bool) -> None:
        schedule = parse(text, is_stored=True) if enabled else None
        with self._database.atomic():
            known = self._database.value(KNOWN, job=job)
            if schedule is None:
                if known is not None:
                    self._database.run(UNSET, job=job)
            elif known != text:
                self._database.run(SET, **self._row(job, text, schedule))
                self.signal()

    def _row(self, job: int, text: str, schedule: Schedule) -> dict[str, int | str]:
        planned = stamp(schedule.after(self._clock.now()))
        plan = {"zone": schedule.zone, "expression": schedule.expression, "planned": planned}
        return {"job": job, "text": text, **plan}

    def rebuild(self) -> None:
        with self._database.atomic():
            if self._database.dialect == "postgresql":
                # A writer of a leaf now waits until this ends, so its newer row is kept.
                self._database.run("LOCK TABLE schedule IN SHARE ROW EXCLUSIVE MODE")
            said = {job: text for job, text, enabled in self._database.rows(SAID) if enabled != "false"}
            known: dict[int, str] = dict(self._database.rows(ALL))
            plans = {job: readable(text) for job, text in said.items() if text != known.get(job)}
            self._database.many(UNSET, [{"job": job} for job in known if job not in said or job in plans])
            self._database.many(SET, [self._row(job, said[job], plan) for job, plan in plans.items() if plan])
            last = self._database.value(LAST)
            if last is not None and last > self._now():
                self.replan()

    def replan(self) -> None:
        now = self._clock.now()
        with self._database.atomic():
            plans = [(job, Schedule(*plan)) for job, *plan in self._database.rows(PLANS)]
            self._database.many(
                PLAN, [{"planned": stamp(plan.after(now)), "job": job} for job, plan in plans]
            )

    def due(self, now: datetime, most: int) -> Sequence[Due]:
        rows = (ITEM.split(row) for row in self._database.rows(DUE, now=stamp(now), most=most))
        return [
            Due(job, Schedule(zone, expression), planned, bool(locked))
            for job, (zone, expression, planned, locked) in rows
        ]

    def take(self, firings: Sequence[Firing]) -> Sequence[Firing]:
        with self._database.atomic():
            plans = [(one.due.item.id, one.due.planned, stamp(one.next)) for one in firings]
            moved = {job for (job,) in several(self._database, TAKE, plans)}
            taken = [one for one in firings if one.due.item.id in moved]
            times = [(one.due.item.id, stamp(one.at)) for one in taken if one.at is not None]
            fresh = {job for (job,) in several(self._database, FIRE, times)}
        return [one for one in taken if one.at is None or one.due.item.id in fresh]

    def last_fired(self, job: int, before: str) -> str | None:
        planned: str | None = self._database.value(FIRED, job=job, before=before)
        return planned

    def first(self) -> str | None:
        planned: str | None = self._database.value(FIRST)
        return planned

    def forget(self, before: datetime) -> None:
        self._database.run(FORGET, before=stamp(before))


def readable(text: str | None) -> Schedule | None:
    """Return the schedule of a stored text; None when its time zone is unknown on this system."""
    try:
        return parse(text or "", is_stored=True)
    except Mistake:
        return None
