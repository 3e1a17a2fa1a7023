"""Native charts: charts drawn by office programs, used where they look the same as the drawing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from enum import StrEnum
from math import ceil

from handlers.render.plots.charts.line_box import places_of
from handlers.render.plots.charts.names import last_values
from handlers.render.plots.charts.points import ACROSS_AIR, MOST_DRAWN, MOST_NAMED, UPWARD_AIR, ends_of
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.number_formats import is_date_format
from handlers.render.plots.data.series import totals
from handlers.render.plots.drawn.point_series import point_columns
from handlers.render.plots.look.options import ChartOptions, KeyPosition
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.look.type_metrics import widest
from handlers.render.plots.shown.native_axes import NO_AXIS, NativeAxis, date_axis, number_axis, time_axis
from handlers.render.plots.shown.shown_chart import ShownChart
from handlers.render.plots.tables.spreadsheet_codes import LEAP_DAY, WHOLE_YEAR, code_of_all, is_year, serial
from handlers.words.language import writing_codes

MOST_LABELS, MOST_COLORED, MOST_LYING = 12, 100, 40
"""Most bars with values, most with individual colours, and most horizontal bars with readable names."""
MOST_YEARS = 12
"""Most years that a line labels one by one; more years have a scale."""
FAINT, BUBBLE_OPACITY = 0.45, 0.65
"""Opacity of an area that is not stacked, and of a bubble."""
FOR_LABELS = 1.15
"""Factor by which an axis is longer to leave room for the labels of its bars."""


class NativeForm(StrEnum):
    """Chart types of office programs."""

    BARS = "bars"
    LINES = "lines"
    AREAS = "areas"
    SHARES = "shares"
    POINTS = "points"
    PATHS = "paths"
    BUBBLES = "bubbles"


@dataclass(frozen=True, slots=True)
class NativeSeries:
    """A series: its values in the order of the names, or at `places`; points may have amounts and names."""

    name: str
    values: tuple[float | None, ...]
    colors: tuple[str, ...]
    places: tuple[float, ...] = ()
    amounts: tuple[float, ...] = ()
    point_names: tuple[str, ...] = ()

    @property
    def lone(self) -> tuple[int, ...]:
        """The positions of values between two gaps, where no line can be drawn."""
        known = [False, *(value is not None for value in self.values), False]
        return tuple(at for at in range(len(self.values)) if known[at : at + 3] == [False, True, False])


@dataclass(frozen=True, slots=True)
class NativeChart:
    """A chart along its names, dates, or an axis of numbers, with a vertical value axis.

    `labels` is the format code of values beside their marks, or "". Points have individual colours if the
    series has several. Names of an `ordered` axis are steps of time or numbers.
    """

    form: NativeForm
    series: tuple[NativeSeries, ...]
    names: tuple[str, ...] = ()
    dates: tuple[date, ...] = ()
    along: NativeAxis = NO_AXIS
    values: NativeAxis = NO_AXIS
    ordered: bool = False
    stacked: bool = False
    lying: bool = False
    ring: bool = False
    opacity: float = 1.0
    labels: str = ""
    key: KeyPosition = KeyPosition.NONE
    notes: tuple[str, ...] = ()


def native_chart(shown: ShownChart, most: int) -> NativeChart | None:
    """Return the native chart; None for more than `most` values, or if only a picture shows the same."""
    frame, make = shown.frame, shown.kind.native
    if shown.options.annotations or shown.options.lines or shown.options.trends or shown.panels:
        return None  # only the drawing has notes, lines over bars, trends and panels
    if shown.missing or frame.blank or frame.height * len(frame.series) > most:
        return None
    style = style_of(900, "light", shown.options.colors)
    made: NativeChart | None = make(shown, style) if make is not None else None
    return None if made is None else _with_axis_names(made, shown.options)


def _with_axis_names(chart: NativeChart, options: ChartOptions) -> NativeChart:
    """Return the chart with the configured axis names in place of the usual ones."""
    along, values = options.along.name, options.values.name
    return replace(
        chart,
        along=replace(chart.along, title=along) if along else chart.along,
        values=replace(chart.values, title=values) if values else chart.values,
    )


def native_bars(shown: ShownChart, style: Style) -> NativeChart | None:
    """Return upright or horizontal bars, side by side or stacked."""
    frame, options, kind = shown.frame, shown.options, shown.kind
    if kind.lying and frame.height > MOST_LYING:
        return None  # only the drawing shows the largest ones in a readable font size
    stacked = kind.stacked and len(frame.series) > 1
    values = totals(frame) if stacked else frame.values
    if stacked and style.of_answers and any((value or 0) < 0 for value in values):
        return None  # office programs begin at zero with the first answer
    if stacked and options.figure.labels:
        return None  # office programs do not sum stacks
    axis = number_axis(values, options.values, options.unit)
    single = len(frame.series) == 1 and frame.height <= MOST_LABELS and options.values.labels
    if single and axis.low is not None and axis.high is not None:
        axis = replace(axis, low=axis.low * FOR_LABELS, high=axis.high * FOR_LABELS)
    series = _series(frame.series, style)
    tones = style.row_tones(frame.categories, frame.series[0].numbers)
    if len(series) == 1 and style.named.by_sign and frame.height > MOST_COLORED:
        return None
    if len(series) == 1 and tones:
        series = (replace(series[0], colors=tones),)
    return NativeChart(
        NativeForm.BARS,
        series,
        names=row_names(frame),
        ordered=bool(frame.positions),
        along=NativeAxis(labels=options.along.labels),
        values=replace(axis, reverse=kind.turned),
        stacked=stacked,
        lying=kind.lying,
        labels=_label_code(values, options) if single else "",
        key=_key(frame, options),
        notes=shown.below,
    )


def native_lines(shown: ShownChart, style: Style) -> NativeChart | None:
    """Return lines and areas, with distances between rows in proportion to their times or numbers."""
    frame, options, kind = shown.frame, shown.options, shown.kind
    stacked, areas = kind.stacked, kind.from_zero
    if (stacked and any((value or 0) < 0 for value in frame.values)) or (
        areas and not stacked and None in frame.values
    ):
        return None  # office programs let areas cross, and draw gaps of areas as 0
    drawn = totals(frame) if stacked else frame.values
    if areas and options.figure.labels:
        return None  # office programs write values of areas in their middle
    series = _series(frame.series, style)
    if options.figure.labels:
        ends = _last_names(frame, options)
        series = tuple(replace(one, point_names=ends[at]) for at, one in enumerate(series))
    chart = NativeChart(
        form=NativeForm.AREAS if areas else NativeForm.LINES,
        series=series,
        ordered=bool(frame.positions),
        opacity=FAINT if areas and not stacked else 1.0,
        values=number_axis(drawn, options.values, options.unit, zero=areas),
        stacked=stacked,
        key=_key(frame, options),
        notes=shown.below,
    )
    moments, places = frame.moments, places_of(frame)
    years = _has_years(frame, options)
    places = [float(moment.year) for moment in moments or ()] if years else places
    if moments is not None and not years and min(moments) >= LEAP_DAY and all(map(_is_midnight, moments)):
        days = tuple(moment.date() for moment in moments)
        return replace(chart, dates=days, along=date_axis(moments, options.along))
    by_number = frame.numbers_along is not None and (not areas or options.along.log)
    many = years and not areas and len(places) > MOST_YEARS
    if (moments is None or years) and not (by_number or many) and _even(places):
        return replace(chart, names=frame.categories, along=NativeAxis(labels=options.along.labels))
    if areas or (moments is not None and min(moments) < LEAP_DAY and not years):
        return None  # office programs count earlier days differently, or not at all
    return _paths(chart, places, frame, options, years=years)


def _last_names(frame: Frame, options: ChartOptions) -> list[tuple[str, ...]]:
    """Return the labels of points for each series: the value of the last one, "" for the others."""
    made = list[tuple[str, ...]]()
    for column, text in zip(frame.series, last_values(frame, options), strict=True):
        last = max((row for row, value in enumerate(column.numbers) if value is not None), default=-1)
        made.append(tuple(text if row == last else "" for row in range(frame.height)))
    return made


def _paths(
    chart: NativeChart, places: Sequence[float], frame: Frame, options: ChartOptions, *, years: bool
) -> NativeChart:
    """Return lines over numbers, years, or moments within days."""
    moments = frame.moments
    if moments is not None and not years:
        places = [serial(moment) for moment in moments]
        along = time_axis(moments, options.along)
    else:
        along = number_axis(places, options.along, zero=False)
        along = replace(along, code=WHOLE_YEAR, low=min(places)) if years else along
    series = tuple(replace(one, places=tuple(places)) for one in chart.series)
    return replace(chart, form=NativeForm.PATHS, series=series, along=along)


def native_points(shown: ShownChart, style: Style) -> NativeChart | None:
    """Return points and bubbles."""
    sized, options = shown.kind.sized, shown.options
    columns = point_columns(shown.frame, sized=sized)
    if columns is None or not 0 < len(columns.spots) <= MOST_DRAWN:
        return None
    spots = columns.spots
    sized = columns.size is not None and any(spot.amount for spot in spots)
    named = len(spots) <= MOST_NAMED and columns.names is not None
    tones = style.tones(columns.series)
    series = []
    for index, name in enumerate(columns.series):
        some = [spot for spot in spots if spot.series == index]
        if some:
            values, places = tuple(spot.y for spot in some), tuple(spot.x for spot in some)
            amounts = tuple(spot.amount or 0.0 for spot in some) if sized else ()
            names = tuple(spot.name for spot in some) if named else ()
            series.append(NativeSeries(name, values, (tones[index],), places, amounts, names))
    # LibreOffice hides a series that has fewer points than a later one.
    series.sort(key=lambda one: -len(one.values))
    air = (ACROSS_AIR, UPWARD_AIR) if sized else (0.0, 0.0)
    along, values_ = options.along, options.values
    across = ends_of([spot.x for spot in spots], air[0], along)
    upward = ends_of([spot.y for spot in spots], air[1], values_)
    title = columns.upward[0].name if len(columns.upward) == 1 else ""
    return NativeChart(
        NativeForm.BUBBLES if sized else NativeForm.POINTS,
        tuple(series),
        opacity=BUBBLE_OPACITY if sized else 1.0,
        along=replace(number_axis(across, along, columns.across.unit, zero=False), title=columns.across.name),
        values=replace(number_axis(upward, values_, columns.unit or options.unit, zero=False), title=title),
        key=options.key if len(series) > 1 else KeyPosition.NONE,
        notes=shown.below,
    )


def _series(columns: Sequence[Column], style: Style) -> tuple[NativeSeries, ...]:
    tones = style.tones([column.name for column in columns])
    return tuple(
        NativeSeries(column.name, column.numbers, (tone,))
        for column, tone in zip(columns, tones, strict=True)
    )


def _key(frame: Frame, options: ChartOptions) -> KeyPosition:
    return options.key if len(frame.series) > 1 else KeyPosition.NONE


def _label_code(values: Sequence[float | None], options: ChartOptions) -> str:
    with writing_codes():
        written = options.writer(values)
        return code_of_all([(value, written(value)) for value in values], options.unit)


def _even(places: Sequence[float]) -> bool:
    """Return whether places are evenly spaced."""
    steps = [after - before for before, after in itertools.pairwise(places)]
    return not steps or max(steps) - min(steps) <= 1e-9 * max(1.0, abs(max(steps)))


def _is_midnight(moment: datetime) -> bool:
    return moment.time() == time()


def _has_years(frame: Frame, options: ChartOptions) -> bool:
    """Return whether rows are years (integers in workbooks) and no setting asks for an axis of days."""
    settings, axis = options.along, frame.axis
    asked = settings.low is not None or settings.high is not None or is_date_format(settings.format)
    return frame.moments is not None and not asked and axis is not None and all(map(is_year, axis.texts))


LEAST_POINTS = 6.0
OF_ROW = 0.66
"""Font size as a share of the row height, so that a line in any typeface fits in the row."""
AIR = 1.12
"""Factor by which a substitute typeface may be wider than that of the chart."""
AROUND, BESIDE = 2.4, 4.0
"""Space of an axis above or below a chart, and beside it, in font sizes."""
APART, SLANTED, UPRIGHT = 2.0, 45, 90
"""Font sizes between slanted names, and degrees by which names are turned.

