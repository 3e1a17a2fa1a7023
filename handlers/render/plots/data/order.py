"""Order of rows: as they were sent, by name or place, or by value, with what is left over last."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from handlers.render.plots.data.frame import Column, Frame

LEFT_OVER = re.compile(r"(?:all |\d+ )?(?:others?|the rest|rest)", re.IGNORECASE)
"""Names of rows that stand for all that have no row of their own."""


class RowOrder(StrEnum):
    """Orders of rows."""

    DATA = "data"
    NAME = "name"
    UP = "value up"
    DOWN = "value down"


def sort_rows(frame: Frame, order: RowOrder, *, summed: bool) -> Frame:
    """The rows in an order; by value that of their sum, or of their first series where they are not `summed`.

    Rows of one value keep their order; those without a value, and "Other", come last.
    """
    if order is RowOrder.DATA or frame.height < 2:
        return frame
    if order is RowOrder.NAME:
        by_place = frame.sorted_along() if frame.moments or frame.numbers_along else _by_name(frame)
        return _left_over_last(by_place)
    if not frame.series:
        return frame
    sizes = [_size(frame, row, summed=summed) for row in range(frame.height)]
    return _left_over_last(sort_by(frame, order, sizes))


def sort_sets(frame: Frame, order: RowOrder, middle: Callable[[Column], float | None]) -> Frame:
    """The series in an order, by value that of the middle of each."""
    if order is RowOrder.DATA or frame.axis is None or len(frame.series) < 2:
        return frame
    sign = -1.0 if order is RowOrder.DOWN else 1.0

    def place(column: Column) -> tuple[bool, float, str]:
        size = middle(column) if order is not RowOrder.NAME else None
        name = column.name.casefold() if order is RowOrder.NAME else ""
        missing = size is None and order is not RowOrder.NAME
        return is_left_over(column.name), math.inf if missing else sign * (size or 0.0), name

    return replace(frame, columns=(frame.axis, *sorted(frame.series, key=place)), heads=())


def sort_by(frame: Frame, order: RowOrder, sizes: Sequence[float | None]) -> Frame:
    """The rows in an order by value, those without one last."""
    sign = -1.0 if order is RowOrder.DOWN else 1.0
    rows = sorted(
        range(frame.height), key=lambda row: math.inf if (size := sizes[row]) is None else sign * size
    )
    return frame.of_rows(rows)


def is_left_over(name: str) -> bool:
    """Whether a name stands for all that have no row of their own."""
    return LEFT_OVER.fullmatch(name.strip()) is not None


def _by_name(frame: Frame) -> Frame:
    names = [name.casefold() for name in frame.categories]
    return frame.of_rows(sorted(range(frame.height), key=names.__getitem__))


def _size(frame: Frame, row: int, *, summed: bool) -> float | None:
    if not summed:
        return frame.series[0].numbers[row]
    values = [value for column in frame.series if (value := column.numbers[row]) is not None]
    return math.fsum(values) if values else None


def _left_over_last(frame: Frame) -> Frame:
    names = frame.categories
    rows = sorted(range(frame.height), key=lambda row: is_left_over(names[row]))
    return frame.of_rows(rows)
