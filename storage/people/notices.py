"""The table of notices in users' inboxes, and of those still to be mailed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.signals.waking_store import WakingStore
from storage.tree.item_rows import EFFECTIVE, principal
from vfs.access import Role
from vfs.cause import CAUSE
from vfs.ports.notices import EXCERPT, ChosenLevels, Notice, NoticeSubject

MOST = 1_000
MOST_OF_PEOPLE = 500
MOST_OF_ONE = 50
AT_ONCE = 100

NOTICE = TableColumns(
    Notice,
    "id account created_on kind level path text item comment role pending caused_by",
    item=lambda item: item or None,
    role=Role,
    pending=bool,
)
# The joined values are current when read: the text of the comment, and the user's role in the group.
SELECT = f"""
SELECT n.id, n.account, n.created_on, n.kind, n.level, n.path, n.text, n.item,
    substr(c.text, 1, {EXCERPT + 1}), m.role, COALESCE(m.pending, FALSE), n.caused_by
FROM notice n LEFT JOIN comment c ON c.id = n.comment
LEFT JOIN people_group g ON g.item = n.item
LEFT JOIN member m ON m.group_ref = g.ref AND m.name = n.account"""
ADD = """
INSERT INTO notice (account, created_on, kind, level, path, text, item, comment, mail, source, caused_by)
VALUES (:user, :now, :kind, :level, :path, :text, :item, :comment, :mail, :source, :cause) RETURNING id"""
FOLD = """
DELETE FROM notice
WHERE account = :user AND source = :source AND kind = :kind AND item = :item AND path = :path"""
TRIM = """
DELETE FROM notice WHERE account = :user AND {which} AND id <= (
    SELECT id FROM notice WHERE account = :user AND {which} ORDER BY id DESC LIMIT 1 OFFSET :most)"""
TRIM_ONE = TRIM.format(which="source = :source")
TRIM_PEOPLE = TRIM.format(which="substr(source, 1, 1) = '@'")
TRIM_REST = TRIM.format(which="substr(source, 1, 1) <> '@'")
OF = f"{SELECT} WHERE n.account = :user ORDER BY n.id DESC"
# Notices about a group are counted for members, and that of an invitation for the invited user.
COUNT = f"""
SELECT count(*) FROM notice n LEFT JOIN item i ON i.id = n.item
WHERE n.account = :me AND (
    i.id IS NULL OR i.owner = :me OR i.kind = 'user'
    OR EXISTS (SELECT 1 FROM share s WHERE s.item = n.item AND {EFFECTIVE})
    OR EXISTS (
        SELECT 1 FROM people_group g JOIN member m ON m.group_ref = g.ref
        WHERE g.item = n.item AND m.name = :me AND m.pending = (n.kind = 'invite')))"""
THERE, USUAL = "notifications/@", "notices"
CHOSEN = """
SELECT a.name, t.text, u.text FROM account a
LEFT JOIN leaf t ON t.item = :item AND t.rel = :there || a.name
LEFT JOIN leaf u ON u.item = a.item AND u.rel = :usual
WHERE a.name IN (:users)"""
LISTENING = """
SELECT w.name, w.level, u.text FROM (
    SELECT substr(rel, :cut) AS name, text AS level FROM leaf
    WHERE item = :item AND rel >= :there AND rel < :beyond
    UNION ALL SELECT owner, NULL FROM item WHERE id = :item AND NOT EXISTS (
        SELECT 1 FROM leaf WHERE item = :item AND rel = :there || owner)) w
