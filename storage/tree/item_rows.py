"""Conversion of rows of items, with the grants effective for a caller, to Found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from storage.database.columns import Cells, TableColumns
from vfs.access import EffectiveGrant, Role
from vfs.ports.items import Found, Item

ITEM = TableColumns(Item, "id kind owner name shortname created_on last_modified")
OF_ITEM = ITEM.of("i")
TRASHED = "~"
"""The first character of kind and name of an item in the trash. No kind, owner or name begins with it."""
TRASH_OWNER = "~trash"
"""The owner of all items in the trash, in their table; `trash` has their real one."""
IS_LIVE = f"i.owner <> '{TRASH_OWNER}'"
"""The condition that an item `i` is not in the trash. A look-up needs it unless it asks for kind or owner."""
LOCK = f"UPDATE item AS i SET name = name WHERE i.id = :item AND {IS_LIVE}"
"""Locks an item until the transaction ends; changes nothing if it is gone."""


def principal(caller: str | None) -> dict[str, str]:
    """Return the SQL parameters of a caller: its name ("" for the public), and its name as a target."""
    return {"me": caller or "", "mine": f"@{caller or ''}"}


def found_of(rows: Sequence[Cells]) -> Found:
    """Return the item in rows that all belong to one item, with its grants."""
    item, rest = ITEM.split(rows[0])
    return Found(item, _grants_in(rows) if rest else ())


def _grants_in(rows: Sequence[Cells]) -> tuple[EffectiveGrant, ...]:
    """Return the grants in the rows of an item: target, letters and role follow the columns of the item.

    A NULL target means no grant.
    """
    grants = [row[ITEM.width : ITEM.width + 3] for row in rows]
    return tuple(
        [
            EffectiveGrant(target, letters, Role(role) if role else None)
            for target, letters, role in grants
            if target is not None
        ]
    )


def all_found(rows: Iterable[Cells]) -> list[Found]:
    """Return the items in rows; rows of the same item must be adjacent."""
    return [found_of(list(alike)) for _, alike in groupby(rows, key=itemgetter(0))]


EFFECTIVE = """(
    s.target = :mine
    OR (s.target = 'public' AND EXISTS (SELECT 1 FROM account a WHERE a.name = i.owner AND a.public))
    OR EXISTS (
        SELECT 1 FROM member c JOIN member o ON o.group_ref = c.group_ref AND o.name = i.owner
        WHERE c.group_ref = s.target AND c.name = :me AND NOT c.pending AND NOT o.pending))"""
"""The condition that a share `s` of another user's item `i` reaches the caller."""


def with_grants(items: str) -> str:
    """Return a statement for items with the grants effective for the caller `:me`, one row per grant.

    A share through a group counts while both the caller and the item's owner are active members, a public one
    while the owner's account is public (R-9). The query starts at the item's shares, so its cost does not
    depend on the number of the caller's groups. `:mine` is the caller as a target.
    """
    return f"""
SELECT {OF_ITEM}, s.target, s.letters, m.role
FROM ({items}) i
LEFT JOIN share s ON s.item = i.id AND i.owner <> :me AND {EFFECTIVE}
LEFT JOIN member m ON m.group_ref = s.target AND m.name = :me AND NOT m.pending
"""


AT_IDS = f"{with_grants(f'SELECT * FROM item i WHERE id IN (:ids) AND {IS_LIVE}')} ORDER BY i.id, s.target"
"""A statement for the rows of several items, prepared once for any of them."""
