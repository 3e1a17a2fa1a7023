"""Points of a frame: their positions, sizes, names and series, from its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from handlers.render.plots.data.frame import Column, ColumnType, Frame, common_unit
from handlers.render.plots.data.numbers import exact
from handlers.render.plots.data.series import NO_NAME
from handlers.render.plots.drawn.left_out import LeftOut, count_words, tip_of

FEW = 8
"""Most different words of a column for which any repetition makes them groups."""


@dataclass(frozen=True, slots=True)
class DataPoint:
    """A point: its position, the amount that its area shows, its name, and the number of its series."""

    x: float
    y: float
    amount: float | None
    name: str
    series: int = 0


@dataclass(frozen=True)
class PointColumns:
    """Columns of a frame by their role for points; each column of `upward` is a separate series."""

    across: Column
    upward: tuple[Column, ...]
    size: Column | None
    names: Column | None
    groups: Column | None

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that are drawn."""
        others = (self.size, self.names, self.groups)
        return (self.across, *self.upward, *(one for one in others if one is not None))

    @property
    def unit(self) -> str:
        """The unit shared by all columns of `upward`; "" if they have several or none."""
        return common_unit(self.upward)

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the groups in the order of their first rows."""
        return tuple(dict.fromkeys(self.groups.texts)) if self.groups is not None else ()

    @property
    def series(self) -> tuple[str, ...]:
        """The names of the series: groups, columns, or both."""
        columns = [column.name for column in self.upward]
        if not self.words:
            return tuple(columns)
        words = [word or NO_NAME for word in self.words]
        return tuple(words) if len(columns) == 1 else tuple(f"{a}, {b}" for a in columns for b in words)

    @cached_property
    def spots(self) -> tuple[DataPoint, ...]:
        """The points."""
        return tuple(_spots(self))


def point_columns(frame: Frame, *, sized: bool) -> PointColumns | None:
    """Return the columns by role; None without two columns of numbers.

    With `sized`, the last of three or more columns of numbers is the area.
    """
    numbers = [column for column in frame.columns if column.type is ColumnType.NUMBER]
    if frame.moments is not None or len(numbers) < 2:
        return None
    size = numbers.pop() if sized and len(numbers) > 2 else None
    words = [column for column in frame.columns if column.type is not ColumnType.NUMBER]
    groups = next((column for column in words if _repeats(column)), None)
    names = next((column for column in words if column is not groups and not _repeats(column)), None)
    return PointColumns(numbers[0], tuple(numbers[1:]), size, names, groups)


def spots_of(frame: Frame, *, sized: bool) -> Sequence[DataPoint]:
    """Return the points; none without two columns of numbers."""
    columns = point_columns(frame, sized=sized)
    return columns.spots if columns is not None else ()


def thin_points(spots: Sequence[DataPoint], most: int) -> list[DataPoint]:
    """Return fewer points, spread evenly over their order; the outermost points are kept."""
    if len(spots) <= most:
        return list(spots)
    step = len(spots) / most
    ends = {min(spots, key=lambda s: s.x), max(spots, key=lambda s: s.x)}
    ends |= {min(spots, key=lambda s: s.y), max(spots, key=lambda s: s.y)}
    even = [spots[int(index * step)] for index in range(most - len(ends))]
    return even + sorted(ends, key=lambda s: (s.x, s.y))


def point_tip(spot: DataPoint, columns: PointColumns) -> str:
    """Return the tooltip of a point: its name, its position, and the amount of its area."""
    across, upward = exact(spot.x, columns.across.unit), exact(spot.y, columns.unit)
    size = columns.size
    amount = f", {size.name[:60]} {exact(spot.amount, size.unit)}" if size is not None else ""
    series = columns.series[spot.series] if len(columns.series) > 1 else ""
    return tip_of(spot.name or columns.across.name, series, f"{across}, {upward}{amount}")


def tell_points(columns: PointColumns, out: LeftOut) -> None:
    """Note the points without a position or an area."""
    rows = range(len(columns.across))
    lost = sum(_count_known(columns, row) > _count_drawn(columns, row) for row in rows)
    size = columns.size.numbers if columns.size else ()
    negative = sum(value is not None and value < 0 for value in size)
    unsized = sum(
        value is None and columns.across.numbers[row] is not None and _count_known(columns, row) > 1
        for row, value in enumerate(size)
    )
    if negative:
        out.show(f"{count_words(negative, 'point')} left out: a negative value.")
    if unsized:
        out.show(f"{count_words(unsized, 'point')} left out: no size.")
    if lost - negative - unsized > 0:
        unplaced = count_words(lost - negative - unsized, "row")
        out.log(f"{unplaced} left out, with no number on one of the axes.")


def _count_known(columns: PointColumns, row: int) -> int:
    """Return the number of coordinates that a row has."""
    numbers = (columns.across, *columns.upward)
    return sum(column.numbers[row] is not None for column in numbers)


def _count_drawn(columns: PointColumns, row: int) -> int:
    """Return the number of coordinates of a row that are drawn."""
    amount = columns.size.numbers[row] if columns.size else 0.0
    if columns.across.numbers[row] is None or amount is None or amount < 0:
        return 0
    upward = sum(column.numbers[row] is not None for column in columns.upward)
    return upward + 1 if upward else 0


def _spots(columns: PointColumns) -> Iterator[DataPoint]:
    order = {word: place for place, word in enumerate(columns.words)}
    for row in range(len(columns.across)):
        if not _count_drawn(columns, row):
            continue
        x = columns.across.numbers[row]
        amount = columns.size.numbers[row] if columns.size else None
        name = columns.names.texts[row] if columns.names else ""
        group = order[columns.groups.texts[row]] if columns.groups else 0
        for place, column in enumerate(columns.upward):
            y = column.numbers[row]
            if x is not None and y is not None:
                yield DataPoint(x, y, amount, name, place * max(1, len(order)) + group)


def _repeats(column: Column) -> bool:
    """Return whether a column of words contains groups rather than names."""
    count = len(set(column.texts))
    return count < len(column) and (count <= FEW or 2 * count <= len(column))
