"""Data as a type draws them: rows in their order, with a sentence for all that is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.data.order import RowOrder, sort_by, sort_rows, sort_sets
from handlers.render.plots.data.row_shares import share_rows
from handlers.render.plots.drawn.data_steps import (
    bound_series,
    drop_unused,
    fill_gaps,
    find_points,
    first_columns,
    first_rows,
    measure_sets,
    names_first,
    order_rows,
    pair,
    parts,
    single,
    sum_rows,
)
from handlers.render.plots.drawn.intervals import interval_frame
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.drawn.map_places import map_frame
from handlers.render.plots.drawn.running_sums import waterfall_frame
from handlers.render.plots.drawn.spans import gantt_frame, task_spans
from handlers.render.plots.drawn.tiles import treemap_frame
from handlers.render.plots.look.data_wishes import LINE, SORT, STACK, DataWishes
from handlers.render.plots.vocabulary import (
    BARS,
    DISTRIBUTIONS,
    DOTS,
    DRAWN,
    FIGURES,
    LINES,
    MAPS,
    PARTS,
    POINTS,
    SHARES,
    SORTED_ROWS,
    STACKED,
    STANDING,
    one_of,
)

NO_WISHES = DataWishes()
Step = Callable[[str, Frame, LeftOut], Frame]


@dataclass(frozen=True, slots=True)
class DrawnData:
    """The frame that a type draws. `told` is named in the log, `shown` in the picture, too.

    `shares` tells that its values are shares of their rows, 0 to 1, `lines` are drawn over it.
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


def drawn_data(word: str, frame: Frame, wishes: DataWishes = NO_WISHES) -> DrawnData:
    """Prepare what a plot of a type draws of a frame, as it is wished; tables draw all of it."""
    if word not in DRAWN or not frame.height:
        return DrawnData(frame)
    out = LeftOut()
    for step in STEPS[word]:
        frame = step(word, frame, out)
    frame = _sort(word, frame, wishes.order, out)
    if word in BOUNDED:
        frame = first_rows(word, frame, out)
    frame, lines = _take_lines(word, frame, wishes.lines, out) if wishes.lines else (frame, ())
    frame, shares = _share(word, frame, out) if wishes.shares else (frame, False)
    return DrawnData(frame, tuple(out.told), tuple(out.shown), shares, lines)


def _take_lines(
    word: str, frame: Frame, names: Sequence[str], out: LeftOut
) -> tuple[Frame, tuple[Column, ...]]:
    """The bars without the series that are lines over them, and these."""
    if word not in STANDING:
        out.tell(f"{LINE}: {one_of(word)} has no lines over it: standing bars have, such as bar or sbar")
        return frame, ()
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


def _sort(word: str, frame: Frame, order: RowOrder, out: LeftOut) -> Frame:
    """The rows, sets or tasks in the order that is wished."""
    if order is RowOrder.DATA or word in SORTED_ROWS:
        return sort_rows(frame, order, summed=word in STACKED or word == "heatmap")
    if word in ("box", "strip"):
        return sort_sets(frame, order, _middle)
    if word == "gantt" and any(column.name == "start" for column in frame.columns):
        starts = [task.start for task in task_spans(frame)]
        by_name = order is RowOrder.NAME
        return sort_rows(frame, order, summed=False) if by_name else sort_by(frame, order, starts)
    out.tell(
        f"{SORT}: {one_of(word)} {_own_order(word)}, which it keeps: bars, rows of dots, sets and "
        "tasks are sorted"
    )
    return frame


def _middle(column: Column) -> float | None:
    """The median of a set."""
    known = sorted(value for value in column.numbers if value is not None)
    return quantile(known, 0.5) if known else None


def _own_order(word: str) -> str:
    """Tell which order a type has that is not sorted."""
    if word in (*LINES, *POINTS, "band", "slope", "calendar", *FIGURES, "hist"):
        return "has the order of its axis"
    return "has the order of its parts"


def _share(word: str, frame: Frame, out: LeftOut) -> tuple[Frame, bool]:
    """Shares of the rows of a stack, and whether there are any."""
    reason = ""
    if word not in STACKED:
        reason = f"{one_of(word)} has no stacks: write sbar, hsbar or sarea in config/type"
    elif len(frame.series) < 2:
        reason = "shares need two series or more"
    elif any((value or 0) < 0 for column in frame.series for value in column.numbers):
        reason = "shares need values of 0 and above: sums are drawn"
    if reason:
        out.tell(f"{STACK}: {reason}")
        return frame, False
    frame, blank = share_rows(frame)
    if blank:
        out.show(f"{count_words(blank, 'row')} left blank, as 0 has no shares.")
    return (frame.without_gaps() if word == "sarea" else frame), True


USUAL: tuple[Step, ...] = (names_first, bound_series, drop_unused)
STEPS: Mapping[str, tuple[Step, ...]] = {
    **dict.fromkeys(BARS, USUAL),
    **{word: (*USUAL, sum_rows) for word in BARS if word.endswith("abar")},
    **dict.fromkeys(LINES, (*USUAL, order_rows)),
    "sarea": (*USUAL, order_rows, sum_rows, fill_gaps),
    **dict.fromkeys(POINTS, (bound_series, find_points)),
    **dict.fromkeys(DISTRIBUTIONS, (names_first, bound_series, measure_sets)),
    **dict.fromkeys(SHARES, (*USUAL, single, parts)),
    **dict.fromkeys(FIGURES, (*USUAL, order_rows, single)),
    "heatmap": (*USUAL, sum_rows),
    "calendar": (*USUAL, order_rows, single, sum_rows),
    **dict.fromkeys(DOTS, USUAL),
    "lollipop": (*USUAL, single),
    "range": (*USUAL, pair),
    "slope": (*USUAL, first_columns),
    "errorbar": (interval_frame,),
    "band": (interval_frame, order_rows),
    "gantt": (gantt_frame,),
    "treemap": (treemap_frame,),
    "funnel": (*USUAL, single),
    "pyramid": (*USUAL, pair),
    **dict.fromkeys(MAPS, (map_frame,)),
    "waterfall": (waterfall_frame,),
}
BOUNDED = frozenset((*BARS, *DOTS, *PARTS, "heatmap", "slope", "errorbar", "gantt")) - {"treemap"}
"""Types of which a picture has room for so many rows."""
