"""Items as rows, looked up together with the grants effective for a caller in one statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import peewee

from storage.database.database import Database
from storage.tree.leaves import AT_ONCE, LEAF, below, leaf_of
from storage.tree.shortnames import Shortnames
from vfs.access import Reach, Role
from vfs.errors import Conflict, NotFound
from vfs.ports.world import Clock, Found, Item, stamp

ITEM = "i.id, i.kind, i.owner, i.name, i.shortname, i.created_on, i.last_modified"

# A share through a group counts while both the caller and the item's owner are active members; a public one
# while the owner's account is public. It is driven from the item's shares, so that the number of the
# caller's groups does not matter.
REACHED = f"""
SELECT {ITEM}, s.target, s.letters, m.role
FROM (%s) i
LEFT JOIN share s ON s.item = i.id AND i.owner <> ? AND (
    s.target = ?
    OR (s.target = 'public' AND EXISTS (SELECT 1 FROM account a WHERE a.name = i.owner AND a.public))
    OR EXISTS (
        SELECT 1 FROM member c JOIN member o ON o.group_ref = c.group_ref AND o.name = i.owner
        WHERE c.group_ref = s.target AND c.name = ? AND NOT c.pending AND NOT o.pending))
LEFT JOIN member m ON m.group_ref = s.target AND m.name = ? AND NOT m.pending
"""
# The same where all that matters is what the grants confer: of those through groups with equal letters one
# stands for all, of a role that may delete where there is one. The first that is found will do, however
# many there are. CROSS JOIN keeps SQLite's planner to the order that is written.
THROUGH_ONE = """
SELECT s.target FROM share s CROSS JOIN member c CROSS JOIN member o
WHERE s.item = (SELECT id FROM i) AND s.letters = l.letters
    AND c.group_ref = s.target AND c.name = ? AND NOT c.pending
    AND o.group_ref = s.target AND o.name = s.owner AND NOT o.pending"""
# Whether a role that may delete is worth looking for: where the caller has none in any group from the first
# to the last of those with these letters, the groups need not be tried one by one.
EDGE = "(SELECT %s(target) FROM share WHERE item = (SELECT id FROM i) AND letters = l.letters)"
ELEVATED = f"""
EXISTS (SELECT 1 FROM member c WHERE c.name = ? AND c.role <> 'members' AND NOT c.pending
    AND c.group_ref >= {EDGE % "min"} AND c.group_ref <= {EDGE % "max"})"""
SUMMED = f"""
SELECT * FROM (
WITH i AS (%s), l AS (SELECT DISTINCT letters FROM share WHERE item = (SELECT id FROM i))
SELECT {ITEM}, t.target, t.letters, m.role
FROM i LEFT JOIN (
    SELECT COALESCE(
        CASE WHEN letters <> replace(letters, 'd', '') AND {ELEVATED}
            THEN ({THROUGH_ONE} AND c.role <> 'members' LIMIT 1) END,
        ({THROUGH_ONE} LIMIT 1)) AS target, letters
    FROM l
    UNION ALL
    SELECT target, letters FROM share WHERE item = (SELECT id FROM i) AND target = ?
    UNION ALL
    SELECT s.target, s.letters FROM share s JOIN account a ON a.name = s.owner
    WHERE s.item = (SELECT id FROM i) AND s.target = 'public' AND a.public) t
ON i.owner <> ?
LEFT JOIN member m ON m.group_ref = t.target AND m.name = ? AND NOT m.pending) found"""
ONE = "SELECT * FROM item WHERE %s LIMIT 1"
FIND = SUMMED % ONE % "kind = ? AND owner = ? AND name = ?"
AT = REACHED % ONE % "id = ?"
ALL_AT = f"{REACHED % 'SELECT * FROM item WHERE id IN (%s)'} ORDER BY 1"
BY_SHORTNAME = SUMMED % ONE % "shortname = ?"
SHARED_WITH = """
SELECT DISTINCT i.* FROM share g JOIN member o ON o.group_ref = g.target AND o.name = g.owner
JOIN item i ON i.id = g.item WHERE g.kind = ? AND NOT o.pending AND g.target IN (%s)"""
THROUGH = f"{REACHED % SHARED_WITH} ORDER BY 3, 4, 8"

OWN = f"SELECT {ITEM} FROM item i WHERE i.kind = ? AND i.owner = ?"
FIND_OWN = f"{OWN} AND i.name = ?"
ALL_OWN = f"{OWN} ORDER BY i.name"

# The same with the leaf at a path, all of its columns NULL where there is none.
AHEAD = f"SELECT i.*, {', '.join(f'l.{name}' for name in LEAF.split(', '))} FROM (%s) i "
AHEAD += "LEFT JOIN leaf l ON l.item = i.id AND l.rel = ?"
LEAF_COLUMNS = LEAF.count(",") + 1
FIND_AHEAD = AHEAD % FIND
FIND_OWN_AHEAD = AHEAD % FIND_OWN

# Driven from the caller's principals to shares of that kind (and owner): what is not shared is not looked at.
# CROSS JOIN keeps SQLite's planner to the order that is written.
DIRECT = f"""
SELECT {ITEM}, s.target, s.letters, NULL
FROM share s JOIN item i ON i.id = s.item
WHERE s.target = ? AND s.kind = ?"""
PUBLIC = f"""
SELECT {ITEM}, s.target, s.letters, NULL
FROM share s JOIN item i ON i.id = s.item JOIN account a ON a.name = s.owner
WHERE s.target = 'public' AND s.kind = ? AND a.public"""
GROUPS = f"""
SELECT {ITEM}, s.target, s.letters, m.role
FROM member m CROSS JOIN share s CROSS JOIN member o CROSS JOIN item i
WHERE s.target = m.group_ref AND o.group_ref = s.target AND o.name = s.owner AND i.id = s.item
    AND m.name = ? AND NOT m.pending AND NOT o.pending AND s.kind = ?"""
SHARED = f"""
{DIRECT} AND s.owner = ?
UNION ALL {PUBLIC} AND s.owner = ?
UNION ALL {GROUPS} AND s.owner = ?
ORDER BY 3, 4, 8"""
VISIBLE = f"""
SELECT {ITEM}, NULL, NULL, NULL FROM item i WHERE i.kind = ? AND i.owner = ?
UNION ALL {DIRECT} AND s.owner <> ?
UNION ALL {PUBLIC} AND s.owner <> ?
UNION ALL {GROUPS} AND s.owner <> ?
ORDER BY 3, 4, 8"""

CREATE = """
INSERT INTO item (kind, owner, name, shortname, created_on, last_modified) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, owner, name) DO NOTHING RETURNING id"""
RENAME = "UPDATE item SET name = ? WHERE id = ? AND name = ?"
TOUCH = "UPDATE item SET last_modified = ? WHERE id = ?"
REMOVE = (
    "DELETE FROM share WHERE item = ?",
    "DELETE FROM leaf WHERE item = ?",
    "DELETE FROM item WHERE id = ?",
)
COPY = """
INSERT INTO leaf (item, rel, revision, created_on, last_modified, author, digest, size, media, text)
SELECT ?, rel, 1, ?, ?, ?, digest, size, media, text FROM leaf
WHERE item = ? AND (rel = ? OR (rel >= ? AND rel < ?))
ON CONFLICT (item, rel) DO NOTHING"""


class StoredItems:
    """Keeps items in the database (vfs.ports.world.Items)."""

    def __init__(self, database: Database, clock: Clock, shortnames: Shortnames) -> None:
        self._database = database
        self._clock = clock
        self._shortnames = shortnames

    def find(
        self, kind: str, owner: str, name: str, caller: str | None, ahead: str | None = None
    ) -> Found | None:
        """The item with what its grants confer on the caller and the leaf `ahead`, or None."""
        if ahead is not None:
            return self._ahead(kind, owner, name, caller, ahead)
        if owner != caller:
            return self._summed(FIND, caller, kind, owner, name)
        row = self._database.row(FIND_OWN, kind, owner, name)
        return Found(Item(*row)) if row else None

    def at(self, id: int, caller: str | None) -> Found | None:
        """The same, by id and with every grant."""
        return self._one(AT, caller, id)

    def all_at(self, ids: Collection[int], caller: str | None) -> Mapping[int, Found]:
        """The same for several ids at once, of those that are there."""
        me, wanted, found = caller or "", list(dict.fromkeys(ids)), dict[int, Found]()
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            rows = self._database.rows(ALL_AT % ", ".join("?" * len(some)), *some, me, f"@{me}", me, me)
            found |= {id: found_of(list(alike)) for id, alike in groupby(rows, key=_id)}
        return found

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """As `find`, by shortname."""
        return self._summed(BY_SHORTNAME, caller, shortname)

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """Items of a kind that the caller owns or is reached by, by owner and name."""
        me = caller or ""
        if owner == caller is not None:
            return [Found(Item(*row)) for row in self._database.rows(ALL_OWN, kind, owner)]
        if owner is None:
            rows = self._database.rows(
                VISIBLE, kind, me, f"@{me}", kind, me, kind, me, me, kind, me,
            )  # fmt: skip
        else:
            rows = self._database.rows(SHARED, f"@{me}", kind, owner, kind, owner, me, kind, owner)
        return [found_of(list(alike)) for _, alike in groupby(rows, key=_id)]

    def through(self, kind: str, groups: Sequence[str], caller: str | None) -> Sequence[Found]:
        """Items of a kind that members share with one of their groups, by owner and name."""
        if not groups:
            return []
        me, places = caller or "", ", ".join("?" * len(groups))
        rows = self._database.rows(THROUGH % places, kind, *groups, me, f"@{me}", me, me)
        return [found_of(list(alike)) for _, alike in groupby(rows, key=_id)]

    def create(self, kind: str, owner: str, name: str) -> Item:
        """A new item with a fresh shortname. Raises Conflict when the name is taken."""
        now = stamp(self._clock.now())
        with self._database.atomic():
            (shortname,) = self._shortnames.fresh(1)
            row = self._database.row(CREATE, kind, owner, name, shortname, now, now)
            if row is None:
                raise taken(name)
        return Item(row[0], kind, owner, name, shortname, now, now)

    def rename(self, item: Item, name: str) -> Item:
        """The item under another name. Raises Conflict when it is taken, NotFound when the item is gone or
        bears another name by now.
        """
        try:
            with self._database.atomic():
                if not self._database.run(RENAME, name, item.id, item.name):
                    raise NotFound(f"{item.name} is not there any more.")
        except peewee.IntegrityError:
            raise taken(name) from None
        return replace(item, name=name)

    def copy(self, item: Item, owner: str, name: str, rels: Iterable[str]) -> Item:
        """A new item holding the leaves at or below `rels`, as written by its owner now."""
        with self._database.atomic():
            new = self.create(item.kind, owner, name)
            for rel in rels:
                first, last = below(rel)
                now = new.created_on
                self._database.run(COPY, new.id, now, now, owner, item.id, rel, first, last)
        return new

    def remove(self, item: Item) -> None:
        """Take the item away with its leaves and grants; its shortname stays used up."""
        with self._database.atomic():
            for statement in REMOVE:
                self._database.run(statement, item.id)

    def touch(self, item: Item) -> bool:
        """Stamp the item as modified now; False when it is gone."""
        return self._database.run(TOUCH, stamp(self._clock.now()), item.id) > 0

    def _ahead(self, kind: str, owner: str, name: str, caller: str | None, ahead: str) -> Found | None:
        me = caller or ""
        if owner == caller:
            rows = self._database.rows(FIND_OWN_AHEAD, kind, owner, name, ahead)
        else:
            rows = self._database.rows(FIND_AHEAD, kind, owner, name, me, me, me, f"@{me}", me, me, ahead)
        if not rows:
            return None
        last = rows[0][-LEAF_COLUMNS:]
        leaf = leaf_of(last) if last[0] is not None else None
        if owner == caller:
            return Found(Item(*rows[0][:7]), (), ahead, leaf)
        return replace(found_of(rows), ahead=ahead, leaf=leaf)

    def _summed(self, sql: str, caller: str | None, *key: Any) -> Found | None:
        me = caller or ""
        rows = self._database.rows(sql, *key, me, me, me, f"@{me}", me, me)
        return found_of(rows) if rows else None

    def _one(self, sql: str, caller: str | None, *key: Any) -> Found | None:
        me = caller or ""  # no user has the empty name
        rows = self._database.rows(sql, *key, me, f"@{me}", me, me)
        return found_of(rows) if rows else None


def taken(name: str) -> Conflict:
    """The refusal of a name that is in use."""
    return Conflict(f"The name {name} is taken; choose another.")


def _id(row: tuple[Any, ...]) -> Any:
    return row[0]


def found_of(rows: Sequence[tuple[Any, ...]]) -> Found:
    """One item's rows, a grant each; a target of NULL stands for none."""
    reaches = (Reach(row[7], row[8], Role(row[9]) if row[9] else None) for row in rows if row[7] is not None)
    return Found(Item(*rows[0][:7]), tuple(reaches))
