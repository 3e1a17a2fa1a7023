"""The table of events that trigger jobs, written in the transaction that causes the event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from chains.language.trigger_lines import MOST_LINES, TriggerKind
from chains.schedules.timetable import LastFiring, TriggerEvent
from storage.database.columns import TableColumns
from storage.signals.waking_store import WakingStore
from vfs.cause import CAUSE
from vfs.ports.clock import stamp
from vfs.ports.items import ItemName

TOGETHER = timedelta(seconds=1)
"""Time after which writes of a request to a space are an event: a form writes its files one by one."""
MOST_WAITING = 500
"""Maximum number of waiting events of a job. Further writes to a space are then one more event."""
MOST_JOBS = 1_000
"""Maximum number of jobs that one event may trigger, those of the item's owner first."""

EVENT = TableColumns(
    TriggerEvent, "id job kind subject cause journal happened_on tries caused_by", kind=TriggerKind
)
LAST_FIRING = TableColumns(LastFiring, "line settled_on run note")
ADD = """
INSERT INTO trigger_event (job, kind, subject, cause, journal, happened_on, due_on, caused_by)
SELECT r.item, CAST(:kind AS TEXT), i.id, CASE WHEN (
        SELECT count(*) FROM (SELECT 1 FROM trigger_event w
            WHERE w.job = r.item AND w.settled_on IS NULL LIMIT :waiting) waiting) < :waiting
    THEN CAST(:cause AS TEXT) ELSE CAST(:further AS TEXT) END,
    CAST(:journal AS TEXT), CAST(:now AS TEXT), CAST(:due AS TEXT), CAST(:caused_by AS TEXT)
FROM item i
JOIN item_reference r ON r.letter = :letter AND r.owner = i.owner AND r.name = i.name
    AND r.rel = 'config/triggers'
JOIN item j ON j.id = r.item
LEFT JOIN leaf e ON e.item = r.item AND e.rel = 'config/enabled'
WHERE i.id = :subject AND coalesce(e.text, 'true') <> 'false'
ORDER BY j.owner <> i.owner, r.item LIMIT :most {lock}
ON CONFLICT (job, kind, cause) WHERE settled_on IS NULL DO UPDATE
SET due_on = excluded.due_on, journal = CASE WHEN trigger_event.journal LIKE :adjacent
    THEN substr(trigger_event.journal, 1, length(trigger_event.journal) - :digits) || CAST(:last AS TEXT)
    ELSE trigger_event.journal || ',' || excluded.journal END"""
# A lock on the job's row: a job that is removed meanwhile is left out.
LOCKS = {"sqlite": "", "postgresql": "FOR KEY SHARE OF j"}
TAKE = f"""
UPDATE trigger_event SET due_on = :until, tries = tries + 1
WHERE settled_on IS NULL AND due_on <= :now AND id IN (
    SELECT id FROM trigger_event WHERE settled_on IS NULL AND due_on <= :now
    ORDER BY due_on, id LIMIT :most)
RETURNING {EVENT}"""
POSTPONE = "UPDATE trigger_event SET due_on = :due, note = :note WHERE id = :id AND settled_on IS NULL"
SETTLE = """
UPDATE trigger_event SET settled_on = :now, line = :line, run = :run, note = :note
WHERE id = :id AND settled_on IS NULL AND journal = :journal"""
REMOVE = "DELETE FROM trigger_event WHERE id = :id AND settled_on IS NULL AND journal = :journal"
FORGET = """
DELETE FROM trigger_event WHERE job = :job AND settled_on IS NOT NULL AND id <> :id AND (line = :line
    OR id NOT IN (SELECT id FROM trigger_event WHERE job = :job AND settled_on IS NOT NULL
        ORDER BY id DESC LIMIT :most))"""
WAITING = "SELECT count(*) FROM trigger_event WHERE job = :job AND settled_on IS NULL"
DROP = "DELETE FROM trigger_event WHERE job = :job AND settled_on IS NULL"
LAST = f"SELECT {LAST_FIRING} FROM trigger_event WHERE job = :job AND settled_on IS NOT NULL ORDER BY id"
NAMING_JOBS = """
SELECT r.item, l.text FROM item_reference r JOIN leaf l ON l.item = r.item AND l.rel = r.rel
WHERE r.letter = :letter AND r.owner = :owner AND r.name = :name AND r.rel = :rel AND l.text IS NOT NULL
ORDER BY r.item LIMIT :most"""
NEXT = "SELECT MIN(due_on) FROM trigger_event WHERE settled_on IS NULL"


class StoredTriggerEvents(WakingStore):
    """chains.schedules.timetable.TriggerEvents over a database."""

    topic = "triggers"

    def add(self, kind: TriggerKind, subject: int, cause: str, journal: str = "") -> None:
        now, due, further = self._clock.now(), self._clock.now(), cause
        if kind is TriggerKind.CHANGED:
            # One request may write to several spaces.
            cause, further, due = f"{subject} {cause}", f"{subject}", now + TOGETHER
        first, _, last = journal.partition("-")
        before = f"{int(first) - 1}" if first else ""
        added = self._database.run(
            ADD.format(lock=LOCKS[self._database.dialect]), kind=kind, letter=kind.letter, subject=subject,
            cause=cause, further=further, journal=journal, adjacent=f"%-{before}" if first else "",
            digits=len(before), last=last, now=stamp(now), due=stamp(due), caused_by=CAUSE.get(),
            waiting=MOST_WAITING, most=MOST_JOBS,
        )  # fmt: skip
        if added:
            self.signal()

    def take(self, now: str, until: str, most: int) -> Sequence[TriggerEvent]:
        return sorted(self._database.all(EVENT, TAKE, now=now, until=until, most=most))

    def postpone(self, event: TriggerEvent, due_on: str, note: str) -> None:
        self._database.run(POSTPONE, id=event.id, due=due_on, note=note)

    def settle(self, event: TriggerEvent, line: str = "", run: int | None = None, note: str = "") -> bool:
        row = {"id": event.id, "journal": event.journal}
        if not line:
            return bool(self._database.run(REMOVE, **row))
        with self._database.atomic():
            now = self._now()
            if not self._database.run(SETTLE, **row, now=now, line=line, run=run, note=note):
                return False
            self._database.run(FORGET, job=event.job, id=event.id, line=line, most=MOST_LINES)
        return True

    def waiting(self, job: int) -> int:
        return int(self._database.value(WAITING, job=job))

    def drop(self, job: int) -> int:
        return self._database.run(DROP, job=job)

    def last(self, job: int) -> Mapping[str, LastFiring]:
        return {one.line: one for one in self._database.all(LAST_FIRING, LAST, job=job)}

    def naming(self, named: ItemName, rel: str, most: int) -> Sequence[tuple[int, str]]:
        rows = self._database.rows(NAMING_JOBS, **named._asdict(), rel=rel, most=most)
        return [(job, text) for job, text in rows]

    def next_due(self) -> str | None:
        found: str | None = self._database.value(NEXT)
        return found
