"""Intervals: error bars in rows, and bands around lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart, key_of
from handlers.render.plots.charts.line_box import LineKind, places_of
from handlers.render.plots.charts.lines import draw_lines
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import RowBox, RowRoom, draw_rows, fit_rows, measure_rows
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import runs, spread_rows
from handlers.render.plots.drawn.column_roles import ColumnRole, asking, find_roles, log_unused, plain_name
from handlers.render.plots.drawn.drawn_data import order_rows, series_beyond
from handlers.render.plots.drawn.left_out import LeftOut, count_words
from handlers.render.plots.forms.terminal.screen import (
    SIGNS,
    RowMark,
    Screen,
    more_rows,
    places_axis,
    rows_shown,
    write_marks,
)
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.words.language import from_to, say

LOW = ("low", "lower", "lo", "min", "from", "ci low", "lower bound", "ci lower")
HIGH = ("high", "upper", "hi", "max", "to", "ci high", "upper bound", "ci upper")
ERROR = ("error", "err", "±", "+/ ", "sd", "se", "sem", "margin", "uncertainty", "ci")
VALUE = ColumnRole("value", ("value", "mean", "median", "estimate"))
BOUNDS = (VALUE, ColumnRole("low", LOW), ColumnRole("high", HIGH))
ERRORS = (VALUE, ColumnRole("error", ERROR))
MOST_SERIES = 8
NO_ENDS = (None, None)
MOST_DOTS = 60
"""Most values of a line that each have a dot."""
EXAMPLE = "year,value,low,high\n2020,12,8,15\n2021,14,11,18\n2022,9,,\n"


@dataclass(frozen=True, slots=True)
class IntervalSeries:
    """A series: its name, its values, and the lower and upper ends of their intervals (None: a gap)."""

    name: str
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]


def interval_columns(frame: Frame) -> list[Mapping[str, Column]]:
    """Return the columns of each series by role: values with two bounds, or with an error.

    These are the series with named bounds, or else one, found by names or order.
    """
    numbers = [column for column in frame.columns[1:] if column.type is ColumnType.NUMBER]
    named = {plain_name(column.name): column for column in numbers}
    found = [one for column in numbers if (one := _by_names(column, named))]
    if found:
        return found
    taken = (find_roles(numbers, roles, *(role.word for role in roles)) for roles in (BOUNDS, ERRORS))
    return [one for one in taken if one][:1]


def _by_names(column: Column, named: Mapping[str, Column]) -> Mapping[str, Column]:
    """Return a column with the bounds or the error that have its name and a word, such as `north low`."""
    own = plain_name(column.name)
    low, high, error = (
        next((named[f"{own} {word}"] for word in words if f"{own} {word}" in named), None)
        for words in (LOW, HIGH, ERROR)
    )
    if low is not None and high is not None:
        return {"value": column, "low": low, "high": high}
    return {"value": column, "error": error} if error is not None else {}


def interval_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return the axis, and for each series its values, lower bounds and upper bounds, in this order."""
    found = interval_columns(frame)
    if not found:
        return frame
    log_unused(frame, [frame.columns[0], *(one for series in found for one in series.values())], out)
    if len(found) > MOST_SERIES:
        out.show(series_beyond(len(found) - MOST_SERIES))
    columns = [column for one in found[:MOST_SERIES] for column in _bounds(one, out)]
    return frame.of_columns(frame.columns[0], *columns)


def interval_series(frame: Frame) -> list[IntervalSeries]:
    """Return the series of a frame from `interval_frame`."""
    triples = zip(frame.columns[1::3], frame.columns[2::3], frame.columns[3::3], strict=False)
    return [IntervalSeries(one.name, one.numbers, low.numbers, high.numbers) for one, low, high in triples]


def _bounds(columns: Mapping[str, Column], out: LeftOut) -> Iterator[Column]:
    """Yield the columns of the values, of their lower and of their upper bounds."""
    value, error = columns["value"], columns.get("error")
    yield value
    if error is not None:
        wrong = sum(one is not None and one < 0 for one in error.numbers)
        if wrong:
            out.show(f'{count_words(wrong, "value")} negative in "{error.name[:40]}", and no error.')
        pairs = zip(value.numbers, error.numbers, strict=True)
        ends = [(a - b, a + b) if a is not None and b is not None and b >= 0 else NO_ENDS for a, b in pairs]
    else:
        pairs = zip(columns["low"].numbers, columns["high"].numbers, strict=True)
        ends = [(min(a, b), max(a, b)) if a is not None and b is not None else NO_ENDS for a, b in pairs]
    yield value.with_numbers((low for low, _ in ends), name=f"{value.name} low")
    yield value.with_numbers((high for _, high in ends), name=f"{value.name} high")


