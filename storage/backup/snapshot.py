"""Snapshot: all tables of a database at one moment, while others continue to write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HISTORY = "SELECT name FROM schema_migration ORDER BY name"
OF_A_PLACE = {"installation"}
"""Tables about one installation: a restored database is another installation, with its own mark."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table: its columns, its sort columns, the tables that it refers to, the last assigned number.

    `last` is None where the database assigns no numbers.
    """

    name: str
    columns: Sequence[str]
    order: Sequence[str]
    parents: Sequence[str]
    last: int | None

    @property
    def query(self) -> str:
        """The query for all rows, in the same order on both databases."""
        columns, order = (", ".join(map(quote, names)) for names in (self.columns, self.order))
        return f"SELECT {columns} FROM {quote(self.name)} ORDER BY {order}"


class Snapshot(ABC):
    """A snapshot of a database."""

    @abstractmethod
    def facts(self) -> Sequence[TableFacts]:
        """Return all tables."""

    @abstractmethod
    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, a few at a time in memory."""

    def schema(self) -> list[str]:
        """Return the names of the applied migrations."""
        return [name for (name,) in self.rows(HISTORY)]

    def tables(self) -> list[TableFacts]:
        """Return all tables of a backup, each after those that it refers to."""
        return in_order({one.name: one for one in self.facts() if one.name not in OF_A_PLACE})


def in_order(tables: Mapping[str, TableFacts]) -> list[TableFacts]:
    """Return tables after those that they refer to, else by name."""
    found: dict[str, TableFacts] = {}
    while len(found) < len(tables):
        ready = (
            name
            for name in sorted(tables)
            if name not in found and set(tables[name].parents) - {name} <= found.keys()
        )
        name = next(ready, None) or min(tables.keys() - found.keys())
        found[name] = tables[name]
    return list(found.values())


def quote(name: str) -> str:
    """Quote the name of a table or column for a statement."""
    return '"' + name.replace('"', '""') + '"'
