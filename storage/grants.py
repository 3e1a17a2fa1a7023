"""Shares of items as rows."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database import Database
from vfs.access import Grant
from vfs.errors import NotFound
from vfs.world import Clock, stamp

ON = "SELECT target, letters, name, created_on FROM share WHERE item = ? ORDER BY created_on, target"
# The item's row is locked first, so that a rule over all of an item's shares holds while one is added.
LOCK = "UPDATE item SET name = name WHERE id = ?"
CHANGE = "UPDATE share SET letters = ?, name = ? WHERE item = ? AND target = ?"
GIVE = """
INSERT INTO share (item, target, letters, name, kind, owner, created_on)
SELECT id, ?, ?, ?, kind, owner, ? FROM item WHERE id = ?"""
TAKE = "DELETE FROM share WHERE item = ? AND target = ?"


class StoredGrants:
    """Keeps the shares of items in the database (vfs.world.Grants)."""

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
        return self._database.run(TAKE, item, target) > 0
