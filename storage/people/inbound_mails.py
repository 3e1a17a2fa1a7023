"""The tables of incoming mails and of the runs that they started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from storage.database.columns import TableColumns
from storage.signals.waking_store import WakingStore
from vfs.cause import CAUSE
from vfs.errors import QuotaReached
from vfs.ports.blobs import Ref
from vfs.ports.inbound import InboundMail, InboundState, NewInbound

MOST_NEW, MOST_KEPT, MOST_BYTES = 1_000, 1_000, 256 * 1024 * 1024
"""The maximum number of a group's waiting mails, and the maximum number and bytes in each other state."""
LATER = 60

NAMES = (
    "id item group_ref address envelope digest size media received_on state note sender message_id tries"
    " settled_on caused_by"
)


def _mail(*cells: Any) -> InboundMail:
    values = [*cells[:5], Ref(*cells[5:8]), cells[8], InboundState(cells[9]), *cells[10:]]
    return InboundMail(*values)


MAIL = TableColumns(_mail, NAMES)
ADD = """
INSERT INTO inbound_mail (item, group_ref, address, envelope, digest, size, media, received_on, state, note,
    sender, message_id, tries, due_on, caused_by)
VALUES (:item, :ref, :address, :envelope, :digest, :size, :media, :now, 'new', '', '', '', 0, :now, :cause)
RETURNING id"""
WAITING = "SELECT count(*) FROM inbound_mail WHERE item = :item AND state = 'new'"
SIZES = "SELECT id, size FROM inbound_mail WHERE item = :item AND state = :state ORDER BY id DESC"
# A mail with an unanswered run is kept, even if the run takes long.
DONE = """state <> 'new' AND NOT EXISTS (
    SELECT 1 FROM inbound_run r WHERE r.mail = inbound_mail.id AND NOT r.answered)"""
TRIM = f"DELETE FROM inbound_mail WHERE item = :item AND state = :state AND id <= :last AND {DONE}"
TAKE = f"""
UPDATE inbound_mail SET due_on = :until, tries = tries + 1
WHERE state = 'new' AND due_on <= :now AND id IN (
    SELECT id FROM inbound_mail WHERE state = 'new' AND due_on <= :now ORDER BY due_on, id LIMIT :most)
RETURNING {MAIL}"""
POSTPONE = "UPDATE inbound_mail SET due_on = :due, note = :note WHERE id = :id AND state = 'new'"
COME = """
INSERT INTO inbound_identity (item, sender, message_id, came_on) VALUES (:item, :sender, :message, :now)
ON CONFLICT (item, sender, message_id) DO NOTHING"""
SETTLE = """
UPDATE inbound_mail
SET state = :state, note = :note, sender = :sender, message_id = :message, settled_on = :now
WHERE id = :id AND state = 'new'"""
START = "INSERT INTO inbound_run (mail, run, answered) VALUES (:mail, :run, FALSE)"
ENDED = f"""
SELECT {MAIL.of("m")}, r.run FROM inbound_run r JOIN inbound_mail m ON m.id = r.mail
LEFT JOIN run ON run.key = r.run
WHERE NOT r.answered AND (run.key IS NULL OR run.completed_on IS NOT NULL)
ORDER BY r.run LIMIT :most"""
ANSWER = "UPDATE inbound_run SET answered = TRUE WHERE mail = :mail AND run = :run AND NOT answered"
NEXT = "SELECT MIN(due_on) FROM inbound_mail WHERE state = 'new'"
OF = f"SELECT {MAIL} FROM inbound_mail WHERE item = :item ORDER BY id DESC LIMIT :most"
FIND = f"SELECT {MAIL} FROM inbound_mail WHERE item = :item AND id = :id"
COUNTS = """
SELECT count(*), coalesce(sum(CASE WHEN answered THEN 1 ELSE 0 END), 0) FROM inbound_run WHERE mail = :mail"""
REMOVE = f"DELETE FROM inbound_mail WHERE id = :id AND {DONE}"
PRUNE = f"DELETE FROM inbound_mail WHERE received_on < :before AND {DONE}"
FORGET = "DELETE FROM inbound_identity WHERE came_on < :before"