def draw_error_bars(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a row for each name: the value of each series as a dot, over the line of its interval."""
    series = interval_series(frame)
    names, values = [one.name for one in series], _all_values(series)
    radius = style.label * 0.36
    wants = RowRoom(radius, radius, bars=len(series))
    area = measure_rows(style, frame, box, values, options, wants)
    canvas = Canvas(style)
    draw_rows(canvas, area)
    tones = style.tones(names)
    step = area.rows.bar / len(series)
    for index, one in enumerate(series):
        offset = (index - (len(series) - 1) / 2) * step
        for row, name in enumerate(row_names(frame)):
            _draw_bar(canvas, area, one, row, area.y(row) + offset, tones[index],
                      _tip(name, one, row, options, named=len(series) > 1))  # fmt: skip
    return Chart(area.height, svg=canvas.svg(), key=key_of(style, names, "dot"))


def _draw_bar(
    canvas: Canvas, area: RowBox, one: IntervalSeries, row: int, y: float, tone: str, tip: str
) -> None:
    style = canvas.style
    low, high, value = one.lows[row], one.highs[row], one.values[row]
    cap, width = style.label * 0.3, max(1.5, style.stroke * 0.7)
    if low is not None and high is not None:
        left, right = area.x(low), area.x(high)
        for start, end in (
            ((left, y), (right, y)), ((left, y - cap), (left, y + cap)), ((right, y - cap), (right, y + cap)),
        ):  # fmt: skip
            canvas.line(start, end, tone, width)
    if value is not None:
        canvas.circle(area.x(value), y, style.label * 0.36, tone, tip=tip, stroke=style.palette.paper)


def _tip(name: str, one: IntervalSeries, row: int, options: ChartOptions, *, named: bool) -> str:
    """Return the value of a row with its interval as text."""
    low, high = one.lows[row], one.highs[row]
    within = "" if low is None or high is None else f" ({from_to(options.exact(low), options.exact(high))})"
    series = f"{one.name} " if named else ""
    return f"{name}: {series}{options.exact(one.values[row])}{within}"


def _all_values(series: Sequence[IntervalSeries]) -> list[float | None]:
    return [value for one in series for values in (one.values, one.lows, one.highs) for value in values]


def draw_bands(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the lines of the series, each over the band of its intervals."""
    frame = frame.sorted_along()
    series = interval_series(frame)
    reach = [value for value in _all_values(series) if value is not None]
    values = replace(options.values, reach=(*options.values.reach, *reach))
    lines = frame.of_columns(frame.columns[0], *frame.columns[1::3])
    chart = draw_lines(style, lines, box, LineKind.LINE, replace(options, values=values))
    scales = chart.scales
    if scales is None or scales.at is None:
        return chart
    places = [scales.left + scales.at(place) for place in places_of(frame)]
    behind, over = Canvas(style), Canvas(style)
    rows = spread_rows(frame.height, int(max(200, scales.width)))
    for one, tone in zip(series, style.tones([one.name for one in series]), strict=True):
        for run in runs((row, one.lows[row]) for row in rows):
            ends = ([(places[int(row)], scales.y(some[int(row)] or 0.0)) for row, _ in run]
                    for some in (one.highs, one.lows))  # fmt: skip
            upper, lower = ends
            behind.shape("area", [*upper, *reversed(lower)], tone, opacity=0.2)
        for row, name in enumerate(row_names(frame) if len(rows) <= MOST_DOTS else ()):
            if (value := one.values[row]) is not None:
                tip = _tip(name, one, row, options, named=len(series) > 1)
                over.circle(places[row], scales.y(value), style.stroke * 1.3, tone, tip=tip)
    return chart.in_frame(behind=behind.svg(), over=over.svg())


def write_intervals(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line for each value: its interval with the value in it, and both as numbers."""
    series = interval_series(frame)
    shown = frame.latest(rows_shown(replace(screen, rows=screen.rows // len(series)), frame.height))
    series = interval_series(shown)
    values = _all_values(series)
    written, axis = options.writer(values), places_axis(values, options, zero=False)
    cells = [(row, index) for row in range(shown.height) for index in range(len(series))]
    names = [row_names(shown)[row] if not index else "" for row, index in cells]
    texts = [written(series[index].values[row]) for row, index in cells]

    marks = [_marks(series[index], row, screen.tone(index)) for row, index in cells]
    key = screen.keys([one.name for one in series], SIGNS) if len(series) > 1 else []
    return [*write_marks(screen, axis, names, [texts], marks), *key, *more_rows(frame.height - shown.height)]


def _marks(one: IntervalSeries, row: int, tone: str) -> Iterator[RowMark]:
    """Yield an interval with its ends, and the value in it."""
    low, value, high = one.lows[row], one.values[row], one.highs[row]
    if low is not None and high is not None:
        for start, end, sign in ((low, high, "─"), (low, low, "├"), (high, high, "┤")):
            yield RowMark(start, end, sign, tone)
    if value is not None:
        yield RowMark(value, value, "●", tone)


def _describe_intervals(frame: Frame, unit: str) -> list[str]:
    """Return the range of the values, and the widest interval with its position."""
    sentences = []
    for one in interval_series(frame)[:3]:
        known = [value for value in one.values if value is not None]
        rows = zip(one.lows, one.highs, frame.categories, strict=True)
        spans = [
            (high - low, low, high, name) for low, high, name in rows if low is not None and high is not None
        ]
        sentences += [f"{one.name[:LONGEST]} {range_words(known, unit)}"] if known else []
        if spans:
            _, low, high, name = max(spans)
            ends = from_to(alone(low, unit), alone(high, unit))
            sentences.append(say("widest %s") % ends + say(" at %s") % name[:LONGEST])
    return sentences


ASKED = "names or days, values, and their bounds or errors, such as day,value,low,high or name,value,error"


def _intervals(
    word: str, noun: str, title: str, order: float, draw: Makes, reads: str, *steps: Makes, rows: bool
) -> PlotType:
    """Return one type of intervals."""
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example=EXAMPLE,
        draw=draw,
        terminal=write_intervals,
        describes=_describe_intervals,
        counts=lambda frame: len(interval_series(frame)),
        reads=frozenset(("axis", "axis/ticks", "legend", reads)),
        steps=(interval_frame, *steps),
        asks=asking(interval_columns, ASKED),
        sorted="rows" if rows else "",
        log=True,
        across=rows,
        dashes=not rows,
        along=True,
    )


ROWS = fit_rows(draw_error_bars)
TYPES = (
    _intervals("errorbar", "error bars", "Error bars", 8.6, ROWS, "axis/sort", rows=True),
    _intervals(
        "band", "line chart with bands", "Line with band", 8.7, draw_bands, "notes", order_rows, rows=False
    ),
)
