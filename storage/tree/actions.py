"""The table of actions, which keeps the newest of each item."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.ports.clock import stamp
from vfs.ports.social import MOST_ACTIONS, ItemAction

ACTION = TableColumns(ItemAction, "id item actor kind below target first_on last_on times")
NEAR = 16
"""The number of newest actions of an item that are searched for an equal one."""
TOGETHER = timedelta(hours=1)

# A repeated action becomes the newest again: its row is deleted and added with a new number.
LIFT = f"""
DELETE FROM deed WHERE id = (
    SELECT id FROM (SELECT * FROM deed WHERE item = :item ORDER BY id DESC LIMIT {NEAR}) d
    WHERE actor = :actor AND kind = :kind AND target = :target AND (:loose OR below = :below)
        AND first_on > :since
    ORDER BY id DESC LIMIT 1)
RETURNING first_on, times"""
ADD = """
INSERT INTO deed (item, actor, kind, below, target, first_on, last_on, times)
SELECT id, :actor, :kind, :below, :target, :first, :now, CAST(:times AS INTEGER) FROM item WHERE id = :item"""
TRIM = """
DELETE FROM deed WHERE item = :item AND id <= (
    SELECT id FROM deed WHERE item = :item ORDER BY id DESC LIMIT 1 OFFSET :most)"""
OF = f"""
SELECT {ACTION} FROM deed WHERE item = :item AND id < :before AND (:shares OR target = '')
ORDER BY id DESC LIMIT :most"""


class StoredActions(DatedStore):
    """vfs.ports.social.Actions over a database."""

    def add(
        self, item: int, actor: str, kind: str, below: str = "", target: str = "", *, loose: bool = False
    ) -> None:
        now = self._clock.now()
        action = {"item": item, "actor": actor, "kind": kind, "below": below, "target": target}
        with self._database.atomic():
            before = self._database.row(LIFT, **action, loose=loose, since=stamp(now - TOGETHER))
            first, times = before or (stamp(now), 0)
            self._database.run(ADD, **action, first=first, now=stamp(now), times=times + 1)
            if before is None:
                self._database.run(TRIM, item=item, most=MOST_ACTIONS)

    def of(self, item: int, before: int | None, most: int, *, shares: bool) -> Sequence[ItemAction]:
        # Row numbers are always far below this one.
        where = {"item": item, "before": before or 1 << 62, "most": most, "shares": shares}
        return self._database.all(ACTION, OF, **where)