class StoredInboundMails(WakingStore):
    """vfs.ports.inbound.InboundMails over a database."""

    topic = "inbound"

    def accept(self, mail: NewInbound) -> int:
        with self._database.atomic():
            if self._database.value(WAITING, item=mail.item) >= MOST_NEW:
                raise QuotaReached(
                    f"too many mails to {mail.group_ref} wait", quota="mails", retry_after=LATER
                )
            self._trim(mail.item, InboundState.KEPT, mail.message.size)
            self._trim(mail.item, InboundState.STARTED, mail.message.size)
            ref = mail.message
            id: int = self._database.value(
                ADD, item=mail.item, ref=mail.group_ref, address=mail.address, envelope=mail.envelope,
                digest=ref.digest, size=ref.size, media=ref.media, now=self._now(), cause=CAUSE.get(),
            )  # fmt: skip
            self.signal()
        return id

    def _trim(self, item: int, state: InboundState, size: int) -> None:
        """Delete the oldest mails in a state to make room for one more."""
        for count, (id, more) in enumerate(self._database.rows(SIZES, item=item, state=state), 1):
            size += more
            if count >= MOST_KEPT or size > MOST_BYTES:
                self._database.run(TRIM, item=item, state=state, last=id)
                return

    def take(self, now: str, until: str, most: int) -> Sequence[InboundMail]:
        rows = self._database.rows(TAKE, now=now, until=until, most=most)
        return sorted((MAIL.read(row) for row in rows), key=lambda mail: mail.id)

    def postpone(self, mail: InboundMail, due_on: str, note: str) -> None:
        self._database.run(POSTPONE, id=mail.id, due=due_on, note=note)

    def is_first(self, mail: InboundMail, sender: str, message_id: str) -> bool:
        come = {"item": mail.item, "sender": sender, "message": message_id, "now": self._now()}
        return bool(self._database.run(COME, **come))

    def keep(self, mail: InboundMail, note: str) -> None:
        words = {"sender": "", "message": "", "note": note, "now": self._now()}
        self._database.run(SETTLE, id=mail.id, state=InboundState.KEPT, **words)

    def start(self, mail: InboundMail, sender: str, message_id: str, note: str, runs: Sequence[int]) -> None:
        with self._database.atomic():
            words = {"sender": sender, "message": message_id, "note": note, "now": self._now()}
            self._database.run(SETTLE, id=mail.id, state=InboundState.STARTED, **words)
            for run in runs:
                self._database.run(START, mail=mail.id, run=run)
            self.signal()

    def ended_runs(self, most: int) -> Sequence[tuple[InboundMail, int]]:
        found = []
        for row in self._database.rows(ENDED, most=most):
            mail, (run,) = MAIL.split(row)
            found.append((mail, run))
        return found

    def answer(self, mail: InboundMail, run: int) -> bool:
        return bool(self._database.run(ANSWER, mail=mail.id, run=run))

    def next_due(self) -> str | None:
        found: str | None = self._database.value(NEXT)
        return found

    def of(self, item: int, most: int) -> Sequence[InboundMail]:
        return self._database.all(MAIL, OF, item=item, most=most)

    def find(self, item: int, id: int) -> InboundMail | None:
        return self._database.one(MAIL, FIND, item=item, id=id)

    def run_counts(self, mail: InboundMail) -> tuple[int, int]:
        ((started, answered),) = self._database.rows(COUNTS, mail=mail.id)
        return int(started), int(answered)

    def remove(self, mail: InboundMail) -> bool:
        return bool(self._database.run(REMOVE, id=mail.id))

    def prune(self, before: str) -> int:
        with self._database.atomic():
            self._database.run(FORGET, before=before)
            return int(self._database.run(PRUNE, before=before))
