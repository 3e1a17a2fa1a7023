"""Tables of messages that wait until each is delivered or refused: those of the service itself, of hooks."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.people.mail_outbox import TOPIC
from storage.signals.waking_store import WakingStore
from vfs.cause import CAUSE
from vfs.ports.mails import DeliveryAnswer, QueuedMessage

QUEUED = TableColumns(QueuedMessage, "id address message_id message tries caused_by", message=bytes)
ADD = """
INSERT INTO queued_message (address, message_id, message, tries, due_on, caused_by)
VALUES (:address, :message_id, :message, 0, :now, :cause)"""
TAKE = f"""
UPDATE queued_message SET due_on = :until WHERE due_on <= :now AND id IN (
    SELECT id FROM queued_message WHERE due_on <= :now ORDER BY due_on, id LIMIT :most)
RETURNING {QUEUED}"""
NEXT = "SELECT MIN(due_on) FROM queued_message"


def settle_in(database: Database, table: str, message: QueuedMessage, answer: DeliveryAnswer) -> None:
    """Make a message of a table due again, or delete it after its final result."""
    if answer.state == "due":
        again = f"UPDATE {table} SET tries = tries + :count, due_on = :due WHERE id = :id"
        database.run(again, id=message.id, due=answer.due_on, count=int(answer.counted))
    else:
        database.run(f"DELETE FROM {table} WHERE id = :id", id=message.id)


class StoredMessageQueue(WakingStore):
    """vfs.ports.mails.MessageQueue over a database."""

    topic = TOPIC

    def enqueue(self, address: str, message_id: str, message: bytes) -> None:
        with self._database.atomic():
            words = {"message_id": message_id, "message": message, "cause": CAUSE.get()}
            self._database.run(ADD, address=address, **words, now=self._now())
            self.signal()

    def take(self, now: str, until: str, most: int) -> Sequence[QueuedMessage]:
        taken = self._database.all(QUEUED, TAKE, now=now, until=until, most=most)
        return sorted(taken, key=lambda one: one.id)

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer) -> None:
        settle_in(self._database, "queued_message", message, answer)

    def next_due(self) -> str | None:
        found: str | None = self._database.value(NEXT)
        return found
