"""Shown chart: the rows and series that every form of a plot shows, as one chart or in panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import (
    BY_SERIES,
    RowOrder,
    align_rows,
    by_column,
    by_series,
    join_smallest,
    split_column,
    without_column,
)
from handlers.render.plots.data.type_columns import SEVERAL_UNITS, unit_of_series
from handlers.render.plots.drawn.column_roles import found_columns
from handlers.render.plots.drawn.drawn_data import drawn_data
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.look.data_settings import DataSettings, read_data_settings
from handlers.render.plots.look.options import ChartOptions, read_options
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.plot_type import (
    CUSTOM,
    TABLES,
    PlotType,
    heeding,
    list_unheeded,
    one_of,
    plot_types,
    type_of,
)
from handlers.render.plots.shown.axis_settings import fit_settings, places_along, values_upward, with_trends
from handlers.words.plot import Plot

MOST_NAMED = 6
MOST_PALE = 12
"""Most series for which each panel also shows the lines of the others."""
FAINT = 0.45
"""Share by which lines of other panels are mixed from grey towards the background."""


@dataclass(frozen=True, slots=True)
class ShownChart:
    """The content of a plot in every form.

    `frame` has the rows in display order, summed if the type sums them, and only the drawn series; for tables
    it has all. `missing` is the reason if nothing can be drawn. Sentences about omitted data are in the log
    (`logged`), or also with the chart (`below`); `notes` are about the rest. A chart that is split by its
    settings has `panels`, each with a `name`; with `by_series`, each shows one series.
    """

    plot: Plot
    kind: PlotType
    frame: Frame
    options: ChartOptions
    settings: DataSettings
    missing: str = ""
    notes: tuple[str, ...] = ()
    logged: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    panels: tuple[ShownChart, ...] = ()
    name: str = ""
    by_series: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether each panel shows the lines of all series, with its own in colour."""
        few = len(self.frame.series) <= MOST_PALE
        return self.by_series and few and self.kind.line and not self.kind.from_zero


def show_whole(plot: Plot, frame: Frame, mode: str) -> ShownChart:
    """Return the shown chart of a frame, without panels."""
    kind, settings = type_of(plot.type), read_data_settings(plot.config)
    kind = kind.settle(kind, plot.config) if kind.settle is not None else kind
    drawn = drawn_data(kind, frame, settings)
    options = read_options(plot.config, mode)
    said = "" if kind.points else options.unit  # a subtitle does not say which axis of points has the unit
    options = replace(options, unit=unit_of_series(drawn.frame, kind) or said)
    options = options.of_shares() if drawn.shares else options
    options = replace(options, notes=(*options.notes, *settings.notes), lines=drawn.lines)
    missing = lacking(kind, plot, drawn.frame, frame)
    if not missing:  # settings may only be compared with data that the type can draw
        options = fit_settings(options, kind, drawn.frame)
        options = with_trends(options, kind, drawn.frame) if settings.trend else options
    logged = frame.notes if not kind.table else ()  # a table shows its cells as they were sent
    if drawn.lines:  # they have their own axis
        logged = tuple(note for note in logged if not note.startswith(SEVERAL_UNITS))
    notes = (*data_notes(frame), *logged, *type_notes(plot), *options.notes)
    return ShownChart(plot, kind, drawn.frame, options, settings, missing, notes, drawn.logged, drawn.shown)


def join_rest(shown: ShownChart) -> ShownChart:
    """Return a stacked chart with its smallest parts joined, because they have no individual colour."""
    colors = shown.options.colors
    if shown.missing or not shown.kind.stacked or colors.of_answers or colors.named.others:
        return shown
    most = max(len(LIGHT.categories), len(colors.series))
    frame, joined = join_smallest(shown.frame, most, colors.named.has)
    logged = (f"{frame.series[-1].name} is the sum of {quote_names(joined)}.",) if joined else ()
    return replace(shown, frame=frame, logged=(*shown.logged, *logged))


def data_notes(frame: Frame) -> list[str]:
    """Return sentences about the lines of the data that were not fully read."""
    notes = [f"line {rejection.line}: {rejection.reason}" for rejection in frame.rejected[:20]]
    if len(frame.rejected) > 20:
        notes.append(f"{len(frame.rejected) - 20:,} more lines were not fully read")
    return notes


