"""The table columns that form a value: their SELECT list, and the value of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Cells = tuple[Any, ...]


class TableColumns(Generic[T]):
    """Columns in the order of the arguments of `make`. `readers` convert stored values other than NULL."""

    def __init__(self, make: Callable[..., T], names: str, **readers: Callable[[Any], object]) -> None:
        self.names = tuple(names.split())
        self.width = len(self.names)
        self._make = make
        self._readers = tuple((self.names.index(name), read) for name, read in readers.items())

    def __str__(self) -> str:
        return ", ".join(self.names)

    def of(self, alias: str) -> str:
        """Return the columns as a SELECT list, for the table that the statement names `alias`."""
        return ", ".join(f"{alias}.{name} AS {name}" for name in self.names)

    def read(self, row: Cells) -> T:
        """Return the value of a row of these columns."""
        if not self._readers:
            return self._make(*row)
        cells = list(row)
        for place, read in self._readers:
            if cells[place] is not None:
                cells[place] = read(cells[place])
        return self._make(*cells)

    def split(self, row: Cells) -> tuple[T, Cells]:
        """Return the value of the first columns of a row, and the rest of the row."""
        return self.read(row[: self.width]), row[self.width :]
