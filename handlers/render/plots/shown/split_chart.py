"""Split chart: a panel for each series or each word of a column, on axes that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import RowOrder
from handlers.render.plots.data.split_frame import (
    BY_SERIES,
    align_rows,
    by_column,
    by_series,
    split_column,
    without_column,
)
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.data_wishes import DataWishes, read_data_wishes
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.plot_type import PlotType, type_of
from handlers.render.plots.shown.axis_wishes import places_along, values_upward
from handlers.render.plots.shown.shown_chart import ShownChart, ShownPanel, join_rest, show_whole
from handlers.words.plot import Plot

MOST_PANELS = 24
SPLIT = "config/split/by"


def shown_chart(plot: Plot, frame: Frame, mode: str = "light") -> ShownChart:
    """Prepare what a plot shows of the frame that its data were read as, whole or in panels."""
    wishes = read_data_wishes(plot.config)
    split = wishes.split and "split" in type_of(plot.type).reads
    return _split(plot, frame, mode, wishes) if split else join_rest(show_whole(plot, frame, mode))


def _split(plot: Plot, frame: Frame, mode: str, wishes: DataWishes) -> ShownChart:
    """A chart with its panels; one that cannot be split is told, and shown whole."""
    reason, column = "", split_column(frame, wishes.split)
    if wishes.split.casefold() != BY_SERIES and column is None:
        names = [one.name for one in frame.columns[1:6]]
        first = f": the first are {quote_names(names)}" if names else ""
        reason = f'"{wishes.split[:40]}" is no column here{first}; "series" is one panel for each series'
    if reason:
        whole = join_rest(show_whole(plot, frame, mode))
        return replace(whole, notes=(*whole.notes, f"{SPLIT}: {reason}"))
    groups, more = (
        by_column(frame, column, MOST_PANELS) if column is not None else by_series(frame, MOST_PANELS)
    )
    whole = show_whole(plot, without_column(frame, column) if column is not None else frame, mode)
    if whole.missing:
        return whole
    shown = _panels(plot, groups, mode, wishes)
    blank = [name for name, one in shown if one.missing]
    told = tuple(dict.fromkeys(note for _, one in shown for note in (*one.below, *one.told)))
    below = (f"{len(more):,} more panels are in the data.",) if more else ()
    told += (f"Not drawn: {quote_names(more)}.",) if more else ()
    told += (f"Without values: {quote_names(blank)}.",) if blank else ()
    panels = tuple(ShownPanel(name, one) for name, one in shown if not one.missing)
    return replace(
        whole,
        panels=panels,
        split_columns=wishes.columns,
        split_series=column is None,
        split_shared=wishes.shared,
        told=told,
        below=below,
    )


def _panels(
    plot: Plot, groups: Sequence[tuple[str, Frame]], mode: str, wishes: DataWishes
) -> list[tuple[str, ShownChart]]:
    """The panels with the names of their groups, on common axes where they share them."""
    frames = [frame for _, frame in groups]
    kind = type_of(plot.type)
    by_name = kind.bars or (kind.line and all(_has_names(frame) for frame in frames))
    if wishes.shared and by_name and wishes.order is RowOrder.DATA:
        frames = align_rows(frames)
    shown = [show_whole(plot, frame, mode) for frame in frames]
    if wishes.shared:
        shown = _share_axes(kind, shown)
    return list(zip([name for name, _ in groups], shown, strict=True))


def _has_names(frame: Frame) -> bool:
    return frame.moments is None and frame.numbers_along is None


def _share_axes(kind: PlotType, shown: Sequence[ShownChart]) -> list[ShownChart]:
    """The panels, whose axes reach to the values and the places of all of them."""
    drawn = [one for one in shown if not one.missing]
    upward = [value for one in drawn for value in values_upward(kind, one.frame)]
    upward += [value for one in drawn for value in one.options.values.reach]
    across = [place for one in drawn for place in places_along(kind, one.frame) or ()]
    reach = (min(upward), max(upward)) if upward else ()

    def widen(options: ChartOptions) -> ChartOptions:
        values = replace(options.values, reach=(*options.values.reach, *reach))
        along = options.along
        if across:
            low, high = min(across), max(across)
            low, high = min(low, along.low or low), max(high, along.high or high)
            along = replace(along, low=low, high=high) if kind.line else replace(along, reach=(low, high))
        return replace(options, values=values, along=along)

    return [one if one.missing else replace(one, options=widen(one.options)) for one in shown]
