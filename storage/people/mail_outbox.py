"""The tables of outgoing mails: sendings with a row for each recipient, and messages that wait."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from storage.database.bulk import batches, several
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.signals.waking_store import WakingStore
from vfs.cause import CAUSE
from vfs.ports.mails import (
    DeliveryAnswer,
    MailOrder,
    MailSending,
    MessageDelivery,
    NewDelivery,
    QueuedMessage,
)

TOPIC = "outbox"
MOST_SENDINGS, MOST_LINES = 50, 1_000
AT_ONCE = 500
OF_ONE = 20
"""Maximum number of deliveries of a sending taken at a time, so that a long one does not block others."""

SENDING = TableColumns(
    MailSending, "id item test state digest started_on ended_on accepted refused", test=bool
)
ORDER = TableColumns(MailOrder, "id item cause made_on due_on snapshot people caused_by")
DELIVERY = TableColumns(MessageDelivery, "id sending address message_id leave tries caused_by")
START = """
INSERT INTO mail_sending (item, test, state, digest, message, started_on, accepted, refused)
VALUES (:item, :test, 'open', :digest, :message, :now, 0, 0) RETURNING id"""
# If there are no recipients, nothing is inserted.
ADD = """
INSERT INTO mail_delivery (sending, address, message_id, leave, state, tries, due_on, caused_by)
VALUES ? ON CONFLICT (sending, address) DO NOTHING RETURNING id"""
TRIM = """
DELETE FROM mail_sending WHERE item = :item AND state <> 'open' AND id <= (
    SELECT id FROM mail_sending WHERE item = :item ORDER BY id DESC LIMIT 1 OFFSET :most)"""
OF = f"SELECT {SENDING} FROM mail_sending WHERE item = :item ORDER BY id DESC LIMIT :most"
MESSAGE = "SELECT message FROM mail_sending WHERE id = :id"
DUE = """
SELECT s.id FROM mail_sending s WHERE s.state = 'open' AND EXISTS (
    SELECT 1 FROM mail_delivery d
    WHERE d.sending = s.id AND d.state IN ('due', 'taken') AND d.due_on <= :now)
ORDER BY s.id"""
TAKE = f"""
UPDATE mail_delivery SET state = 'taken', due_on = :until
WHERE state IN ('due', 'taken') AND due_on <= :now AND id IN (
    SELECT id FROM mail_delivery WHERE sending = :sending AND state IN ('due', 'taken') AND due_on <= :now
    ORDER BY due_on, id LIMIT :most)
RETURNING {DELIVERY}"""
SETTLE = """
UPDATE mail_delivery SET state = :state, due_on = :due, tries = tries + :count
WHERE id = :id AND state IN ('due', 'taken') RETURNING sending"""
ITEM = "SELECT item FROM mail_sending WHERE id = :id"
LEFT = "SELECT 1 FROM mail_delivery WHERE sending = :id AND state IN ('due', 'taken') LIMIT 1"
COUNTS = """
UPDATE mail_sending SET ended_on = :now, message = NULL,
    accepted = (SELECT COUNT(*) FROM mail_delivery WHERE sending = :id AND state = 'accepted'),
    refused = (SELECT COUNT(*) FROM mail_delivery WHERE sending = :id AND state = 'refused')
WHERE id = :id AND state = 'open'"""
END = "UPDATE mail_sending SET state = CASE WHEN accepted > 0 THEN 'sent' ELSE 'failed' END WHERE id = :id"
SWEEP = "DELETE FROM mail_delivery WHERE sending = :id"
NEXT = """
SELECT MIN(d.due_on) FROM mail_sending s JOIN mail_delivery d ON d.sending = s.id
WHERE s.state = 'open' AND d.state IN ('due', 'taken')"""
ORDER_ONCE = """
INSERT INTO mail_order (item, cause, made_on, due_on, snapshot, people, caused_by)
VALUES (:item, :cause, :now, :now, :snapshot, :people, :caused_by)
ON CONFLICT (item, cause) DO NOTHING"""
TRIM_ORDERS = """
DELETE FROM mail_order WHERE item = :item AND due_on IS NULL AND id <= (
    SELECT id FROM mail_order WHERE item = :item ORDER BY id DESC LIMIT 1 OFFSET :most)"""
TAKE_ORDERS = f"""
UPDATE mail_order SET due_on = :until WHERE due_on <= :now AND id IN (
    SELECT id FROM mail_order WHERE due_on <= :now ORDER BY due_on, id LIMIT :most)
