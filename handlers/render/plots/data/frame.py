"""Frame: the columns that a plot's data are read as, and the series that are drawn from them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from handlers.render.plots.data.figures_written import Notation


class ColumnType(StrEnum):
    """Types of a column, which decide how its cells are read."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its cells as they were written, and their values (None: a gap).

    `clock` is whether a column of dates has times of day, `unit` the unit of its numbers (shares in %),
    `decimals` their largest number of decimals.
    """

    name: str
    type: ColumnType
    texts: tuple[str, ...]
    numbers: tuple[float | None, ...] = ()
    dates: tuple[datetime | None, ...] = ()
    clock: bool = False
    unit: str = ""
    decimals: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    def with_numbers(self, numbers: Iterable[float | None], **changes: Any) -> Column:
        """Return the column with computed numbers, and other changes."""
        known = tuple(numbers)
        texts = tuple("" if number is None else f"{number:g}" for number in known)
        return replace(self, numbers=known, texts=texts, **changes)

    def place(self, row: int) -> str:
        """Return the number to sort a cell by, for a date its moment; "" for words and gaps."""
        if self.type is ColumnType.DATE:
            moment = self.dates[row]
            return "" if moment is None else repr(moment.replace(tzinfo=UTC).timestamp())
        number = self.numbers[row] if self.numbers else None
        return "" if number is None else repr(number)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A line or a cell that could not be read: its line, counted from 1, the reason, and its column."""

    line: int
    reason: str
    column: str = ""


@dataclass(frozen=True)
class Frame:
    """The table of a plot's data: columns of one length, and what could not be read of the text.

    `notes` are sentences about how the text was read, `notation` is the notation of its numbers, and `quoted`
    is whether cells are quoted. `ground` is the area of a map that contains its places.
    """

    columns: tuple[Column, ...]
    rejected: tuple[Rejection, ...] = ()
    delimiter: str = ","
    heads: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    notation: Notation = field(default_factory=Notation)
    quoted: bool = False
    ground: Any = None

    def head(self, column: int) -> str:
        """Return the head of a column as it was sent, which may be empty or not unique, unlike its name."""
        return self.heads[column] if self.heads else self.columns[column].name

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def axis(self) -> Column | None:
        """The first column, along which series are drawn; None if the only column is one of numbers."""
        alone = len(self.columns) == 1 and self.columns[0].type is ColumnType.NUMBER
        return None if alone or not self.columns else self.columns[0]

    @cached_property
    def series(self) -> tuple[Column, ...]:
        """The columns of numbers, each drawn as a series; without any, nothing is drawn."""
        others = self.columns[1:] if self.axis is not None else self.columns
        return tuple(column for column in others if column.type is ColumnType.NUMBER)

    @property
    def names(self) -> list[str]:
        """The names of the series."""
        return [column.name for column in self.series]

    @property
    def values(self) -> list[float | None]:
        """The numbers of all series."""
        return [value for column in self.series for value in column.numbers]

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The names along the axis, or the row numbers."""
        if self.axis is None:
            return tuple(str(row + 1) for row in range(self.height))
        return self.axis.texts

    @property
    def moments(self) -> tuple[datetime, ...] | None:
        """The moments along the axis if every row has one, else None."""
        if self.axis is None or self.axis.type is not ColumnType.DATE:
            return None
        present = tuple(date for date in self.axis.dates if date is not None)
        return present if len(present) == self.height else None

    @property
    def number_rows(self) -> list[tuple[float | None, ...]]:
        """The numbers of each row, one for each series."""
        return list(zip(*(column.numbers for column in self.series), strict=True))

    @property
    def blank(self) -> bool:
        """Whether there is no number to draw."""
        return all(value is None for value in self.values)

    def of_columns(self, *columns: Column) -> Frame:
        """Return the frame with other columns."""
        return replace(self, columns=columns, heads=())

    def first(self, rows: int) -> Frame:
        """Return the first rows."""
        if self.height <= rows:
            return self
        return self.of_rows(range(rows))

    def latest(self, rows: int) -> Frame:
        """Return the last rows along days or numbers, in order; of other frames the first rows."""
        places = self.positions
        if self.height <= rows or not places:
            return self.first(rows)
        return self.of_rows(sorted(sorted(range(self.height), key=places.__getitem__)[-rows:]))

    def without_gaps(self) -> Frame:
        """Return the frame with 0 for every missing number."""
        filled = (replace(one, numbers=tuple(value or 0.0 for value in one.numbers)) for one in self.columns)
        return replace(self, columns=tuple(filled))

    def noted(self, sentence: str) -> Frame:
        """Return the frame with another sentence about how its text was read."""
        return replace(self, notes=(*self.notes, sentence))

    @property
    def numbers_along(self) -> tuple[float, ...] | None:
        """The numbers along the axis if every row has one, else None."""
        if self.axis is None or self.axis.type is not ColumnType.NUMBER:
            return None
        present = tuple(number for number in self.axis.numbers if number is not None)
        return present if len(present) == self.height else None

    @property
    def positions(self) -> Sequence[Any]:
        """The moments or the numbers along the axis if every row has one, else an empty sequence."""
        return self.moments or self.numbers_along or ()

    def sorted_along(self) -> Frame:
        """Return the rows sorted by their moments or numbers along the axis."""
        places = self.positions
        if all(a <= b for a, b in itertools.pairwise(places)):
            return self
        return self.sorted_by(places)

    def sorted_by(self, keys: Sequence[Any]) -> Frame:
        """Return the rows in the order of their keys; rows with equal keys keep their order."""
        return self.of_rows(sorted(range(self.height), key=keys.__getitem__))

    def of_rows(self, rows: Sequence[int]) -> Frame:
        """Return the rows with these numbers, in this order."""
        return replace(self, columns=tuple(pick_rows(column, rows) for column in self.columns))


def common_unit(columns: Iterable[Column]) -> str:
    """Return the unit that some columns share, or "" if they have several or none."""
    units = {column.unit for column in columns}
    return units.pop() if len(units) == 1 else ""


def pick_rows(column: Column, rows: Sequence[int | None]) -> Column:
    """Return the column with the rows with these numbers; None is a gap."""
    return replace(
        column,
        texts=tuple("" if row is None else column.texts[row] for row in rows),
        numbers=tuple(None if row is None else column.numbers[row] for row in rows) if column.numbers else (),
        dates=tuple(None if row is None else column.dates[row] for row in rows) if column.dates else (),
    )
