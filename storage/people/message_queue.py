"""Tables of messages that wait until each is delivered or refused: those of the service itself, of hooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.people.mail_outbox import TOPIC
from storage.signals.change_signal import ChangeSignal
from vfs.ports.clock import Clock, stamp
from vfs.ports.mails import DeliveryAnswer, QueuedMessage

COLUMNS = "id address message_id message tries"
DUE = "SELECT id FROM {table} WHERE due_on <= :now ORDER BY due_on, id LIMIT :most"
NEXT = "SELECT MIN(due_on) FROM {table}"


class MessageTable(NamedTuple):
    """A table of messages, the topic of its signal, and its statements: which are due, and when the next is.

    A message may belong to a row of another table, `of`.
    """

    name: str = "queued_message"
    topic: str = TOPIC
    of: str = ""
    due: str = DUE
    next: str = NEXT


SERVICE = MessageTable()


class StoredMessageQueue:
    """vfs.ports.mails.MessageQueue over a database."""

    def __init__(
        self, database: Database, change_signal: ChangeSignal, clock: Clock, table: MessageTable = SERVICE
    ) -> None:
        self._database = database
        self._change_signal = change_signal
        self._clock = clock
        self._topic = table.topic
        self._columns = TableColumns(QueuedMessage, f"{COLUMNS} {table.of}", message=bytes)
        name, due = table.name, table.due.format(table=table.name)
        more, value = (f", {table.of}", f", :{table.of}") if table.of else ("", "")
        self._add = f"""
INSERT INTO {name} (address, message_id, message, tries, due_on{more})
VALUES (:address, :message_id, :message, 0, :now{value})"""
        self._take = f"""
UPDATE {name} SET due_on = :until WHERE due_on <= :now AND id IN ({due}) RETURNING {self._columns}"""
        self._again = f"UPDATE {name} SET tries = tries + :count, due_on = :due WHERE id = :id"
        self._forget = f"DELETE FROM {name} WHERE id = :id"
        self._next = table.next.format(table=name)

    def enqueue(self, address: str, message_id: str, message: bytes, **of: int) -> None:
        words = {"address": address, "message_id": message_id, "message": message, **of}
        with self._database.atomic():
            self._database.run(self._add, now=stamp(self._clock.now()), **words)
            self._change_signal.signal(self._topic)

    def take(self, now: str, until: str, most: int) -> Sequence[QueuedMessage]:
        rows = self._database.rows(self._take, now=now, until=until, most=most)
        return sorted((self._columns.read(row) for row in rows), key=lambda one: one.id)

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer) -> None:
        if answer.state == "due":
            words = {"due": answer.due_on, "count": int(answer.counted)}
            self._database.run(self._again, id=message.id, **words)
        else:
            self._database.run(self._forget, id=message.id)

    def next_due(self) -> str | None:
        found: str | None = self._database.value(self._next)
        return found
