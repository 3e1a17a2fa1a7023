"""Sets that histograms and boxes measure: every column of numbers, or the groups of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.split_frame import NO_NAME
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names

MOST_PANELS, MOST_BOXES = 4, 60


def measure_columns(
    frame: Frame, out: LeftOut, most: int, *, few_groups: bool
) -> tuple[Frame, tuple[Column, ...]]:
    """A frame whose series are the sets that are measured, and the columns that they were made of."""
    numbers = [
        column
        for column in frame.columns
        if column.type is ColumnType.NUMBER and any(value is not None for value in column.numbers)
    ]
    if not numbers:
        return frame, frame.columns
    groups = most if few_groups else 0
    first = frame.columns[0]
    if len(numbers) == 1 and first.type is not ColumnType.NUMBER and _are_groups(first, numbers[0], groups):
        sets, used, name = _groups(first, numbers[0]), [first, numbers[0]], numbers[0].name
    else:
        sets, used, name = numbers, numbers, ""
    beyond = [column.name for column in sets[most:]]
    if beyond:
        out.show(f"{count_words(len(beyond), 'more set')} in the data.")
        out.tell(f"Not drawn: {quote_names(beyond)}.")
    return _frame_of(frame, sets[:most], name), tuple(used)


def _are_groups(names: Column, numbers: Column, most: int) -> bool:
    """Whether names repeat, in 2 to so many groups if there is a most."""
    known = {name for name, value in zip(names.texts, numbers.numbers, strict=True) if value is not None}
    rows = sum(value is not None for value in numbers.numbers)
    return len(known) < rows and (not most or 1 < len(known) <= most)


def _groups(names: Column, numbers: Column) -> list[Column]:
    """A column for each name, with the numbers of its rows."""
    sets: dict[str, list[float]] = {}
    for name, value in zip(names.texts, numbers.numbers, strict=True):
        if value is not None:
            sets.setdefault(name, []).append(value)
    return [
        replace(
            numbers, name=name or NO_NAME, texts=tuple(map(repr, values)), numbers=tuple(values), dates=()
        )
        for name, values in sets.items()
    ]


def _frame_of(frame: Frame, sets: Sequence[Column], name: str) -> Frame:
    """The sets side by side, the shorter ones with gaps at their ends; `name` is what groups share."""
    height = max(map(len, sets))
    rows = Column(name, ColumnType.TEXT, tuple(str(row + 1) for row in range(height)))
    filled = (
        replace(
            one,
            texts=one.texts + ("",) * (height - len(one)),
            numbers=one.numbers + (None,) * (height - len(one)),
        )
        for one in sets
    )
    return Frame((rows, *filled), frame.rejected, frame.delimiter)
