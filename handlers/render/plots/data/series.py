"""Series of a frame as bars: one per value, with sums for stacks and for repeated names."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.order import is_left_over


class BarKind(StrEnum):
    """The places of bars of several series: side by side, or stacked."""

    GROUPED = "grouped"
    STACKED = "stacked"


@dataclass(frozen=True, slots=True)
class BarPart:
    """A bar or a part of one: its row, its series, its value, and where it begins."""

    row: int
    series: int
    value: float
    base: float = 0.0


def parts_of_bars(frame: Frame, *, stacked: bool, outward: bool = False) -> list[BarPart]:
    """Return a bar for every value that is there; in stacks values below zero go down from it.

    With `outward` the first of the series below zero is the last of its stack, and so farthest from zero.
    """
    given = [
        BarPart(row, order, value)
        for order, column in enumerate(frame.series)
        for row, value in enumerate(column.numbers)
        if value is not None
    ]
    if not stacked:
        return given
    ends = {True: [0.0] * frame.height, False: [0.0] * frame.height}
    parts = list[BarPart]()
    for one in sorted(given, key=lambda one: -one.series if outward and one.value < 0 else one.series):
        side = ends[one.value >= 0]
        parts.append(replace(one, base=side[one.row]))
        side[one.row] += one.value
    return parts


def totals(frame: Frame) -> list[float]:
    """The ends of the stacks, upward and downward."""
    ends = [0.0]
    for row in range(frame.height):
        values = [column.numbers[row] or 0.0 for column in frame.series]
        ends += [sum(value for value in values if value > 0), sum(value for value in values if value < 0)]
    return ends


def join_smallest(frame: Frame, most: int, stays: Callable[[str], bool]) -> tuple[Frame, tuple[str, ...]]:
    """The frame with so many series and one that adds up the smallest of more, and the names of these.

    Those whose name `stays` are none of them; all stay where some of the smallest are below zero.
    """
    sizes = {
        at: math.fsum(abs(value or 0.0) for value in column.numbers)
        for at, column in enumerate(frame.series)
        if not stays(column.name)
    }
    few = max(0, most - len(frame.series) + len(sizes))
    rest = set(sorted(sizes, key=lambda at: (is_left_over(frame.series[at].name), -sizes[at]))[few:])
    small = [column for at, column in enumerate(frame.series) if at in rest]
    if len(small) < 2 or any((value or 0.0) < 0 for column in small for value in column.numbers):
        return frame, ()
    rows = zip(*(column.numbers for column in small), strict=True)
    present = [[value for value in row if value is not None] for row in rows]
    numbers = tuple(math.fsum(values) if values else None for values in present)
    units = {column.unit for column in small}
    other = replace(
        small[0], name=f"Other ({len(small)})", numbers=numbers, unit=units.pop() if len(units) == 1 else "",
        texts=tuple("" if number is None else f"{number:g}" for number in numbers),
    )  # fmt: skip
    named = {id(column) for column in small}
    columns = (*(column for column in frame.columns if id(column) not in named), other)
    return replace(frame, columns=columns, heads=()), tuple(column.name for column in small)


def stack_sums(frame: Frame) -> list[tuple[float, float | None]]:
    """Each stack's upper end and the sum of its values, None where it has none."""
    made = list[tuple[float, float | None]]()
    for row in range(frame.height):
        known = [value for column in frame.series if (value := column.numbers[row]) is not None]
        upper = math.fsum(value for value in known if value > 0)
        made.append((upper, math.fsum(known) if known else None))
    return made


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
