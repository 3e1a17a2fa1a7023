"""The next times of items in the database, computed from their schedules and config/enabled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from chains.language.mistake import Mistake
from chains.language.schedule import Schedule, parse
from chains.schedules.timetable import SCHEDULE, SNAPSHOTS, Due, Firing
from storage.database.bulk import several
from storage.signals.waking_store import WakingStore
from storage.tree.item_rows import IS_LIVE, ITEM
from vfs.ports.clock import stamp

SET = """
INSERT INTO schedule (job, rel, text, zone, expression, planned)
VALUES (:job, :rel, :text, :zone, :expression, :planned)
ON CONFLICT (job, rel) DO UPDATE SET text = excluded.text, zone = excluded.zone,
    expression = excluded.expression, planned = excluded.planned"""
UNSET = "DELETE FROM schedule WHERE job = :job AND rel = :rel"
KNOWN = "SELECT text FROM schedule WHERE job = :job AND rel = :rel"
ALL = "SELECT job, rel, text FROM schedule"
PLANS = "SELECT job, rel, zone, expression FROM schedule"
PLAN = "UPDATE schedule SET planned = :planned WHERE job = :job AND rel = :rel"
# Serializes the ends of a job's scheduled runs, its pause and its tick. To avoid deadlocks, all transactions
# take their locks in this order: a run, this row, the counts of the job, its leaves.
LOCK_SCHEDULE = "UPDATE schedule SET planned = planned WHERE job = :job"
SAID = f"""
SELECT i.id, s.rel, s.text, e.text FROM item i
JOIN leaf s ON s.item = i.id AND s.rel IN ('{SCHEDULE}', '{SNAPSHOTS}')
LEFT JOIN leaf e ON e.item = i.id AND e.rel = 'config/enabled' AND s.rel = '{SCHEDULE}'
WHERE {IS_LIVE}"""
DUE = f"""
SELECT {ITEM.of("i")}, s.zone, s.expression, s.planned, coalesce(a.locked, FALSE), s.rel
FROM schedule s JOIN item i ON i.id = s.job LEFT JOIN account a ON a.name = i.owner
WHERE s.planned <= :now AND {IS_LIVE} ORDER BY s.planned, s.job, s.rel LIMIT :most"""
TAKE = """
UPDATE schedule SET planned = v.column4 FROM (VALUES ?) AS v
WHERE schedule.job = CAST(v.column1 AS BIGINT) AND schedule.rel = v.column2
    AND schedule.planned = v.column3 RETURNING schedule.job, schedule.rel"""
FIRE = "INSERT INTO firing (job, rel, planned) VALUES ? ON CONFLICT DO NOTHING RETURNING job, rel"
FIRED = f"""
SELECT MAX(planned) FROM firing WHERE job = :job AND rel = '{SCHEDULE}' AND planned <= :before"""
LAST = "SELECT MAX(planned) FROM firing"
FIRST = "SELECT MIN(planned) FROM schedule"
FORGET = "DELETE FROM firing WHERE planned < :before"


class StoredSchedules(WakingStore):
    """chains.schedules.timetable.Schedules over a database."""

    topic = "schedules"

    def set(self, job: int, text: str, enabled: bool, rel: str = SCHEDULE) -> None:
        schedule = parse(text, is_stored=True) if enabled else None
        with self._database.atomic():
            known = self._database.value(KNOWN, job=job, rel=rel)
            if schedule is None:
                if known is not None:
                    self._database.run(UNSET, job=job, rel=rel)
            elif known != text:
                self._database.run(SET, **self._row(job, rel, text, schedule))
                self.signal()

    def _row(self, job: int, rel: str, text: str, schedule: Schedule) -> dict[str, int | str]:
        planned = stamp(schedule.after(self._clock.now()))
        plan = {"zone": schedule.zone, "expression": schedule.expression, "planned": planned}
        return {"job": job, "rel": rel, "text": text, **plan}

    def rebuild(self) -> None:
        with self._database.atomic():
            if self._database.dialect == "postgresql":
                # A writer of a schedule now waits until this transaction ends, so its newer row is kept.
                self._database.run("LOCK TABLE schedule IN SHARE ROW EXCLUSIVE MODE")
            said = {(job, rel): text for job, rel, text, on in self._database.rows(SAID) if on != "false"}
            known = {(job, rel): text for job, rel, text in self._database.rows(ALL)}
            plans = {key: readable(text) for key, text in said.items() if text != known.get(key)}
            gone = [(job, rel) for job, rel in known if (job, rel) not in said or (job, rel) in plans]
            self._database.many(UNSET, [{"job": job, "rel": rel} for job, rel in gone])
            rows = [self._row(*key, said[key], plan) for key, plan in plans.items() if plan]
            self._database.many(SET, rows)
            last = self._database.value(LAST)
            if last is not None and last > self._now():
                self.replan()

    def replan(self) -> None:
        now = self._clock.now()
        with self._database.atomic():
            plans = [(job, rel, Schedule(*plan)) for job, rel, *plan in self._database.rows(PLANS)]
            rows = [{"planned": stamp(plan.after(now)), "job": job, "rel": rel} for job, rel, plan in plans]
            self._database.many(PLAN, rows)

    def due(self, now: datetime, most: int) -> Sequence[Due]:
        rows = (ITEM.split(row) for row in self._database.rows(DUE, now=stamp(now), most=most))
        return [
            Due(job, Schedule(zone, expression), planned, bool(locked), rel)
            for job, (zone, expression, planned, locked, rel) in rows
        ]

    def take(self, firings: Sequence[Firing]) -> Sequence[Firing]:
        with self._database.atomic():
            plans = [(*one.due.key, one.due.planned, stamp(one.next)) for one in firings]
            moved = set(several(self._database, TAKE, plans))
            taken = [one for one in firings if one.due.key in moved]
            times = [(*one.due.key, stamp(one.at)) for one in taken if one.at is not None]
            fresh = set(several(self._database, FIRE, times))
        return [one for one in taken if one.at is None or one.due.key in fresh]

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