RETURNING {ORDER}"""
SETTLE_ORDER = "UPDATE mail_order SET due_on = :due WHERE id = :id AND due_on = :taken"
NEXT_ORDER = "SELECT MIN(due_on) FROM mail_order WHERE due_on IS NOT NULL"
NOTE = "INSERT INTO mail_line (item, written_on, message) VALUES (:item, :now, :message)"
TRIM_LINES = """
DELETE FROM mail_line WHERE item = :item AND id <= (
    SELECT id FROM mail_line WHERE item = :item ORDER BY id DESC LIMIT 1 OFFSET :most)"""
LINES = "SELECT written_on, message FROM mail_line WHERE item = :item ORDER BY id"
REFUSE = """
INSERT INTO mail_refusal (owner, address, refused_on) VALUES (:owner, :address, :now)
ON CONFLICT (owner, address) DO NOTHING"""
REFUSING = "SELECT address FROM mail_refusal WHERE owner = :owner AND address IN (:addresses)"


class StoredMailOutbox(WakingStore):
    """vfs.ports.mails.MailOutbox over a database."""

    topic = TOPIC

    def start(
        self, item: int, *, test: bool, digest: str, message: bytes, recipients: Sequence[NewDelivery]
    ) -> MailSending:
        now = self._now()
        with self._database.atomic():
            words = {"item": item, "test": test, "digest": digest, "message": message, "now": now}
            id: int = self._database.value(START, **words)
            rest = ("due", 0, now, CAUSE.get())
            rows = [(id, one.address, one.message_id, one.leave, *rest) for one in recipients]
            several(self._database, ADD, rows)
            self._database.run(TRIM, item=item, most=MOST_SENDINGS)
            self._end(id)
            self.signal()
        return MailSending(id, item, test, "open", digest, now, None, 0, 0)

    def of(self, item: int) -> Sequence[MailSending]:
        return self._database.all(SENDING, OF, item=item, most=MOST_SENDINGS)

    def message(self, sending: int) -> bytes | None:
        kept = self._database.value(MESSAGE, id=sending)
        return bytes(kept) if kept is not None else None

    def take(self, now: str, until: str, most: int) -> Sequence[MessageDelivery]:
        found: list[MessageDelivery] = []
        for (sending,) in self._database.rows(DUE, now=now):
            some = min(OF_ONE, most - len(found))
            if some <= 0:
                break
            rows = self._database.rows(TAKE, sending=sending, now=now, until=until, most=some)
            found += sorted((DELIVERY.read(row) for row in rows), key=lambda one: one.id)
        return found

    def settle(self, delivery: MessageDelivery, answer: DeliveryAnswer) -> None:
        with self._database.atomic():
            words = {"state": answer.state, "due": answer.due_on, "count": int(answer.counted)}
            row = self._database.row(SETTLE, id=delivery.id, **words)
            item = self._database.value(ITEM, id=delivery.sending)
            if row is None or item is None:
                return
            if answer.line:
                self.note(item, answer.line)
            self._end(delivery.sending)

    def _end(self, sending: int) -> None:
        """End a sending if no deliveries are left."""
        if self._database.row(LEFT, id=sending) is None and self._database.run(
            COUNTS, id=sending, now=self._now()
        ):
            self._database.run(END, id=sending)
            self._database.run(SWEEP, id=sending)

    def next_due(self) -> str | None:
        found: str | None = self._database.value(NEXT)
        return found

    def order(self, item: int, cause: str, snapshot: str = "", people: str = "") -> None:
        with self._database.atomic():
            words = {"item": item, "cause": cause, "snapshot": snapshot, "people": people}
            if self._database.run(ORDER_ONCE, **words, now=self._now(), caused_by=CAUSE.get()):
                self._database.run(TRIM_ORDERS, item=item, most=MOST_SENDINGS)
                self.signal()

    def take_orders(self, now: str, until: str, most: int) -> Sequence[MailOrder]:
        rows = self._database.rows(TAKE_ORDERS, now=now, until=until, most=most)
        return sorted((ORDER.read(row) for row in rows), key=lambda one: one.id)

    def settle_order(self, order: MailOrder, due_on: str | None = None) -> bool:
        return bool(self._database.run(SETTLE_ORDER, id=order.id, due=due_on, taken=order.due_on))

    def next_order(self) -> str | None:
        found: str | None = self._database.value(NEXT_ORDER)
        return found

    def note(self, item: int, message: str) -> None:
        with self._database.atomic():
            self._database.run(NOTE, item=item, now=self._now(), message=message)
            self._database.run(TRIM_LINES, item=item, most=MOST_LINES)

    def lines(self, item: int) -> Sequence[tuple[str, str]]:
        return [(written, message) for written, message in self._database.rows(LINES, item=item)]

    def refuse(self, owner: str, mailbox: str) -> None:
        self._database.run(REFUSE, owner=owner, address=mailbox, now=self._now())

    def refusing(self, owner: str, mailboxes: Collection[str]) -> frozenset[str]:
        wanted, found = list(mailboxes), set[str]()
        for sql, params in batches(REFUSING, addresses=wanted):
            found |= {address for (address,) in self._database.rows(sql, owner=owner, **params)}
        return frozenset(found)


QUEUED = TableColumns(QueuedMessage, "id address message_id message tries caused_by", message=bytes)
ENQUEUE = """
INSERT INTO queued_message (address, message_id, message, tries, due_on, caused_by)
VALUES (:address, :message_id, :message, 0, :now, :cause)"""
TAKE_QUEUED = f"""
UPDATE queued_message SET due_on = :until WHERE due_on <= :now AND id IN (
    SELECT id FROM queued_message WHERE due_on <= :now ORDER BY due_on, id LIMIT :most)
RETURNING {QUEUED}"""
NEXT_QUEUED = "SELECT MIN(due_on) FROM queued_message"


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
            self._database.run(ENQUEUE, address=address, **words, now=self._now())
            self.signal()

    def take(self, now: str, until: str, most: int) -> Sequence[QueuedMessage]:
        taken = self._database.all(QUEUED, TAKE_QUEUED, now=now, until=until, most=most)
        return sorted(taken, key=lambda one: one.id)

    def settle(self, message: QueuedMessage, answer: DeliveryAnswer) -> None:
        settle_in(self._database, "queued_message", message, answer)

    def next_due(self) -> str | None:
        found: str | None = self._database.value(NEXT_QUEUED)
        return found
