"""Split of a frame: a frame for each series, or for each word of a column, over the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from handlers.render.plots.data.frame import Column, ColumnType, Frame

BY_SERIES = "series"
NO_NAME = "no name"
MOST_ALIGNED = 400


def split_column(frame: Frame, name: str) -> Column | None:
    """The column by which a frame is split, which is not its first; None where none is called so."""
    wanted = " ".join(name.split()).casefold()
    return next((one for one in frame.columns[1:] if one.name.casefold() == wanted), None)


def by_series(frame: Frame, most: int) -> tuple[list[tuple[str, Frame]], list[str]]:
    """A frame for each of so many series, and the names of the others."""
    series = {id(column) for column in frame.series}
    groups = [
        (one.name, replace(frame, columns=tuple(c for c in frame.columns if c is one or id(c) not in series)))
        for one in frame.series[:most]
    ]
    return groups, [one.name for one in frame.series[most:]]


def by_column(frame: Frame, column: Column, most: int) -> tuple[list[tuple[str, Frame]], list[str]]:
    """A frame for each of the first words of a column in their order, and the other words."""
    rest = without_column(frame, column)
    rows: dict[str, list[int]] = {}
    for row, text in enumerate(column.texts):
        rows.setdefault(text.strip() or NO_NAME, []).append(row)
    groups = [(name, rest.of_rows(places)) for name, places in islice(rows.items(), most)]
    return groups, list(islice(rows, most, None))


def without_column(frame: Frame, column: Column) -> Frame:
    """The frame without a column."""
    return replace(frame, columns=tuple(one for one in frame.columns if one is not column), heads=())


def align_rows(frames: Sequence[Frame]) -> list[Frame]:
    """The frames with the rows of all of them, by their names.

    As they are where names stand twice in one, or where all together are too many.
    """
    if not all(frame.axis and len(set(frame.categories)) == frame.height for frame in frames):
        return list(frames)
    firsts: dict[str, tuple[Frame, int]] = {}
    for frame in frames:
        for row, name in enumerate(frame.categories):
            firsts.setdefault(name, (frame, row))
    if len(firsts) > MOST_ALIGNED:
        return list(frames)
    return [_with_rows(frame, firsts) for frame in frames]


def _with_rows(frame: Frame, firsts: dict[str, tuple[Frame, int]]) -> Frame:
    """The frame with a row for each name; the axis is taken from where the name first stands."""
    own = {name: row for row, name in enumerate(frame.categories)}
    columns = []
    for at, column in enumerate(frame.columns):
        if at == 0:
            sources = [(source.columns[0], row) for source, row in firsts.values()]
            columns.append(
                replace(
                    column,
                    texts=tuple(source.texts[row] for source, row in sources),
                    numbers=tuple(source.numbers[row] for source, row in sources) if column.numbers else (),
                    dates=tuple(source.dates[row] for source, row in sources) if column.dates else (),
                )
            )
            continue
        rows = [own.get(name) for name in firsts]
        columns.append(
            replace(
                column,
                texts=tuple("" if row is None else column.texts[row] for row in rows),
                numbers=tuple(None if row is None else column.numbers[row] for row in rows)
                if column.type is ColumnType.NUMBER
                else (),
                dates=tuple(None if row is None else column.dates[row] for row in rows)
                if column.type is ColumnType.DATE
                else (),
            )
        )
    return replace(frame, columns=tuple(columns))
