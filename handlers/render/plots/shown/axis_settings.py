"""Axes and trends of a chart: the values that they show, and the settings that a type can follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.render.plots.charts.line_box import moment_of, places_of
from handlers.render.plots.data.dates_written import row_called
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import LEAST_OF_TREND, Spot, totals, trend_of
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.plot_type import PlotType, one_of
from handlers.words.language import from_to, language, say

TREND = "config/trend"
MOST = 12


def with_trends(options: ChartOptions, kind: PlotType, frame: Frame) -> ChartOptions:
    """Return the options with the trends of the series; the value axis includes their ends."""
    if "trend" not in kind.reads:
        return options
    series, logs = list(_series(kind, frame)), (options.along.log, options.values.log)
    made = [(name, trend_of(name, number, spots, logs)) for number, (name, spots) in enumerate(series[:MOST])]
    trends = tuple(trend for _, trend in made if trend is not None)
    without = [name for name, trend in made if trend is None]
    notes = list[str]()
    if without:
        needs = f"a trend needs {LEAST_OF_TREND} values at two places"
        notes.append(f"{TREND}: {quote_names(without)} without one: {needs}")
    if len(series) > MOST:
        notes.append(f"{TREND}: only the first {MOST} series have one")
    values = options.values
    reach = (*values.reach, *(y for trend in trends for _, y in (trend.start, trend.end)))
    return replace(
        options, trends=trends, values=replace(values, reach=reach), notes=(*options.notes, *notes)
    )


def trend_words(options: ChartOptions) -> list[str]:
    """Return a sentence about each trend: its series, its two ends, and how well it fits."""
    return [
        f"{say('trend')}{say(' of %s') % trend.name[:40] if len(options.trends) > 1 else ''}: "
        f"{from_to(options.write(trend.start[1]), options.write(trend.end[1]))} "
        f"(R² {language().marks(f'{trend.fit:.2f}')})"
        for trend in options.trends
    ]


def _series(kind: PlotType, frame: Frame) -> Iterator[tuple[str, Sequence[Spot]]]:
    """Yield the names of the series with their positions and values."""
    if kind.points:
        columns, spots = point_columns(frame, sized=kind.sized), spots_of(frame, sized=kind.sized)
        for number, name in enumerate(columns.series if columns else ()):
            yield name, [(spot.x, spot.y) for spot in spots if spot.series == number]
        return
    places = places_of(frame)
    for column in frame.series:
        yield column.name, [(x, y) for x, y in zip(places, column.numbers, strict=True) if y is not None]


def known_values(frame: Frame) -> list[float]:
    """Return the values of all series."""
    return [value for value in frame.values if value is not None]


def values_upward(kind: PlotType, frame: Frame) -> list[float]:
    """Return the values on the value axis; empty for counts in bins."""
    if kind.binned:
        return []
    if kind.points:
        return [spot.y for spot in spots_of(frame, sized=kind.sized)]
    return totals(frame) if kind.stacked else known_values(frame)


def places_along(kind: PlotType, frame: Frame) -> list[float] | None:
    """Return the positions along the other axis; None if it has names."""
    if kind.points:
        return [spot.x for spot in spots_of(frame, sized=kind.sized)]
    if kind.binned:
        return known_values(frame)
    if kind.line and frame.positions:
        return places_of(frame)
    return None


SCALE, DOMAINS, NOTES = "config/axis/scale", "config/axis/domains", "config/notes"


def fit_settings(options: ChartOptions, kind: PlotType, frame: Frame) -> ChartOptions:
    """Return the options that the type and the values allow, with sentences about the others."""
    if kind.table:
        return options
    figure, notes = options.figure, list[str]()
    if "value" in kind.reads and figure.format:
        options = replace(options, values=replace(options.values, format=figure.format))
    if figure.labels and ("value/labels" not in kind.reads or options.shares):
        notes += ["config/value/labels: every total is 100%"] * options.shares
        options = replace(options, figure=replace(figure, labels=False))
    notes += [*_tell_against(figure.against, kind, frame), *_tell_unmarked(options, kind, frame)]
    options = _fit_annotations(options, kind, notes)
    if "axis" in kind.reads:
        options = _fit_scales(options, kind, frame, notes)
        notes += [*_ends_up(options.values, kind, frame), *_ends_along(options.along, kind, frame)]
    return replace(options, notes=(*options.notes, *notes))


def _tell_against(against: str, kind: PlotType, frame: Frame) -> Iterator[str]:
    """Yield a sentence if there is no row with the name to compare with."""
    compared = "value/against" in kind.reads and against and frame.series
    if compared and row_called(frame, against) is None:
        yield f'config/value/against: "{against[:40]}" is no row with a value: nothing is compared'


def _tell_unmarked(options: ChartOptions, kind: PlotType, frame: Frame) -> Iterator[str]:
    """Yield sentences about colours for signs or names that the chart does not have."""
    named, single = options.colors.named, kind.bars and len(frame.series) == 1
    if named.by_sign and not (kind.signed or single):
        yield "config/colors/colors: + and - are for the bars of one series, and candlesticks"
    if not named.marks:
        return
    columns = point_columns(frame, sized=kind.sized) if kind.points else None
    names = list(columns.series) if columns else frame.names
    names = list(frame.categories) if single else names
    names = kind.names(frame) if kind.names is not None else names
    for name in named.missing(names) if names else ():
        known = quote_names(names[:5])
        yield f'config/colors/colors: "{name[:40]}" is no name here: the first are {known}'


def _fit_annotations(options: ChartOptions, kind: PlotType, notes: list[str]) -> ChartOptions:
    """Return the options with the notes that a type can place; its value axis includes their values."""
    if not options.annotations:
        return options
    if "notes" not in kind.reads:
        return replace(options, annotations=())
    kept, values = options.annotations, options.values
    if not (kind.dashes or options.lines) and any(note.dashed for note in kept):
        notes.append(f"{NOTES}: {one_of(kind.word)} has no lines that could be dashed")
        kept = tuple(note for note in kept if not note.dashed)
    lost = [note for note in kept if values.log and any(one <= 0 for one in note.values)]
    notes += [f"{NOTES}: line {note.line}: log cannot show 0 and below" for note in lost]
    kept = tuple(note for note in kept if note not in lost)
    reach = tuple(value for note in kept for value in note.values)
    return replace(options, values=replace(values, reach=reach), annotations=kept)


def _fit_scales(options: ChartOptions, kind: PlotType, frame: Frame, notes: list[str]) -> ChartOptions:
    """Return the options without logarithmic scales that the type or the values do not allow."""
    upward = _why_no_log_up(kind, frame) if options.values.log else ""
    along = _why_no_log_along(kind, frame) if options.along.log else ""
    notes += [f"{SCALE}: {reason}" for reason in (upward, along) if reason]
    return replace(
        options,
        values=replace(options.values, log=options.values.log and not upward),
        along=replace(options.along, log=options.along.log and not along),
    )


def _why_no_log_up(kind: PlotType, frame: Frame) -> str:
    """Return why the value axis cannot be logarithmic; "" if it can."""
    if kind.binned:
        return "counts may be 0, which log cannot show"
    if not kind.log:
        return f"{one_of(kind.word)} begins at zero, which log cannot show"
    return "log needs values above 0" if any(value <= 0 for value in values_upward(kind, frame)) else ""


def _why_no_log_along(kind: PlotType, frame: Frame) -> str:
    """Return why the axis of positions cannot be logarithmic; "" if it can."""
    places = places_along(kind, frame)
    if kind.binned:
        return "the bins of a hist are equally wide, which x log cannot show"
    if places is None or (kind.line and frame.numbers_along is None):
        return "x log needs numbers along x"
    return "x log needs numbers above 0 along x" if any(place <= 0 for place in places) else ""


def _ends_up(settings: AxisOptions, kind: PlotType, frame: Frame) -> list[str]:
    """Return a sentence if the configured ends of the value axis do not include all values."""
    values = [*values_upward(kind, frame), *([0.0] if kind.from_zero else [])]
    return _tell_widened("y", settings, values)


def _ends_along(settings: AxisOptions, kind: PlotType, frame: Frame) -> list[str]:
    places = places_along(kind, frame)
    if places is None:
        asked = settings.low is not None or settings.high is not None
        return [f"{DOMAINS}: x has names here, and no ends"] if asked else []
    if kind.line and frame.moments is not None:
        low, high = min(places), max(places)
        far = (settings.low is not None and low < moment_of(settings.low, low)) or (
            settings.high is not None and high > moment_of(settings.high, high)
        )
        return [f"{DOMAINS}: x goes on to the first and the last day, so that none is cut off"] if far else []
    return _tell_widened("x", settings, places)


def _tell_widened(name: str, settings: AxisOptions, values: Sequence[float]) -> list[str]:
    if not values:
        return []
    low, high = min(values), max(values)
    notes = []
    if settings.log and any(end is not None and end <= 0 for end in (settings.low, settings.high)):
        notes.append(f"{DOMAINS}: {name} is logarithmic, and cannot show 0 and below")
    ends = [alone(low)] if settings.low is not None and low < settings.low else []
    ends += [alone(high)] if settings.high is not None and high > settings.high else []
    if ends:
        notes.append(f"{DOMAINS}: {name} goes on to {' and '.join(ends)}, so that no value is cut off")
    return notes
