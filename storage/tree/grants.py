"""The table of shares of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.store import QuotaStore
from storage.tree.item_rows import LOCK
from vfs.access import Grant, Holder, Role
from vfs.errors import NotFound
from vfs.ports.quotas import QuotaName

PUBLIC = "public"
GRANT = TableColumns(Grant, "target letters name created_on")

ON = f"SELECT {GRANT} FROM share WHERE item = :item ORDER BY created_on, target"
CHANGE = "UPDATE share SET letters = :letters, name = :name WHERE item = :item AND target = :target"
GIVE = """
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
SELECT id, :target, :letters, :name, kind, owner, :now FROM item WHERE id = :item RETURNING owner"""
TAKE = "DELETE FROM share WHERE item = :item AND target = :target"
KINDS = """
SELECT DISTINCT s.kind FROM share s JOIN member o ON o.group_ref = s.target AND o.name = s.owner
WHERE s.target = :group AND NOT o.pending"""
TARGETS = "SELECT item, target FROM share WHERE item IN (:items) AND letters LIKE :like ORDER BY item, target"
HOLDERS = f"""
SELECT {GRANT.of("s")}, m.name AS holder, m.role
FROM share s JOIN member o ON o.group_ref = s.target AND o.name = s.owner
    JOIN member m ON m.group_ref = s.target AND m.name <> s.owner
WHERE s.item = :item AND NOT o.pending AND NOT m.pending
UNION ALL
SELECT {GRANT.of("s")}, a.name, NULL
FROM share s JOIN account a ON s.target = '@' || a.name AND a.name <> s.owner
WHERE s.item = :item
ORDER BY holder, created_on, target"""

# Only targets that are returned are counted.
REACHED = """
WITH reached AS (
    SELECT s.target, s.owner FROM share s
    WHERE s.item = :item AND s.target <> '@' || s.owner AND (
        s.target = 'public' OR EXISTS (SELECT 1 FROM account a WHERE a.name = substr(s.target, 2))
        OR EXISTS (SELECT 1 FROM member o
            WHERE o.group_ref = s.target AND o.name = s.owner AND NOT o.pending))
    ORDER BY CASE WHEN s.target = 'public' THEN 0 WHEN s.target LIKE '%~%' THEN 2 ELSE 1 END, s.target
    LIMIT :most)
SELECT t.target, CASE WHEN t.target = 'public' THEN 0 WHEN t.target LIKE '%~%' THEN (
    SELECT count(*) FROM (SELECT 1 FROM member m
        WHERE m.group_ref = t.target AND m.name <> t.owner AND NOT m.pending LIMIT :most) c) ELSE 1 END
FROM reached t
ORDER BY CASE WHEN t.target = 'public' THEN 0 WHEN t.target LIKE '%~%' THEN 2 ELSE 1 END, t.target"""


class StoredGrants(QuotaStore):
    """Stores the shares of items in the database (vfs.ports.grants.Grants).

    The item's row is locked first. So a rule about all shares of an item holds while one is added, and a
    share that is being revoked cannot be used to write.
    """

    def on(self, item: int) -> Sequence[Grant]:
        """Return all shares of an item, oldest first (those with equal time stamps by target)."""
        return self._database.all(GRANT, ON, item=item)

    def give(self, item: int, grant: Grant) -> bool:
        """Share, or change permission letters and name of a share. Return True if the target is new.

        Raises NotFound, and QuotaReached when the owner's quota of shares is full.
        """
        with self._database.atomic():
            if not self._database.run(LOCK, item=item):
                raise NotFound("The resource no longer exists, so nothing was shared.")
            share = {"target": grant.target, "letters": grant.letters, "name": grant.name, "item": item}
            if self._database.run(CHANGE, **share):
                return False
            owner = self._database.value(GIVE, **share, now=self._now())
            self._admit_made(owner, QuotaName.SHARES)
        return True

    def take(self, item: int, target: str) -> bool:
        with self._database.atomic():
            self._database.run(LOCK, item=item)
            return self._database.run(TAKE, item=item, target=target) > 0

    def kinds(self, group: str) -> frozenset[str]:
        return frozenset(kind for (kind,) in self._database.rows(KINDS, group=group))

    def targets(self, items: Sequence[int], letter: str = "") -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        for sql, params in batches(TARGETS, items=items):
            for item, target in self._database.rows(sql, **params, like=f"%{letter}%"):
                found.setdefault(item, []).append(target)
        return found

    def holders(self, item: int) -> Sequence[Holder]:
        rows = (GRANT.split(row) for row in self._database.rows(HOLDERS, item=item))
        return [Holder(name, grant, Role(role) if role else None) for grant, (name, role) in rows]

    def grant_counts(self, item: int, most: int) -> Mapping[str, int]:
        reached = self._database.rows(REACHED, item=item, most=most)
        return {target: count for target, count in reached if count or target == PUBLIC}
