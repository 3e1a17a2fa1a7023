"""The table of locks of spaces."""

from __future__ import annotations

from collections.abc import Sequence

from chains.spaces.locks import SpaceLock
from storage.bytes.space_rows import tree_of
from storage.database.columns import TableColumns
from storage.database.store import Store

COLUMNS = TableColumns(
    SpaceLock, "token path deep exclusive account about expires_on", deep=bool, exclusive=bool
)
OF = f"SELECT {COLUMNS} FROM space_lock WHERE item = :item AND expires_on > :now ORDER BY path"
HELD = "SELECT count(*) FROM space_lock WHERE account = :account AND expires_on > :now"
ENDED = "DELETE FROM space_lock WHERE expires_on <= :now"
ADD = f"""
INSERT INTO space_lock (item, {COLUMNS})
VALUES (:item, :token, :path, :deep, :exclusive, :account, :about, :expires_on)"""
RENEW = "UPDATE space_lock SET expires_on = :expires_on WHERE token = :token"
DROP = "DELETE FROM space_lock WHERE item = :item AND token = :token"
DROP_BELOW = """
DELETE FROM space_lock WHERE item = :item AND (path = :path OR (path >= :first AND path < :last))"""


class StoredSpaceLocks(Store):
    """chains.spaces.locks.SpaceLocks over a database."""

    def of(self, space: int, now: str) -> Sequence[SpaceLock]:
        return self._database.all(COLUMNS, OF, item=space, now=now)

    def held(self, account: str, now: str) -> int:
        return int(self._database.value(HELD, account=account, now=now))

    def add(self, space: int, lock: SpaceLock, now: str) -> None:
        facts = {name: getattr(lock, name) for name in COLUMNS.names}
        self._database.run(ENDED, now=now)
        self._database.run(ADD, item=space, **facts)

    def renew(self, token: str, expires_on: str) -> None:
        self._database.run(RENEW, token=token, expires_on=expires_on)

    def drop(self, space: int, token: str) -> None:
        self._database.run(DROP, item=space, token=token)

    def drop_below(self, space: int, path: str) -> None:
        self._database.run(DROP_BELOW, **tree_of(space, path))
