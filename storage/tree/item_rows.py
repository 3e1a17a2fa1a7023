"""Rows of items with the grants effective for a caller, read into what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from storage.database.columns import Cells, TableColumns
from vfs.access import Reach, Role
from vfs.ports.items import Found, Item

ITEM = TableColumns(Item, "id kind owner name shortname created_on last_modified")
OF_ITEM = ITEM.of("i")


def principal(caller: str | None) -> dict[str, str]:
    """The parameters of a caller: its name (empty for nobody) and the target of shares that it is."""
    return {"me": caller or "", "mine": f"@{caller or ''}"}


def found_of(rows: Sequence[Cells]) -> Found:
    """The item of rows that are all of one, with the grants in them."""
    item, rest = ITEM.split(rows[0])
    return Found(item, reaches_of(rows) if rest else ())


def reaches_of(rows: Sequence[Cells]) -> tuple[Reach, ...]:
    """The grants in the rows of an item: target, letters and role come after its columns.

    A target of NULL stands for none.
    """
    grants = [row[ITEM.width : ITEM.width + 3] for row in rows]
    return tuple(
        [
            Reach(target, letters, Role(role) if role else None)
            for target, letters, role in grants
            if target is not None
        ]
    )


def all_found(rows: Iterable[Cells]) -> list[Found]:
    """The items of rows in which those of one item follow each other."""
    return [found_of(list(alike)) for _, alike in groupby(rows, key=itemgetter(0))]
