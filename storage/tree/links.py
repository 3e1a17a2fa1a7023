"""The table of links to items."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.columns import TableColumns
from storage.database.store import Store
from storage.tree.item_rows import IS_LIVE, ITEM, LOCK
from vfs.errors import NotFound
from vfs.ports.items import Item
from vfs.ports.links import LINK_FIELDS, ItemLink

LINK = TableColumns(ItemLink, "digest name created_on expires_on password uses pinned used last_use")
ADD = """
INSERT INTO item_link (item, digest, name, created_on) VALUES (:item, :digest, :name, :created_on)
ON CONFLICT DO NOTHING"""
OF = f"SELECT {LINK} FROM item_link WHERE item = :item ORDER BY name"
WITH_ITEM = (
    f"SELECT {ITEM.of('i')}, {LINK.of('l')} FROM item_link l JOIN item i ON i.id = l.item AND {IS_LIVE}"
)
FIND = f"{WITH_ITEM} WHERE l.digest = :digest"
ALL = f"{WITH_ITEM} ORDER BY i.owner, i.kind, i.name, l.name"
UNPIN = "UPDATE item_link SET pinned = '' WHERE item = :item AND pinned = :snapshot"
DROP = "DELETE FROM item_link WHERE item = :item AND name = :name"
# One statement, so that of several uses at the same moment no more are counted than are left.
USE = """
UPDATE item_link SET used = used + 1, last_use = :now
WHERE digest = :digest AND (uses IS NULL OR used < uses) AND (expires_on IS NULL OR expires_on > :now)"""


class StoredItemLinks(Store):
    """vfs.ports.links.ItemLinks over a database."""

    def add(self, item: int, link: ItemLink) -> bool:
        row = {"digest": link.digest, "name": link.name, "created_on": link.created_on}
        with self._database.atomic():
            if not self._database.run(LOCK, item=item):
                raise NotFound("The resource no longer exists, so no link was made.")
            return self._database.run(ADD, item=item, **row) > 0

    def of(self, item: int) -> Sequence[ItemLink]:
        return self._database.all(LINK, OF, item=item)

    def find(self, digest: str) -> tuple[Item, ItemLink] | None:
        row = self._database.row(FIND, digest=digest)
        return _with_item(row) if row is not None else None

    def everyone(self) -> Sequence[tuple[Item, ItemLink]]:
        return [_with_item(row) for row in self._database.rows(ALL)]

    def change(self, digest: str, field: str, value: str | int | None) -> None:
        if field not in LINK_FIELDS:
            raise TypeError(f"a link has no field {field} that can be changed")
        change = f"UPDATE item_link SET {field} = :value WHERE digest = :digest"
        self._database.run(change, digest=digest, value=value)

    def unpin(self, item: int, snapshot: str) -> None:
        self._database.run(UNPIN, item=item, snapshot=snapshot)

    def drop(self, item: int, name: str) -> bool:
        return self._database.run(DROP, item=item, name=name) > 0

    def use(self, digest: str, now: str) -> bool:
        return self._database.run(USE, digest=digest, now=now) > 0


def _with_item(row: tuple[object, ...]) -> tuple[Item, ItemLink]:
    item, rest = ITEM.split(row)
    return item, LINK.read(rest)
