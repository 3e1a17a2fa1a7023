"""Data as a type draws them: rows in their order, with a sentence for all that is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.chart_frame import chart_frame
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.order import RowOrder, sort_rows
from handlers.render.plots.data.row_shares import share_rows
from handlers.render.plots.data.series import sum_by
from handlers.render.plots.drawn.column_roles import tell_unused
from handlers.render.plots.drawn.intervals import interval_frame
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.drawn.map_places import map_frame
from handlers.render.plots.drawn.measured import measure_columns
from handlers.render.plots.drawn.point_series import point_columns, tell_points
from handlers.render.plots.drawn.running_sums import waterfall_frame
from handlers.render.plots.drawn.spans import gantt_frame
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
    POINTS,
    SHARES,
    STACKED,
    STANDING,
)

MOST_SERIES, MOST_COLUMNS = 60, 200
"""Series that a chart draws, and columns of a heat map."""
MOST_BARS, MOST_CELLS = 400, 5_000
KINDS = {ColumnType.TEXT: "words", ColumnType.DATE: "dates", ColumnType.NUMBER: "numbers"}
NO_WISHES = DataWishes()
MOST_STEPS = 12
MOST_SLOPES = 600
"""Columns between which slopes run, and values of all of them."""
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
        frame = _first_rows(word, frame, out)
    frame, lines = _take_lines(word, frame, wishes.lines, out) if wishes.lines else (frame, ())
    frame, shares = _share(word, frame, out) if wishes.shares else (frame, False)
    return DrawnData(frame, tuple(out.told), tuple(out.shown), shares, lines)


def _take_lines(
    word: str, frame: Frame, names: Sequence[str], out: LeftOut
) -> tuple[Frame, tuple[Column, ...]]:
    """The bars without the series that are lines over them, and these."""
    if word not in STANDING:
        out.tell(f"{LINE}: a {word} has no lines over it: standing bars have, such as bar or sbar")
        return frame, ()
    wanted = {name.casefold() for name in names}
    lines = tuple(column for column in frame.series if column.name.casefold() in wanted)
    known = {column.name.casefold() for column in lines}
    lost = [name for name in names if name.casefold() not in known]
    if lost:
        first = quote_names([column.name for column in frame.series[:5]])
        out.tell(f"{LINE}: {quote_names(lost)} is no series here: the first are {first}")
    if not lines or len(lines) == len(frame.series):
        if lines:
            out.tell(f"{LINE}: a series has to be left for the bars: name fewer")
        return frame, ()
    taken = {id(column) for column in lines}
    kept = tuple(column for column in frame.columns if id(column) not in taken)
    return replace(frame, columns=kept, heads=()), lines


def _sort(word: str, frame: Frame, order: RowOrder, out: LeftOut) -> Frame:
    """The bars in the order that is wished."""
    if order is RowOrder.DATA or word in BARS:
        return sort_rows(frame, order, summed=word in STACKED)
    along = "runs along its axis" if word in LINES else "has no rows of names"
    out.tell(f"{SORT}: a {word} {along}, which keeps its order: only bars are sorted")
    return frame


def _share(word: str, frame: Frame, out: LeftOut) -> tuple[Frame, bool]:
    """Shares of the rows of a stack, and whether there are any."""
    reason = ""
    if word not in STACKED:
        reason = f"a {word} has no stacks: write sbar, hsbar or sarea in config/type"
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


def _names_first(word: str, frame: Frame, out: LeftOut) -> Frame:
    """Names that stand behind the only column of numbers are put before it."""
    if frame.series or not frame.columns or frame.columns[0].type is not ColumnType.NUMBER:
        return frame
    heads = frame.heads
    order = [1, 0, *range(2, len(frame.columns))]
    return replace(
        frame,
        columns=tuple(frame.columns[at] for at in order),
        heads=tuple(heads[at] for at in order) if len(heads) == len(order) else (),
    )


def _bound_series(word: str, frame: Frame, out: LeftOut) -> Frame:
    """So many series with names of a length that a picture has room for."""
    most = MOST_COLUMNS if word == "heatmap" else MOST_SERIES
    beyond = [column.name for column in frame.series[most:]]
    frame, notes = chart_frame(frame, most)
    for note in notes:
        out.show(note)
        out.tell(f"Not drawn: {quote_names(beyond)}.")
    return frame


def _drop_unused(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The columns of the axis and of numbers; those of words and dates have no place."""
    kept = (frame.axis, *frame.series) if frame.axis is not None else frame.series
    tell_unused(frame, kept, out)
    return replace(frame, columns=kept, heads=()) if frame.series else frame


