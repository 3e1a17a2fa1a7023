"""The inboxes of users as rows, and what of them is still to be mailed."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.database import Database
from storage.signals.bell import Bell
from vfs.ports.people import Notice
from vfs.ports.world import Clock, stamp

TOPIC = "mail"
MOST = 1_000
AT_ONCE = 100

NOTICE = "SELECT id, account, created_on, kind, level, path, text FROM notice"
ADD = """
INSERT INTO notice (account, created_on, kind, level, path, text, mail) VALUES (?, ?, ?, ?, ?, ?, ?)
RETURNING id"""
TRIM = """
DELETE FROM notice WHERE account = ? AND id <= (
    SELECT id FROM notice WHERE account = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"""


class StoredNotices:
    """vfs.ports.people.Notices over a database."""

    def __init__(self, database: Database, bell: Bell, clock: Clock) -> None:
        self._database = database
        self._bell = bell
        self._clock = clock

    def add(
        self, user: str, kind: str, path: str, text: str, *, level: str = "info", mail: bool = False
    ) -> Notice:
        """As Notices.add."""
        now = stamp(self._clock.now())
        with self._database.atomic():
            row = self._database.rows(ADD, user, now, kind, level, path, text, "due" if mail else None)
            self._database.run(TRIM, user, user, MOST)
            if mail:
                self.ring()
        return Notice(row[0][0], user, now, kind, level, path, text)

    def of(self, user: str) -> Sequence[Notice]:
        """As Notices.of."""
        return [
            Notice(*row) for row in self._database.rows(f"{NOTICE} WHERE account = ? ORDER BY id DESC", user)
        ]

    def find(self, user: str, id: int) -> Notice | None:
        """As Notices.find."""
        row = self._database.row(f"{NOTICE} WHERE id = ? AND account = ?", id, user)
        return Notice(*row) if row else None

    def remove(self, user: str, id: int) -> bool:
        """As Notices.remove."""
        return self._database.run("DELETE FROM notice WHERE id = ? AND account = ?", id, user) > 0

    def unsent(self) -> Sequence[Notice]:
        """As Notices.unsent."""
        rows = self._database.rows(f"{NOTICE} WHERE mail = 'due' ORDER BY id LIMIT ?", AT_ONCE)
        return [Notice(*row) for row in rows]

    def take(self, id: int) -> bool:
        """As Notices.take."""
        return self._database.run("UPDATE notice SET mail = 'taken' WHERE id = ? AND mail = 'due'", id) > 0

    def give_back(self, id: int) -> None:
        """As Notices.give_back."""
        self._database.run("UPDATE notice SET mail = 'due' WHERE id = ?", id)

    def wake(self, seen: int, seconds: float | None) -> int:
        """As Notices.wake."""
        ticket = self._bell.ticket(TOPIC)
        if ticket.seen == seen:
            with self._database.released():
                self._bell.wait(ticket, seconds)
        return self._bell.ticket(TOPIC).seen

    def ring(self) -> None:
        """As Notices.ring."""
        self._bell.ring(TOPIC)
