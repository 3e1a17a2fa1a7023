"""The tables of hooks, of their logs, and of the events and messages that wait for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from storage.database.bulk import several, spread
from storage.database.columns import TableColumns
from storage.people.mail_outbox import settle_in
from storage.signals.waking_store import WakingStore
from vfs.cause import CAUSE
from vfs.errors import Conflict
from vfs.ports.hooks import (
    ACTIVE,
    HOOK_FIELDS,
    LOST,
    MOST_CALLS,
    MOST_EVENTS,
    MOST_HOOKS,
    MOST_WAITING,
    Hook,
    HookAttempt,
    StoredEvent,
    too_many_hooks,
)
from vfs.ports.mails import DeliveryAnswer, QueuedMessage

HOOK = TableColumns(Hook, "id owner name events format sealed state why created_on last_modified")
CALL = TableColumns(HookAttempt, "called_on event message_id tries outcome answer milliseconds")
OF = f"SELECT {HOOK} FROM hook WHERE owner = :owner ORDER BY name"
FIND = f"SELECT {HOOK} FROM hook WHERE owner = :owner AND name = :name"
AT = f"SELECT {HOOK} FROM hook WHERE id = :id"
ALL = f"SELECT {HOOK} FROM hook ORDER BY owner, name"
# Hooks of one account are added one after the other: each begins with a write to the account's row.
HOLD = "UPDATE account SET email = email WHERE name = :owner"
COUNT = "SELECT count(*) FROM hook WHERE owner = :owner"
ADD = f"""
INSERT INTO hook (owner, name, events, format, sealed, state, why, created_on, last_modified)
VALUES (:owner, :name, '', 'standard', :sealed, 'new', '', :now, :now)
ON CONFLICT (owner, name) DO NOTHING RETURNING {HOOK}"""
PAUSE = """
UPDATE hook SET state = 'paused', why = :why, last_modified = :now WHERE id = :id AND state = 'active'"""
REMOVE = "DELETE FROM hook WHERE id = :id"
ANY = "SELECT 1 FROM hook WHERE state = 'active' LIMIT 1"
NOTE = "INSERT INTO hook_event (line, caused_by) VALUES ? RETURNING id"
# By the number of the newest one: a count would be slower with many of them.
DROP_OLDEST = "DELETE FROM hook_event WHERE id <= :newest - :most AND id > 0"
# The first of all events shows that some were dropped.
NOTE_LOSS = f"INSERT INTO hook_event (id, line) VALUES (0, '{LOST}') ON CONFLICT DO NOTHING"
EVENTS = "SELECT id, line, caused_by FROM hook_event ORDER BY id LIMIT :most"
DROP_EVENTS = "DELETE FROM hook_event WHERE id IN (:ids)"
# A lock on the hook's row: a hook that is removed meanwhile gets neither messages nor lines of its log.
LOCKS = {"sqlite": "", "postgresql": "FOR KEY SHARE"}
ADD_MESSAGE = """
INSERT INTO hook_message (hook, address, message_id, message, tries, due_on, caused_by)
SELECT id, :event, :message_id, :message, 0, :now, :cause FROM hook WHERE id = :hook {lock}"""
WAIT = "SELECT count(*) FROM hook_message WHERE hook = :hook"
TALLY = "SELECT hook, count(*) FROM hook_message GROUP BY hook"
AFRESH = "UPDATE hook_message SET due_on = :now, tries = 0 WHERE hook = :hook"
MESSAGE = TableColumns(QueuedMessage, "id address message_id message tries caused_by hook", message=bytes)
SENT = "FROM hook_message m JOIN hook h ON h.id = m.hook WHERE h.state = 'active' AND h.owner NOT IN (:busy)"
DUE_ON = "CASE WHEN h.rests_until > m.due_on THEN h.rests_until ELSE m.due_on END"
REST = "UPDATE hook SET rests_until = :until WHERE id = :hook AND rests_until <> :until"
# Messages that were tried are first, so that the delays for a receiver that does not answer grow.
DUE = f"""
SELECT id FROM (
    SELECT m.id, m.due_on, row_number() OVER (
        PARTITION BY h.owner ORDER BY CASE WHEN m.tries > 0 THEN 0 ELSE 1 END, m.due_on, m.id) AS place
    {SENT} AND {DUE_ON} <= :now) waiting