def _single(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The first series that has a value."""
    with_values = [one for one in frame.series if any(value is not None for value in one.numbers)]
    if not with_values:
        return frame
    kept = with_values[0]
    others = [one.name for one in frame.series if one is not kept]
    if others:
        out.show(f'Only the first series, "{kept.name}", is shown.')
        out.tell(f"Not drawn: {quote_names(others)}.")
    return replace(frame, columns=tuple(one for one in (frame.axis, kept) if one is not None), heads=())


def _pair(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The first two series."""
    return _first_series(frame, 2, out)


def _first_columns(word: str, frame: Frame, out: LeftOut) -> Frame:
    """As many columns as a picture has room for."""
    return _first_series(frame, MOST_STEPS, out)


def _first_series(frame: Frame, most: int, out: LeftOut) -> Frame:
    others = [one.name for one in frame.series[most:]]
    if not others:
        return frame
    out.show(f"Only the first {most} series are shown, of {len(frame.series)}.")
    out.tell(f"Not drawn: {quote_names(others)}.")
    kept = (frame.axis, *frame.series[:most]) if frame.axis is not None else frame.series[:most]
    return replace(frame, columns=kept, heads=())


def _place_rows(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The rows along time or numbers in their order, those without a place left out."""
    axis = frame.axis
    if axis is None or axis.type is ColumnType.TEXT:
        return frame
    places: Sequence[object] = axis.dates or axis.numbers
    kept = [row for row, place in enumerate(places) if place is not None]
    if 0 < len(kept) < frame.height:
        what = "date" if axis.type is ColumnType.DATE else "number"
        out.show(f"{count_words(frame.height - len(kept), 'row')} left out for want of a {what}.")
        frame = frame.of_rows(kept)
    return frame.sorted_along()


def _parts(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The rows that are parts of a whole: those of a value above 0."""
    if not frame.series:
        return frame
    numbers = frame.series[0].numbers
    kept = [row for row, value in enumerate(numbers) if value is not None and value > 0]
    negative = sum(value is not None and value < 0 for value in numbers)
    if negative:
        out.show(f"{negative:,} negative {'value is' if negative == 1 else 'values are'} left out.")
    names = frame.categories
    nothing = [names[row] for row, value in enumerate(numbers) if value is None or value == 0]
    if nothing:
        out.tell(f"Without a share, as 0 or a gap: {quote_names(nothing)}.")
    return frame.of_rows(kept) if kept else frame


def _sum_rows(word: str, frame: Frame, out: LeftOut) -> Frame:
    """One row for each place of a stack, cell or day."""
    keys, what = _keys(word, frame)
    several = sum(count > 1 for count in Counter(keys).values())
    if several and not word.endswith("abar"):
        have = "has" if several == 1 else "have"
        out.show(f"{several:,} {what}{'s' * (several > 1)} {have} several values, which are added up.")
    return sum_by(frame, keys) if several else frame


def _keys(word: str, frame: Frame) -> tuple[Sequence[Hashable], str]:
    """Find what rows are added up by."""
    moments, numbers = frame.moments, frame.numbers_along
    if word == "calendar" and moments is not None:
        return [moment.date() for moment in moments], "day"
    if word == "sarea" and (moments or numbers):
        return list(moments or numbers or ()), "place"
    if word in ("calendar", "sarea"):
        return range(frame.height), ""
    return frame.categories, "name"


def _fill_gaps(word: str, frame: Frame, out: LeftOut) -> Frame:
    """Gaps of stacked areas as 0, as those above would fall otherwise."""
    if any(None in column.numbers for column in frame.series):
        out.show("Gaps are drawn as 0.")
        return frame.without_gaps()
    return frame


def _first_rows(word: str, frame: Frame, out: LeftOut) -> Frame:
    """As many rows as a picture has room for."""
    most = MOST_CELLS if word == "heatmap" else MOST_SLOPES if word == "slope" else MOST_BARS
    shown = frame.first(max(1, most // max(1, min(len(frame.series), most))))
    if shown.height < frame.height:
        out.show(f"{frame.height - shown.height:,} more rows are in the data.")
    return shown


def _measure_sets(word: str, frame: Frame, out: LeftOut) -> Frame:
    made, used = measure_columns(word, frame, out)
    tell_unused(frame, used, out)
    return made


def _find_points(word: str, frame: Frame, out: LeftOut) -> Frame:
    """The frame as it is, as points find their columns themselves."""
    columns = point_columns(frame, sized=word == "bubble")
    if columns is not None:
        tell_unused(frame, columns.used, out)
        tell_points(frame, columns, out)
    return frame


USUAL: tuple[Step, ...] = (_names_first, _bound_series, _drop_unused)
STEPS: Mapping[str, tuple[Step, ...]] = {
    **dict.fromkeys(BARS, USUAL),
    **{word: (*USUAL, _sum_rows) for word in BARS if word.endswith("abar")},
    **dict.fromkeys(LINES, (*USUAL, _place_rows)),
    "sarea": (*USUAL, _place_rows, _sum_rows, _fill_gaps),
    **dict.fromkeys(POINTS, (_bound_series, _find_points)),
    **dict.fromkeys(DISTRIBUTIONS, (_names_first, _bound_series, _measure_sets)),
    **dict.fromkeys(SHARES, (*USUAL, _single, _parts)),
    **dict.fromkeys(FIGURES, (*USUAL, _place_rows, _single)),
    "heatmap": (*USUAL, _sum_rows),
    "calendar": (*USUAL, _place_rows, _single, _sum_rows),
    **dict.fromkeys(DOTS, (*USUAL, _first_rows)),
    "lollipop": (*USUAL, _single, _first_rows),
    "range": (*USUAL, _pair, _first_rows),
    "slope": (*USUAL, _first_columns, _first_rows),
    "errorbar": (interval_frame, _first_rows),
    "band": (interval_frame, _place_rows),
    "gantt": (gantt_frame, _first_rows),
    "treemap": (treemap_frame,),
    "funnel": (*USUAL, _single, _first_rows),
    "pyramid": (*USUAL, _pair, _first_rows),
    **dict.fromkeys(MAPS, (map_frame,)),
    "waterfall": (waterfall_frame, _first_rows),
}
BOUNDED = frozenset((*BARS, "heatmap"))
"""Types of which a picture has room for so many rows."""
