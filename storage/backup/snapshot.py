"""Snapshot: all tables of a database as they were at one moment, read while others go on writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HISTORY = "SELECT name FROM schema_migration ORDER BY name"
OF_A_PLACE = {"installation"}
"""Tables about the place where a database lies: a restored one is another installation, with its own mark."""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table: its columns, those that order its rows, the tables that it refers to, the last number given.

    `last` is None where the database gives no numbers.
    """

    name: str
    columns: Sequence[str]
    order: Sequence[str]
    parents: Sequence[str]
    last: int | None

    @property
    def query(self) -> str:
        """The statement that answers all rows, in the same order on both databases."""
        columns, order = (", ".join(map(quote, names)) for names in (self.columns, self.order))
        return f"SELECT {columns} FROM {quote(self.name)} ORDER BY {order}"


class Snapshot(ABC):
    """One moment of a database."""

    @abstractmethod
    def facts(self) -> Sequence[TableFacts]:
        """Return all tables."""
        ...

    @abstractmethod
    def rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Return the rows of a statement, a few at a time in memory."""
        ...

    def schema(self) -> list[str]:
        """Return the names of the migrations that made the tables."""
        return [name for (name,) in self.rows(HISTORY)]

    def tables(self) -> list[TableFacts]:
        """Return all tables with what a backup keeps, each after those that it refers to."""
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
    """Return a name of a table or column in a statement."""
    return '"' + name.replace('"', '""') + '"'
