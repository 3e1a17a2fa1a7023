"""The table of items, read together with the grants effective for a caller in one statement."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

import peewee

from chains.language.named_items import Names
from storage.database.bulk import batches, spread
from storage.database.database import Database
from storage.database.store import QuotaStore
from storage.tree.item_rows import (
    AT_IDS,
    IS_LIVE,
    ITEM,
    LOCK,
    OF_ITEM,
    all_found,
    found_of,
    principal,
    with_grants,
)
from storage.tree.leaves import below
from storage.tree.search_index import ReferenceRows, SearchIndex
from storage.tree.shortnames import Shortnames
from storage.tree.trash import StoredTrash
from vfs.errors import Conflict, NotFound
from vfs.ports.clock import Clock
from vfs.ports.items import Found, Item
from vfs.ports.quotas import QuotaName, Quotas

NAMED_SO = "kind = :kind AND owner = :owner AND name = :name"
# If the item is missing, another one is looked up, so that missing and hidden items take the same time.
FIND = with_grants(f"""
SELECT * FROM item
WHERE id = COALESCE((SELECT id FROM item WHERE {NAMED_SO}), (SELECT min(id) FROM item)) LIMIT 1""")
BY_SHORTNAME = with_grants(f"SELECT * FROM item i WHERE shortname = :shortname AND {IS_LIVE} LIMIT 1")
AT = with_grants(f"SELECT * FROM item i WHERE id = :id AND {IS_LIVE} LIMIT 1")
NAMED = """
SELECT * FROM item WHERE kind = :kind AND owner IN (:owners) AND name IN (:names)
UNION SELECT * FROM item WHERE kind = :kind AND shortname IN (:shortnames)"""
ALL_NAMED = f"{with_grants(NAMED)} ORDER BY i.id"
SHARED_WITH = """
SELECT DISTINCT i.* FROM share g JOIN member o ON o.group_ref = g.target AND o.name = g.owner
JOIN item i ON i.id = g.item WHERE g.kind = :kind AND NOT o.pending AND g.target IN (:groups)"""
THROUGH = f"{with_grants(SHARED_WITH)} ORDER BY i.owner, i.name, s.target"

OWN = f"SELECT {OF_ITEM} FROM item i WHERE i.kind = :kind AND i.owner = :owner"
FIND_OWN = f"{OWN} AND i.name = :name"
ALL_OWN = f"{OWN} ORDER BY i.name"
STAMPS = """
SELECT name, created_on, last_modified FROM item WHERE kind = :kind AND owner = :owner ORDER BY name"""
NAMES = "SELECT name FROM item WHERE kind = :kind AND owner = :owner AND name"
NEAR = f"""
SELECT name FROM ({NAMES} < :name ORDER BY name DESC LIMIT :most) lower
UNION ALL SELECT name FROM ({NAMES} >= :name ORDER BY name LIMIT :most) upper"""

# The query starts at the caller's targets and goes to shares of that kind (and owner), so items that are not
# shared are not read. CROSS JOIN makes SQLite keep the written order.
DIRECT = f"""
SELECT {OF_ITEM}, s.target AS target, s.letters AS letters, NULL AS role
FROM share s JOIN item i ON i.id = s.item
WHERE s.target = :mine AND s.kind = :kind"""
PUBLIC = f"""
SELECT {OF_ITEM}, s.target, s.letters, NULL
FROM share s JOIN item i ON i.id = s.item JOIN account a ON a.name = s.owner
WHERE s.target = 'public' AND s.kind = :kind AND a.public"""
GROUPS = f"""
SELECT {OF_ITEM}, s.target, s.letters, m.role
FROM member m CROSS JOIN share s CROSS JOIN member o CROSS JOIN item i
WHERE s.target = m.group_ref AND o.group_ref = s.target AND o.name = s.owner AND i.id = s.item
    AND m.name = :me AND NOT m.pending AND NOT o.pending AND s.kind = :kind"""
SHARED = f"""
{DIRECT} AND s.owner = :owner
UNION ALL {PUBLIC} AND s.owner = :owner
UNION ALL {GROUPS} AND s.owner = :owner
ORDER BY owner, name, target"""
VISIBLE = f"""
SELECT {OF_ITEM}, NULL AS target, NULL AS letters, NULL AS role
FROM item i WHERE i.kind = :kind AND i.owner = :me
UNION ALL {DIRECT} AND s.owner <> :me
UNION ALL {PUBLIC} AND s.owner <> :me
UNION ALL {GROUPS} AND s.owner <> :me
ORDER BY owner, name, target"""

CREATE = """
INSERT INTO item (kind, owner, name, shortname, created_on, last_modified, label)
VALUES (:kind, :owner, :name, :shortname, :now, :now, :name)
ON CONFLICT (kind, owner, name) DO NOTHING RETURNING id"""
RENAME = "UPDATE item SET name = :new WHERE id = :id AND name = :name"
TOUCH = f"UPDATE item AS i SET last_modified = :now WHERE i.id = :id AND {IS_LIVE}"
REMOVE = (
    "DELETE FROM share WHERE item = :id",
    "DELETE FROM leaf WHERE item = :id",
    "DELETE FROM item WHERE id = :id",
)
# A copy is made on purpose: its first content becomes a version, even if it was an autosave.
COPY = """
INSERT INTO leaf (
    item, rel, revision, created_on, last_modified, author, digest, size, media, text, text_digest, kept,
    since)