def type_notes(plot: Plot) -> list[str]:
    """Return sentences about settings that a type ignores, and about an unknown type."""
    notes = [_tell_unheeded(path, plot.type[:40]) for path in list_unheeded(plot.type, plot.config)]
    if plot.type in plot_types() or plot.type in TABLES:
        return notes
    if plot.type == CUSTOM:
        return ["a custom plot runs in its HTML form only: this is the table of its data"]
    return [
        *notes,
        f'"{plot.type[:40]}" is drawn as a table: the types that draw are {", ".join(sorted(plot_types()))}',
    ]


def _tell_unheeded(path: str, word: str) -> str:
    """Return the sentence about a setting that a type ignores, naming some types that use it."""
    others = ", ".join(heeding(path)[:MOST_NAMED])
    return f"config/{path} is kept, but has no effect on {one_of(word)}{others and f'; it affects {others}'}"


def lacking(kind: PlotType, plot: Plot, frame: Frame, sent: Frame) -> str:
    """Return why a plot of a drawn frame and the one `sent` cannot be drawn; "" if it can."""
    if not frame.height:
        return "No values yet."
    asked = kind.asks(sent) if kind.asks is not None else ""
    if asked:
        found = "" if asked.endswith(".") else f": found {found_columns(sent)}."
        return f"{one_of(plot.type).capitalize()} needs {asked}{found}"
    if kind.table:
        return ""
    if frame.blank and not kind.dated:
        return "No column holds numbers." if not frame.series else "No values yet."
    lacks = kind.lacks(frame) if kind.lacks is not None else ""
    return f"{one_of(plot.type).capitalize()} needs {lacks}." if lacks else ""


MOST_PANELS = 24
SPLIT = "config/split/by"


def shown_chart(plot: Plot, frame: Frame, mode: str = "light") -> ShownChart:
    """Return the shown chart of a plot's data, with panels if its settings split it."""
    settings = read_data_settings(plot.config)
    split = settings.split and "split" in type_of(plot.type).reads
    return _split(plot, frame, mode, settings) if split else join_rest(show_whole(plot, frame, mode))


def _split(plot: Plot, frame: Frame, mode: str, settings: DataSettings) -> ShownChart:
    """Return a chart with its panels; if it cannot be split, return it without panels, with a note."""
    column = split_column(frame, settings.split)
    if settings.split.casefold() != BY_SERIES and column is None:
        names = [one.name for one in frame.columns[1:6]]
        first = f": the first are {quote_names(names)}" if names else ""
        note = f'"{settings.split[:40]}" is no column here{first}; "series" is one panel for each series'
        whole = join_rest(show_whole(plot, frame, mode))
        return replace(whole, notes=(*whole.notes, f"{SPLIT}: {note}"))
    if column is not None:
        groups, more = by_column(frame, column, MOST_PANELS)
        frame = without_column(frame, column)
    else:
        groups, more = by_series(frame, MOST_PANELS)
    whole = show_whole(plot, frame, mode)
    if whole.missing:
        return whole
    shown = _panels(plot, groups, mode, settings)
    blank = [one.name for one in shown if one.missing]
    logged = tuple(dict.fromkeys(note for one in shown for note in (*one.below, *one.logged)))
    below = (f"{len(more):,} more panels are in the data.",) if more else ()
    logged += (f"Not drawn: {quote_names(more)}.",) if more else ()
    logged += (f"Without values: {quote_names(blank)}.",) if blank else ()
    panels = tuple(one for one in shown if not one.missing)
    return replace(whole, panels=panels, by_series=column is None, logged=logged, below=below)


def _panels(
    plot: Plot, groups: Sequence[tuple[str, Frame]], mode: str, settings: DataSettings
) -> list[ShownChart]:
    """Return the panels with the names of their groups, and with common axes if the settings share them."""
    frames = [frame for _, frame in groups]
    kind = type_of(plot.type)
    by_name = kind.bars or (kind.line and not any(frame.positions for frame in frames))
    if settings.shared and by_name and settings.order is RowOrder.DATA:
        frames = align_rows(frames)
    pairs = zip(groups, frames, strict=True)
    shown = [replace(show_whole(plot, frame, mode), name=name) for (name, _), frame in pairs]
    return _share_axes(kind, shown) if settings.shared else shown


def _share_axes(kind: PlotType, shown: Sequence[ShownChart]) -> list[ShownChart]:
    """Return the panels with axes that include the values and places of all of them."""
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
