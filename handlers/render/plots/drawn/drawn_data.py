"""Data as a type draws them: sorted rows, with sentences about everything that is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.data.series import RowOrder, sort_by, sort_rows, sort_sets
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.look.wishes import LINE, STACK, DataWishes
from handlers.render.plots.plot_type import PlotType

NO_WISHES = DataWishes()


@dataclass(frozen=True, slots=True)
class DrawnData:
    """The frame that a type draws. `told` is noted in the log, `shown` in the picture, too.

    `shares`: its values are shares of their rows, 0 to 1; `lines` are drawn over it.
    """

    frame: Frame
    told: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    shares: bool = False
    lines: tuple[Column, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Everything that is left out."""
        return (*self.shown, *self.told)


def drawn_data(kind: PlotType, frame: Frame, wishes: DataWishes = NO_WISHES) -> DrawnData:
    """Prepare what a plot of a type draws of a frame, by settings; tables draw all of it."""
    if kind.table or not frame.height:
        return DrawnData(frame)
    out = LeftOut()
    for step in kind.steps:
        frame = step(frame, out)
    frame = _sort(kind, frame, wishes.order)
    taken = wishes.lines and "combo" in kind.reads
    frame, lines = _take_lines(frame, wishes.lines, out) if taken else (frame, ())
    frame, shares = _share(kind, frame, out) if wishes.shares and kind.stacked else (frame, False)
    return DrawnData(frame, tuple(out.told), tuple(out.shown), shares, lines)


def _take_lines(frame: Frame, names: Sequence[str], out: LeftOut) -> tuple[Frame, tuple[Column, ...]]:
    """Return the bars without the series that are lines over them, and these."""
    wanted = {name.casefold() for name in names}
    lines = tuple(column for column in frame.series if column.name.casefold() in wanted)
    known = {column.name.casefold() for column in lines}
    lost = [name for name in names if name.casefold() not in known]
    if lost:
        first = quote_names([column.name for column in frame.series[:5]]) if frame.series else "none"
        out.tell(f"{LINE}: {quote_names(lost)} is no series here: the first are {first}")
    if not lines or len(lines) == len(frame.series):
        if lines:
            out.tell(f"{LINE}: a series has to be left for the bars: name fewer")
        return frame, ()
    taken = {id(column) for column in lines}
    kept = tuple(column for column in frame.columns if id(column) not in taken)
    return replace(frame, columns=kept, heads=()), lines


def _sort(kind: PlotType, frame: Frame, order: RowOrder) -> Frame:
    """Return the rows, sets or tasks in the configured order, if the type allows one."""
    if order is RowOrder.DATA or kind.sorted in ("rows", "sums"):
        return sort_rows(frame, order, summed=kind.sorted == "sums")
    if kind.sorted == "sets":
        return sort_sets(frame, order, _middle)
    starts = kind.starts(frame) if kind.starts is not None else None
    if starts is None:
        return frame
    by_name = order is RowOrder.NAME
    return sort_rows(frame, order, summed=False) if by_name else sort_by(frame, order, starts)


def _middle(column: Column) -> float | None:
    """Return the median of a set."""
    known = sorted(value for value in column.numbers if value is not None)
    return quantile(known, 0.5) if known else None


def _share(kind: PlotType, frame: Frame, out: LeftOut) -> tuple[Frame, bool]:
    """Return shares of the rows of a stack, and whether there are any."""
    reason = ""
    if len(frame.series) < 2:
        reason = "shares need two series or more"
    elif any((value or 0) < 0 for column in frame.series for value in column.numbers):
        reason = "shares need values of 0 and above: sums are drawn"
    if reason:
        out.tell(f"{STACK}: {reason}")
        return frame, False
    frame, blank = share_rows(frame)
    if blank:
        out.show(f"{count_words(blank, 'row')} left blank: nothing to share.")
    return (frame.without_gaps() if kind.line else frame), True


def share_rows(frame: Frame) -> tuple[Frame, int]:
    """Return the frame with shares of rows as values, and the number of rows without a positive value.

    Values are 0 or above.
    """
    wholes = [math.fsum(column.numbers[row] or 0.0 for column in frame.series) for row in range(frame.height)]
    series = {id(column) for column in frame.series}
    columns = tuple(_shares(column, wholes) if id(column) in series else column for column in frame.columns)
    return replace(frame, columns=columns), sum(not whole for whole in wholes)


def _shares(column: Column, wholes: list[float]) -> Column:
    numbers = tuple(
        None if value is None or not whole else value / whole
        for value, whole in zip(column.numbers, wholes, strict=True)
    )
    texts = tuple("" if number is None else f"{number:.4g}" for number in numbers)
    return replace(column, numbers=numbers, texts=texts, unit="")
