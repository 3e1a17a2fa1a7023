"""The inboxes of users as rows, and what of them is still to be mailed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from storage.database.bulk import spread
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.signals.bell import Bell
from vfs.ports.people import Notice
from vfs.ports.world import Clock, stamp

TOPIC = "mail"
MOST = 1_000
MOST_OF_PEOPLE = 500
MOST_OF_ONE = 50
AT_ONCE = 100

NOTICE = TableColumns(Notice, "id account created_on kind level path text")
SELECT = f"SELECT {NOTICE} FROM notice"
ADD = """
INSERT INTO notice (account, created_on, kind, level, path, text, mail, source)
VALUES (:user, :now, :kind, :level, :path, :text, :mail, :source) RETURNING id"""
FOLD = "DELETE FROM notice WHERE account = :user AND source = :source AND kind = :kind AND path = :path"
TRIM = """
DELETE FROM notice WHERE account = :user AND {which} AND id <= (
    SELECT id FROM notice WHERE account = :user AND {which} ORDER BY id DESC LIMIT 1 OFFSET :most)"""
TRIM_ONE = TRIM.format(which="source = :source")
TRIM_PEOPLE = TRIM.format(which="substr(source, 1, 1) = '@'")
TRIM_REST = TRIM.format(which="substr(source, 1, 1) <> '@'")
OF = f"{SELECT} WHERE account = :user ORDER BY id DESC"
FIND = f"{SELECT} WHERE id = :id AND account = :user"
REMOVE = "DELETE FROM notice WHERE id = :id AND account = :user"
DISMISS = "DELETE FROM notice WHERE account = :user AND id IN (:ids)"
WITHDRAW = """
DELETE FROM notice WHERE source = :source AND kind = :kind
    AND substr(path, length(path) - length(:ending) + 1) = :ending"""
UNSENT = f"{SELECT} WHERE mail = 'due' ORDER BY id LIMIT :most"
TAKE = "UPDATE notice SET mail = 'taken' WHERE id = :id AND mail = 'due'"
GIVE_BACK = "UPDATE notice SET mail = 'due' WHERE id = :id"


class StoredNotices:
    """vfs.ports.people.Notices over a database."""

    def __init__(self, database: Database, bell: Bell, clock: Clock) -> None:
        self._database = database
        self._bell = bell
        self._clock = clock

    def add(
        self, user: str, kind: str, path: str, text: str, *, level: str = "info", mail: bool = False,
        source: str = "",
    ) -> Notice:  # fmt: skip
        now = stamp(self._clock.now())
        notice = {"user": user, "now": now, "kind": kind, "level": level, "path": path, "text": text}
        with self._database.atomic():
            if source:
                self._database.run(FOLD, user=user, source=source, kind=kind, path=path)
            id = self._database.value(ADD, **notice, mail="due" if mail else None, source=source)
            self._trim(user, source)
            if mail:
                self.ring()
        return Notice(id, user, now, kind, level, path, text)

    def _trim(self, user: str, source: str) -> None:
        if source:
            self._database.run(TRIM_ONE, user=user, source=source, most=MOST_OF_ONE)
        if source.startswith("@"):
            self._database.run(TRIM_PEOPLE, user=user, most=MOST_OF_PEOPLE)
        else:
            self._database.run(TRIM_REST, user=user, most=MOST)

    def of(self, user: str) -> Sequence[Notice]:
        return [NOTICE.read(row) for row in self._database.rows(OF, user=user)]

    def find(self, user: str, id: int) -> Notice | None:
        row = self._database.row(FIND, id=id, user=user)
        return NOTICE.read(row) if row else None

    def remove(self, user: str, id: int) -> bool:
        return self._database.run(REMOVE, id=id, user=user) > 0

    def dismiss(self, user: str, ids: Collection[int]) -> int:
        listed, count = sorted(ids), 0
        with self._database.atomic():
            for start in range(0, len(listed), AT_ONCE):
                sql, params = spread(DISMISS, ids=listed[start : start + AT_ONCE])
                count += self._database.run(sql, user=user, **params)
        return count

    def withdraw(self, source: str, kind: str, ending: str = "") -> None:
        self._database.run(WITHDRAW, source=source, kind=kind, ending=ending)

    def unsent(self) -> Sequence[Notice]:
        return [NOTICE.read(row) for row in self._database.rows(UNSENT, most=AT_ONCE)]

    def take(self, id: int) -> bool:
        return self._database.run(TAKE, id=id) > 0

    def give_back(self, id: int) -> None:
        self._database.run(GIVE_BACK, id=id)

    def wake(self, seen: int, seconds: float | None) -> int:
        return self._bell.waiting(TOPIC, seen, seconds, self._database.idle)

    def ring(self) -> None:
        self._bell.ring(TOPIC)
