"""The trash: deleted items stay in their table, with a key that no query uses, and lose their shares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import peewee

from chains.language.named_items import Names
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.database.store import QuotaStore
from storage.tree.item_rows import ITEM, LOCK, TRASH_OWNER, TRASHED
from storage.tree.search_index import FIELDS, ReferenceRows, SearchIndex
from vfs.errors import Conflict, NotFound
from vfs.ports.clock import Clock
from vfs.ports.items import Item
from vfs.ports.quotas import QuotaName, Quotas
from vfs.ports.trash import TrashEntry

ENTRY = TableColumns(TrashEntry, "id owner kind item name place deleted_on size")
SELECT = """
SELECT t.id, t.owner, t.kind, t.item, t.name, t.place, t.deleted_on,
    CASE WHEN t.place = '' THEN u.bytes + u.packs ELSE t.size END
FROM trash t JOIN item_use u ON u.item = t.item WHERE"""
OF = f"{SELECT} t.owner = :owner ORDER BY t.id DESC"
FIND = f"{SELECT} t.owner = :owner AND t.id = :id"
NEWEST = f"{SELECT} t.item = :item ORDER BY t.id DESC LIMIT :most"
BEFORE = f"{SELECT} t.deleted_on < :before ORDER BY t.id LIMIT :most"

ADD = """
INSERT INTO trash (owner, kind, item, name, place, shortname, ways, deleted_on, size)
VALUES (:owner, :kind, :item, :name, '', :shortname, :ways, :now, 0) RETURNING id"""
WAYS: Mapping[str, tuple[str, str]] = {
    "share": ("item", "target letters name kind owner created_on"),
    "item_link": ("item", "digest name created_on expires_on password uses pinned used last_use"),
    "job_hook": ("job", "digest name created_on calls called_on status"),
}
"""Tables of shares, links and hooks of an item: the column with the item, and the others."""
PLANNED = (
    "DELETE FROM pending_share WHERE item = :item",
    "DELETE FROM notice WHERE item = :item",
    "DELETE FROM search_word WHERE item = :item",
    "DELETE FROM item_reference WHERE item = :item",
    "DELETE FROM schedule WHERE job = :item",
    "DELETE FROM trigger_event WHERE job = :item AND settled_on IS NULL",
    "DELETE FROM alert WHERE item = :item",
    "DELETE FROM space_lock WHERE item = :item",
    "DELETE FROM mail_order WHERE item = :item AND due_on IS NOT NULL",
    "DELETE FROM mail_delivery WHERE sending IN (SELECT id FROM mail_sending WHERE item = :item)",
    """UPDATE mail_sending SET state = 'failed', ended_on = :now, message = NULL
    WHERE item = :item AND state = 'open'""",
)
"""Statements that remove the search rows and the planned work of an item."""
# A space continues the numbers of former spaces with its name. An item gets and loses its name while its kind
# is that of a space, so that the triggers of a renaming run.
CLEAR_NAME = "UPDATE item SET name = :key, label = '', sought = '' WHERE id = :item"
HIDE = f"""
UPDATE item SET kind = '{TRASHED}' || kind, owner = '{TRASH_OWNER}', shortname = :key WHERE id = :item"""
SHOW = """
UPDATE item SET kind = :kind, owner = :owner, shortname = (SELECT shortname FROM trash WHERE id = :id)
WHERE id = :item"""
NAME = "UPDATE item SET name = :name, label = :name WHERE id = :item"
FORGET_PAST = "DELETE FROM space_past WHERE owner = :owner AND name = :key"
AT = f"SELECT {ITEM} FROM item WHERE id = :item"
END = "DELETE FROM trash WHERE id = :id RETURNING ways"
DROP_FILES = "DELETE FROM trash WHERE owner = :owner AND place <> ''"
TEXT = "SELECT text FROM leaf WHERE item = :item AND rel = :rel"
# Names of accounts are never reused, those of groups are: one that was made later is another group.
IS_THERE = """
SELECT 1 WHERE :target = 'public'
    OR EXISTS (SELECT 1 FROM account a WHERE '@' || a.name = :target AND a.password <> '')
    OR EXISTS (SELECT 1 FROM people_group g WHERE g.ref = :target AND g.created_on <= :since)"""


class StoredTrash(QuotaStore):
    """vfs.ports.trash.Trash over a database, and where StoredItems puts deleted items."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        quotas: Quotas | None = None,
        names: Mapping[str, Names] = MappingProxyType({}),
    ) -> None:
        super().__init__(database, clock, quotas)
        self._index = SearchIndex(database)
        self._references = ReferenceRows(database, names)

    def put(self, item: Item) -> None:
        """Move an item to the trash of its owner. Raises NotFound when it is gone."""
        now = self._now()
        with self._database.atomic():
            if not self._database.run(LOCK, item=item.id):
                raise NotFound(f"{item.name} no longer exists.")
            ways = json.dumps({table: self._take_ways(table, item.id) for table in WAYS})
            key = {"owner": item.owner, "kind": item.kind, "name": item.name, "shortname": item.shortname}
            id = self._database.value(ADD, **key, item=item.id, ways=ways, now=now)
            for statement in PLANNED:
                needs = {"now": now} if ":now" in statement else {}
                self._database.run(statement, item=item.id, **needs)
            self._database.run(CLEAR_NAME, key=_key(id), item=item.id)
            self._database.run(HIDE, key=_key(id), item=item.id)

    def of(self, owner: str) -> Sequence[TrashEntry]:
        return self._database.all(ENTRY, OF, owner=owner)

    def find(self, owner: str, id: int) -> TrashEntry | None:
        return self._database.one(ENTRY, FIND, owner=owner, id=id)

    def newest(self, item: int, most: int) -> Sequence[TrashEntry]:
        return self._database.all(ENTRY, NEWEST, item=item, most=most)

    def before(self, stamp: str, most: int) -> Sequence[TrashEntry]:
        return self._database.all(ENTRY, BEFORE, before=stamp, most=most)

    def restore(self, entry: TrashEntry, name: str, *, ways: bool) -> Item:
        where = {"item": entry.item, "owner": entry.owner}
        try:
            with self._database.atomic():
                self._database.run(SHOW, kind=entry.kind, id=entry.id, **where)
                self._database.run(NAME, name=name, item=entry.item)
                self._database.run(FORGET_PAST, owner=entry.owner, key=_key(entry.id))
                kept = self._database.value(END, id=entry.id)
                if kept is None:
                    raise NotFound(f"{entry.name} is not in the trash any more.")
                self._find_again(entry.item, entry.owner, name)
                if ways:
                    self._give_ways(entry, json.loads(kept))
        except peewee.IntegrityError:
            raise Conflict(
                f"The name {name} is taken by now: send another name, or rename what has it."
            ) from None
        item: Item = ITEM.read(self._database.rows(AT, item=entry.item)[0])
        return item

    def drop_files(self, owner: str) -> int:
        return self._database.run(DROP_FILES, owner=owner)

    def drop(self, entry: TrashEntry) -> bool:
        return self._database.value(END, id=entry.id) is not None

    def _find_again(self, item: int, owner: str, name: str) -> None:
        """Store the words and references of an item again."""
        for statement in ("search_word", "item_reference"):
            self._database.run(f"DELETE FROM {statement} WHERE item = :item", item=item)
        self._index.add(item, owner, name)
        for rel in FIELDS:
            if text := self._database.value(TEXT, item=item, rel=rel):
                self._index.put(item, rel, text)
        self._references.copy(item)

    def _take_ways(self, table: str, item: int) -> list[Sequence[object]]:
        key, columns = WAYS[table]
        listed = columns.replace(" ", ", ")
        rows = self._database.rows(f"SELECT {listed} FROM {table} WHERE {key} = :item", item=item)
        self._database.run(f"DELETE FROM {table} WHERE {key} = :item", item=item)
        return [list(row) for row in rows]

    def _give_ways(self, entry: TrashEntry, kept: Mapping[str, Sequence[Sequence[object]]]) -> None:
        for table, rows in kept.items():
            key, columns = WAYS[table]
            names = columns.split()
            found = [dict(zip(names, row, strict=True)) for row in rows]
            sql = f"INSERT INTO {table} ({key}, {', '.join(names)}) VALUES (:item, :{', :'.join(names)})"
            self._database.many(sql, [{"item": entry.item, **row} for row in found if self._is_there(row)])
        self._admit_made(entry.owner, QuotaName.SHARES)

    def _is_there(self, row: Mapping[str, object]) -> bool:
        """Return whether the target of a share still exists; True for links and hooks."""
        target = row.get("target")
        if target is None:
            return True
        return self._database.row(IS_THERE, target=target, since=row["created_on"]) is not None


def _key(id: int) -> str:
    """Return the name and shortname of an item of the trash, which no request can name."""
    return f"{TRASHED}{id}"