WHERE place = 1 ORDER BY due_on, id LIMIT :most"""
TAKE = f"""
UPDATE hook_message SET due_on = :until WHERE due_on <= :now AND id IN ({DUE}) RETURNING {MESSAGE}"""
NEXT = f"SELECT MIN({DUE_ON}) {SENT}"
NOBODY = ("",)
RECORD = f"""
INSERT INTO hook_call (hook, {CALL})
SELECT id, :called_on, :event, :message_id, :tries, :outcome, :answer, :milliseconds
FROM hook WHERE id = :hook {{lock}}
ON CONFLICT (hook, message_id) DO UPDATE SET called_on = excluded.called_on, tries = excluded.tries,
    outcome = excluded.outcome, answer = excluded.answer, milliseconds = excluded.milliseconds"""
TRIM = """
DELETE FROM hook_call WHERE hook = :hook AND id <= (
    SELECT id FROM hook_call WHERE hook = :hook ORDER BY id DESC LIMIT 1 OFFSET :most)"""
CALLS = f"SELECT {CALL} FROM hook_call WHERE hook = :hook ORDER BY called_on, id"


class _Taken(Exception):
    """An error that undoes a transaction: another process has taken the events."""


class StoredHooks(WakingStore):
    """vfs.ports.hooks.Hooks over a database."""

    topic = "hooks"

    def _locked(self, sql: str) -> str:
        return sql.format(lock=LOCKS[self._database.dialect])

    def of(self, owner: str) -> Sequence[Hook]:
        return self._database.all(HOOK, OF, owner=owner)

    def find(self, owner: str, name: str) -> Hook | None:
        return self._database.one(HOOK, FIND, owner=owner, name=name)

    def at(self, hook: int) -> Hook | None:
        return self._database.one(HOOK, AT, id=hook)

    def everyone(self) -> Sequence[Hook]:
        return self._database.all(HOOK, ALL)

    def tally(self) -> Mapping[int, int]:
        return dict(self._database.rows(TALLY))

    def add(self, owner: str, name: str, sealed: str) -> Hook:
        with self._database.atomic():
            self._database.run(HOLD, owner=owner)
            full = self._database.value(COUNT, owner=owner) >= MOST_HOOKS
            row = self._database.row(ADD, owner=owner, name=name, sealed=sealed, now=self._now())
            if row is None:
                raise Conflict(f'there is already something named "{name}" here')
            if full:
                raise too_many_hooks()
        return HOOK.read(row)

    def change(self, hook: int, **fields: str) -> None:
        if unknown := fields.keys() - HOOK_FIELDS:
            raise TypeError(f"a hook has no field {', '.join(sorted(unknown))} that can be changed")
        values = ", ".join(f"{field} = :{field}" for field in sorted(fields))
        with self._database.atomic():
            change = f"UPDATE hook SET {values}, rests_until = '', last_modified = :now WHERE id = :id"
            self._database.run(change, id=hook, now=self._now(), **fields)
            if fields.get("state") == ACTIVE:
                self._database.run(AFRESH, hook=hook, now=self._now())
                self.signal()

    def pause(self, hook: int, why: str) -> bool:
        return self._database.run(PAUSE, id=hook, why=why, now=self._now()) > 0

    def remove(self, hook: int) -> None:
        self._database.run(REMOVE, id=hook)

    def note(self, line: str) -> None:
        self._database.with_commit(self._note_all, line)

    def _note_all(self, lines: list[str]) -> None:
        if self._database.row(ANY) is not None:
            noted = several(self._database, NOTE, [(line, CAUSE.get()) for line in lines])
            if self._database.run(DROP_OLDEST, newest=max(noted)[0], most=MOST_EVENTS):
                self._database.run(NOTE_LOSS)
            self.signal()

    def events(self, most: int) -> Sequence[StoredEvent]:
        return [StoredEvent(*row) for row in self._database.rows(EVENTS, most=most)]

    def drop_events(self, ids: Sequence[int]) -> bool:
        sql, params = spread(DROP_EVENTS, ids=ids)
        with suppress(_Taken), self._database.atomic():
            if self._database.run(sql, **params) == len(ids):
                return True
            raise _Taken
        return False

    def enqueue(self, hook: int, event: str, message_id: str, message: bytes) -> bool:
        with self._database.atomic():
            if self._database.value(WAIT, hook=hook) >= MOST_WAITING:
                return False
            words = {"event": event, "message_id": message_id, "message": message, "cause": CAUSE.get()}
            if not self._database.run(self._locked(ADD_MESSAGE), hook=hook, now=self._now(), **words):
                return False
            self.signal()
        return True

    def take(self, now: str, until: str, most: int, busy: Sequence[str]) -> Sequence[QueuedMessage]:
        sql, params = spread(TAKE, busy=busy or NOBODY)
        rows = self._database.rows(sql, now=now, until=until, most=most, **params)
        return sorted((MESSAGE.read(row) for row in rows), key=lambda one: one.id)

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer, rests_until: str = "") -> None:
        settle_in(self._database, "hook_message", message, answer)
        self._database.run(REST, hook=message.hook, until=rests_until)

    def next_due(self, busy: Sequence[str]) -> str | None:
        sql, params = spread(NEXT, busy=busy or NOBODY)
        found: str | None = self._database.value(sql, **params)
        return found

    def record(self, hook: int, call: HookAttempt) -> None:
        with self._database.atomic():
            cells = {name: getattr(call, name) for name in CALL.names}
            self._database.run(self._locked(RECORD), hook=hook, **cells)
            self._database.run(TRIM, hook=hook, most=MOST_CALLS)

    def calls(self, hook: int) -> Sequence[HookAttempt]:
        return self._database.all(CALL, CALLS, hook=hook)
