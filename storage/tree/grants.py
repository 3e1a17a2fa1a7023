"""Shares of items as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.database.database import Database
from storage.tree.leaves import AT_ONCE
from vfs.access import Grant, Holder, Role
from vfs.errors import NotFound
from vfs.ports.world import Clock, stamp

ON = "SELECT target, letters, name, created_on FROM share WHERE item = ? ORDER BY created_on, target"
# The item's row is locked first, so that a rule over all of an item's shares holds while one is added, and
# nobody writes by a share that is being taken back.
LOCK = "UPDATE item SET name = name WHERE id = ?"
CHANGE = "UPDATE share SET letters = ?, name = ? WHERE item = ? AND target = ?"
GIVE = """
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
SELECT id, ?, ?, ?, kind, owner, ? FROM item WHERE id = ?"""
TAKE = "DELETE FROM share WHERE item = ? AND target = ?"
KINDS = """
SELECT DISTINCT s.kind FROM share s JOIN member o ON o.group_ref = s.target AND o.name = s.owner
WHERE s.target = ? AND NOT o.pending"""
TARGETS = "SELECT item, target FROM share WHERE item IN (%s) ORDER BY item, target"
HOLDERS = """
SELECT m.name, s.target, s.letters, s.name, s.created_on, m.role
FROM share s JOIN member o ON o.group_ref = s.target AND o.name = s.owner
    JOIN member m ON m.group_ref = s.target AND m.name <> s.owner
WHERE s.item = ? AND NOT o.pending AND NOT m.pending
UNION ALL
SELECT a.name, s.target, s.letters, s.name, s.created_on, NULL
FROM share s JOIN account a ON s.target = '@' || a.name AND a.name <> s.owner
WHERE s.item = ?
ORDER BY 1, 5, 2"""


class StoredGrants:
    """Keeps the shares of items in the database (vfs.ports.world.Grants)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def on(self, item: int) -> Sequence[Grant]:
        """All shares of an item, oldest first (those of one instant by target)."""
        return [Grant(*row) for row in self._database.rows(ON, item)]

    def give(self, item: int, grant: Grant) -> bool:
        """Share, or change letters and name of a share; True when the target is new. Raises NotFound."""
        with self._database.atomic():
            if not self._database.run(LOCK, item):
                raise NotFound("The resource is not there any more, so nothing was shared.")
            if self._database.run(CHANGE, grant.letters, grant.name, item, grant.target):
                return False
            now = stamp(self._clock.now())
            self._database.run(GIVE, grant.target, grant.letters, grant.name, now, item)
        return True

    def take(self, item: int, target: str) -> bool:
        """Revoke the share of a target; False when there was none."""
        with self._database.atomic():
            self._database.run(LOCK, item)
            return self._database.run(TAKE, item, target) > 0

    def kinds(self, group: str) -> frozenset[str]:
        """The kinds of the items that members of a group share with it."""
        return frozenset(kind for (kind,) in self._database.rows(KINDS, group))

    def targets(self, items: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """The targets that items are shared with, by item, each in order."""
        found: dict[int, list[str]] = {}
        for start in range(0, len(items), AT_ONCE):
            some = items[start : start + AT_ONCE]
            for item, target in self._database.rows(TARGETS % ", ".join("?" * len(some)), *some):
                found.setdefault(item, []).append(target)
        return found

    def holders(self, item: int) -> Sequence[Holder]:
        """Everybody but the owner whom the shares of an item reach now, by user, older shares first."""
        rows = self._database.rows(HOLDERS, item, item)
        return [Holder(row[0], Grant(*row[1:5]), Role(row[5]) if row[5] else None) for row in rows]