SELECT :new, rel, 1, :now, :now,
    CASE WHEN author LIKE '% %' AND (SELECT owner FROM item WHERE id = :item) = :owner THEN author
        ELSE :owner END,
    digest, size, media, text, text_digest, CASE WHEN kept > 0 THEN 1 ELSE 0 END, :now FROM leaf
WHERE item = :item AND (rel = :rel OR (rel >= :first AND rel < :last))
ON CONFLICT (item, rel) DO NOTHING"""


class StoredItems(QuotaStore):
    """Stores items in the database (vfs.ports.items.ItemStore)."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        shortnames: Shortnames,
        changed: Callable[[Item], object] = lambda item: None,
        quotas: Quotas | None = None,
        names: Mapping[str, Names] = MappingProxyType({}),
        trash: StoredTrash | None = None,
        ended: Callable[[Item], object] = lambda item: None,
    ) -> None:
        """Call `changed` for each changed item, and `ended` before one is removed."""
        super().__init__(database, clock, quotas)
        self._trash = trash
        self._ended = ended
        self._changed = changed
        self._shortnames = shortnames
        self._index = SearchIndex(database)
        self._references = ReferenceRows(database, names)

    def find(self, kind: str, owner: str, name: str, caller: str | None) -> Found | None:
        key = {"kind": kind, "owner": owner, "name": name}
        if owner == caller:
            return self._first(FIND_OWN, key)
        found = self._first(FIND, {**key, **principal(caller)})
        if found is None or (found.item.kind, found.item.owner, found.item.name) != (kind, owner, name):
            return None
        return found

    def at(self, id: int, caller: str | None) -> Found | None:
        return self._first(AT, {"id": id, **principal(caller)})

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        wanted, found = list(dict.fromkeys(ids)), list[Found]()
        for sql, params in batches(AT_IDS, ids=wanted):
            found += all_found(self._database.rows(sql, **params, **principal(caller)))
        return {one.item.id: one for one in found}

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        return self._first(BY_SHORTNAME, {"shortname": shortname, **principal(caller)})

    def all_named(
        self, kind: str, names: Collection[tuple[str, str]], shortnames: Collection[str], caller: str | None
    ) -> Sequence[Found]:
        owners, plain = [owner for owner, _ in names] or [""], [name for _, name in names] or [""]
        sql, params = spread(ALL_NAMED, owners=owners, names=plain, shortnames=list(shortnames) or [""])
        found = all_found(self._database.rows(sql, kind=kind, **params, **principal(caller)))
        wanted, short = set(names), set(shortnames)
        return [
            one for one in found if (one.item.owner, one.item.name) in wanted or one.item.shortname in short
        ]

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        if owner is None:
            return all_found(self._database.rows(VISIBLE, kind=kind, **principal(caller)))
        if owner == caller:
            return [Found(item) for item in self._database.all(ITEM, ALL_OWN, kind=kind, owner=owner)]
        return all_found(self._database.rows(SHARED, kind=kind, owner=owner, **principal(caller)))

    def stamps_of(self, kind: str, owner: str) -> Sequence[tuple[str, str, str]]:
        rows: list[tuple[str, str, str]] = self._database.rows(STAMPS, kind=kind, owner=owner)
        return rows

    def near(self, kind: str, owner: str, name: str, most: int) -> Sequence[str]:
        rows = self._database.rows(NEAR, kind=kind, owner=owner, name=name, most=most)
        return [one for (one,) in rows]

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        if not groups:
            return []
        sql, params = spread(THROUGH, groups=groups)
        return all_found(self._database.rows(sql, kind=kind, **params, **principal(caller)))

    def create(self, kind: str, owner: str, name: str) -> Item:
        """Create an item with a new shortname.

        Raises Conflict when the name is taken, QuotaReached when the owner's quota is full.
        """
        now = self._now()
        with self._database.atomic():
            if self._quotas is not None:
                self._quotas.admit_item(owner, kind)
            (shortname,) = self._shortnames.fresh(1)
            key = {"kind": kind, "owner": owner, "name": name, "shortname": shortname}
            id = self._database.value(CREATE, **key, now=now)
            if id is None:
                raise name_taken(name)
            self._index.add(id, owner, name)
        return Item(id, kind, owner, name, shortname, now, now)

    def rename(self, item: Item, name: str) -> Item:
        try:
            with self._database.atomic():
                if not self._database.run(RENAME, new=name, id=item.id, name=item.name):
                    raise NotFound(f"{item.name} no longer exists.")
                self._index.rename(item.id, name)
        except peewee.IntegrityError:
            raise name_taken(name) from None
        return item._replace(name=name)

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """Create an item with a copy of the leaves at or below `rels`, whose author is the new owner.

        Texts that a run wrote keep their authors if the owner is the same.
        """
        with self._database.atomic():
            new = self.create(item.kind, owner, name)
            for rel in rels:
                first, last = below(rel)
                ends = {"item": item.id, "rel": rel, "first": first, "last": last}
                self._database.run(COPY, new=new.id, now=new.created_on, owner=owner, **ends)
            self._index.copy(item.id, new.id)
            self._references.copy(new.id)
            if self._quotas is not None:
                self._quotas.admit_bytes(new.id, 0)
                self._quotas.admit_made(owner, QuotaName.TAGS, QuotaName.VARIABLES)
        return new

    def discard(self, item: Item) -> None:
        if self._trash is None:
            self.remove(item)
        else:
            self._trash.put(item)

    def remove(self, item: Item) -> None:
        with self._database.atomic():
            self._ended(item)
            for statement in REMOVE:
                self._database.run(statement, id=item.id)

    def touch(self, item: Item) -> bool:
        self._changed(item)
        return self._database.run(TOUCH, now=self._now(), id=item.id) > 0

    def hold(self, item: Item) -> bool:
        """Lock the item against removal until the transaction ends. Return False if it is gone.

        Viewers of the item are notified, as its shares may have changed.
        """
        self._changed(item)
        return self._database.run(LOCK, item=item.id) > 0

    def _first(self, sql: str, key: Mapping[str, object]) -> Found | None:
        rows = self._database.rows(sql, **key)
        return found_of(rows) if rows else None


def name_taken(name: str) -> Conflict:
    """Return the refusal of a name that is in use."""
    return Conflict(f"The name {name} is taken; choose another.")
