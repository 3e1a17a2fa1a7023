"""Value domains: the ends of bars and colours that come from the numbers which a line selects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.tables.cell_words import CellBar
from handlers.render.plots.tables.domains import Domain
from handlers.render.plots.tables.instructions import CellInstruction

MOST_VALUES = 2_000_000
"""Numbers that are looked at for all lines of a table."""


class ValueDomains:
    """The domains of a table's lines, each found once."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._known: dict[tuple[CellInstruction[Any], Domain | None], Domain] = {}
        self._examined = 0

    def of(self, line: CellInstruction[Any], domain: Domain | None) -> Domain:
        """A domain whose open ends are those of the numbers that a line selects."""
        known = self._known.get((line, domain))
        if known is None:
            known = self._known[line, domain] = (domain or Domain()).within(self._numbers(line))
        return known

    def of_bar(self, line: CellInstruction[CellBar]) -> Domain:
        """The domain of a bar: one that names none begins at 0, and diverges where numbers are below."""
        if line.word.domain is not None:
            return self.of(line, line.word.domain)
        found = self.of(line, None)
        low, high = found.low or 0.0, found.high or 0.0
        return Domain(low, 0.0, max(0.0, high), diverging=True) if low < 0 else Domain(0.0, None, high)

    def _numbers(self, line: CellInstruction[Any]) -> Iterator[float]:
        """The numbers in the cells of a line; none beyond MOST_VALUES cells of all lines."""
        frame = self._frame
        rows = [row - 1 for row in line.rows.of(frame.height + 1) if row]
        for index in sorted(line.columns.of(len(frame.columns))):
            column = frame.columns[index]
            if column.type is not ColumnType.NUMBER:
                continue
            self._examined += len(rows)
            if self._examined > MOST_VALUES:
                return
            yield from (number for row in rows if (number := column.numbers[row]) is not None)