Names are slanted because LibreOffice chooses its own steps, at which horizontal names overlap.
"""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class NameFit:
    """The font size of names in points; each `step`-th name is written, and turned by some degrees."""

    points: float
    step: int = 1
    turn: int = 0


def fit_names(chart: NativeChart, width: float, height: float, points: float) -> NameFit:
    """Return the size, step and turn of names that fit in a chart; all lengths are in points."""
    if not chart.names:
        return NameFit(points)
    if chart.lying:
        return _of_rows((height - AROUND * points) / len(chart.names), points)
    slot = max(0.1, (width - BESIDE * points) / len(chart.names))
    wide = AIR * widest(chart.names, points)
    if wide <= slot:
        return NameFit(points)
    if chart.ordered:
        least = APART * points / slot
        return NameFit(points, next((step for step in STEPS if step >= least), ceil(least)), SLANTED)
    return _of_rows(slot, points, UPRIGHT)


def fit_step(chart: NativeChart, width: float, points: float) -> float | None:
    """Return the step of an axis of days or moments at which its labels do not overlap."""
    along = chart.along
    if along.step is None or along.low is None or along.high is None or not along.unit:
        return along.step
    days = {"days": 1.0, "months": 30.4, "years": 365.2}[along.unit] * along.step
    wide = AIR * widest([along.code], points) + points / 2
    return along.step * max(1, ceil(wide * (along.high - along.low) / days / max(1.0, width)))


def _of_rows(row: float, points: float, turn: int = 0) -> NameFit:
    letters = min(points, OF_ROW * row)
    return NameFit(max(LEAST_POINTS, letters), max(1, ceil(LEAST_POINTS / letters)), turn)
