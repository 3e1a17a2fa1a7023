"""Rows of items with the grants effective for a caller, read into what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from storage.database.columns import Cells, TableColumns
from vfs.access import Reach, Role
from vfs.ports.world import Found, Item

ITEM = TableColumns(Item, "id kind owner name shortname created_on last_modified")


def _reach(target: str, letters: str, role: str | None) -> Reach:
    return Reach(target, letters, Role(role) if role else None)


REACH = TableColumns(_reach, "target letters role")
OF_ITEM = ITEM.of("i")


def principal(caller: str | None) -> dict[str, str]:
    """The parameters of a caller: its name (empty for nobody) and the target of shares that it is."""
    return {"me": caller or "", "mine": f"@{caller or ''}"}


def found_of(rows: Sequence[Cells]) -> Found:
    """The item of rows that are all of one, with the grants in them."""
    item, rest = ITEM.split(rows[0])
    return Found(item, reaches_of(rows) if rest else ())


def reaches_of(rows: Sequence[Cells]) -> tuple[Reach, ...]:
    """The grants in the rows of an item, after its columns; a target of NULL stands for none."""
    cells = (ITEM.rest(row)[: REACH.width] for row in rows)
    return tuple(REACH.read(grant) for grant in cells if grant[0] is not None)


def all_found(rows: Iterable[Cells]) -> list[Found]:
    """The items of rows in which those of one item follow each other."""
    return [found_of(list(alike)) for _, alike in groupby(rows, key=itemgetter(0))]