LEFT JOIN account a ON a.name = w.name
LEFT JOIN leaf u ON u.item = a.item AND u.rel = :usual
ORDER BY w.name"""
FIND = f"{SELECT} WHERE n.id = :id AND n.account = :user"
REMOVE = "DELETE FROM notice WHERE id = :id AND account = :user"
DISMISS = "DELETE FROM notice WHERE account = :user AND id IN (:ids)"
WITHDRAW = "DELETE FROM notice WHERE item = :item AND kind = :kind"
WITHDRAW_AT = f"{WITHDRAW} AND path = :path"
UNSENT = f"{SELECT} WHERE n.mail = 'due' ORDER BY n.id LIMIT :most"
TAKE = "UPDATE notice SET mail = 'taken' WHERE id = :id AND mail = 'due'"
GIVE_BACK = "UPDATE notice SET mail = 'due' WHERE id = :id"


class StoredNotices(WakingStore):
    """vfs.ports.notices.Notices over a database."""

    topic = "mail"

    def add(
        self, user: str, kind: str, path: str, text: str, *, about: NoticeSubject | None = None,
        level: str = "info", mail: bool = False, source: str = "",
    ) -> Notice:  # fmt: skip
        item, comment = about or (0, None)
        now = self._now()
        notice = {"user": user, "now": now, "kind": kind, "level": level, "path": path, "text": text}
        with self._database.atomic():
            if source:
                self._database.run(FOLD, user=user, source=source, kind=kind, item=item, path=path)
            due = "due" if mail else None
            more = {"item": item, "comment": comment, "mail": due, "source": source, "cause": CAUSE.get()}
            id = self._database.value(ADD, **notice, **more)
            self._trim(user, source)
            if mail:
                self.signal()
        return Notice(id, user, now, kind, level, path, text, item or None, caused_by=CAUSE.get())

    def _trim(self, user: str, source: str) -> None:
        if source:
            self._database.run(TRIM_ONE, user=user, source=source, most=MOST_OF_ONE)
        if source.startswith("@"):
            self._database.run(TRIM_PEOPLE, user=user, most=MOST_OF_PEOPLE)
        else:
            self._database.run(TRIM_REST, user=user, most=MOST)

    def of(self, user: str) -> Sequence[Notice]:
        return self._database.all(NOTICE, OF, user=user)

    def count(self, user: str) -> int:
        return int(self._database.value(COUNT, **principal(user)))

    def chosen_levels(self, kind: str, users: Collection[str], item: int) -> Mapping[str, ChosenLevels]:
        found: dict[str, ChosenLevels] = {}
        names = list(users)
        for sql, params in batches(CHOSEN, users=names):
            rows = self._database.rows(sql, **params, item=item, there=THERE, usual=f"{USUAL}/{kind}")
            found |= {name: ChosenLevels(*levels) for name, *levels in rows}
        return found

    def listening(self, kind: str, item: int) -> Mapping[str, ChosenLevels]:
        beyond, cut = "notifications/A", len(THERE) + 1  # "A" is the character after "@"
        rows = self._database.rows(
            LISTENING, item=item, there=THERE, beyond=beyond, cut=cut, usual=f"{USUAL}/{kind}"
        )
        return {name: ChosenLevels(*levels) for name, *levels in rows}

    def find(self, user: str, id: int) -> Notice | None:
        return self._database.one(NOTICE, FIND, id=id, user=user)

    def remove(self, user: str, id: int) -> bool:
        return self._database.run(REMOVE, id=id, user=user) > 0

    def dismiss(self, user: str, ids: Collection[int]) -> int:
        listed, count = sorted(ids), 0
        with self._database.atomic():
            for sql, params in batches(DISMISS, ids=listed):
                count += self._database.run(sql, user=user, **params)
        return count

    def withdraw(self, item: int, kind: str, path: str | None = None) -> None:
        if path is None:
            self._database.run(WITHDRAW, item=item, kind=kind)
        else:
            self._database.run(WITHDRAW_AT, item=item, kind=kind, path=path)

    def unsent(self) -> Sequence[Notice]:
        return self._database.all(NOTICE, UNSENT, most=AT_ONCE)

    def take(self, id: int) -> bool:
        return self._database.run(TAKE, id=id) > 0

    def give_back(self, id: int) -> None:
        self._database.run(GIVE_BACK, id=id)
