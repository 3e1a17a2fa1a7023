"""Series of a frame as rows for marks: one per value, with sums for stacks and for repeated names."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from handlers.render.plots.data.frame import Column, Frame


class BarKind(StrEnum):
    """The places of bars of several series: side by side, or stacked."""

    GROUPED = "grouped"
    STACKED = "stacked"


def rows_of(frame: Frame, *, outward: bool = False) -> list[dict[str, Any]]:
    """A row for every value that is there: number of the row, value, series, and the series' order.

    With `outward` the first of the series below zero is the last of its stack, and so farthest from zero.
    """
    return [
        {
            "row": str(row),
            "value": value,
            "series": column.name,
            "order": -order if outward and value < 0 else order,
        }
        for order, column in enumerate(frame.series)
        for row, value in enumerate(column.numbers)
        if value is not None
    ]


def totals(frame: Frame) -> list[float]:
    """The ends of the stacks, upward and downward."""
    ends = [0.0]
    for row in range(frame.height):
        values = [column.numbers[row] or 0.0 for column in frame.series]
        ends += [sum(value for value in values if value > 0), sum(value for value in values if value < 0)]
    return ends


def sum_repeated(frame: Frame) -> Frame:
    """The frame with one row for each name of the axis, which holds the sums of its rows."""
    return sum_by(frame, frame.categories)


def sum_by(frame: Frame, keys: Sequence[Hashable]) -> Frame:
    """The frame with one row for each key of its rows, which holds their sums and their first place."""
    if frame.axis is None or len(set(keys)) == frame.height:
        return frame
    places: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        places.setdefault(key, []).append(row)
    kept = Frame((frame.axis,)).of_rows([rows[0] for rows in places.values()]).columns[0]
    summed = [_sum_column(column, list(places.values())) for column in frame.series]
    return replace(frame, columns=(kept, *summed), heads=())


def _sum_column(column: Column, groups: Sequence[Sequence[int]]) -> Column:
    present = [[v for row in rows if (v := column.numbers[row]) is not None] for rows in groups]
    numbers = tuple(math.fsum(values) if values else None for values in present)
    texts = tuple("" if number is None else f"{number:g}" for number in numbers)
    return replace(column, texts=texts, numbers=numbers)
