"""Heat maps of rows and columns, and calendars of days, coloured by their values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from handlers.render.plots.charts.calendar_ticks import (
    MOST_STRIPS,
    count_weeks,
    earlier_words,
    strips_of,
    week_of,
)
from handlers.render.plots.charts.chart import Chart, KeyEntry, Ramp, ramp_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import bound_values
from handlers.render.plots.data.dates_written import YEAR, row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.drawn_data import (
    MOST_COLUMNS,
    USUAL,
    bound_series,
    drop_unused,
    names_first,
    order_rows,
    single,
    sum_days,
    sum_names,
)
from handlers.render.plots.drawn.left_out import quote_names, tip_of
from handlers.render.plots.forms.terminal.screen import (
    Screen,
    more_columns,
    more_rows,
    place_line,
    scale_lines,
    signs,
    write_cell,
)
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style, style_of
from handlers.render.plots.look.type_metrics import cut, wrap
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_greatest
from handlers.words.language import language, say

TALLEST_HEAD = 110.0
LEAST_CELL = 4.0
"""Least height in pixels of a row of a heat map."""
MANY_ROWS, DENSE = 30, 600.0
"""Number of rows from which a heat map has low rows without numbers, and their total height in pixels."""
MOST_WANTED = 16
"""Most rows for which texts of a low heat map are left out, so that each has the height of a line."""
LEAST_DAY = 3.0
MARGIN = 5


def draw_heat_map(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a row of cells for each name and a column for each series; wide cells contain their numbers."""
    columns = frame.names
    rows = row_names(frame)
    values = [column.numbers[row] for row in range(len(rows)) for column in frame.series]
    ramp, written = ramp_of(style, values, options.colors.scale), options.writer(values)
    left = min(style.widest(rows), style.inner * 0.32) + 10
    width = (style.inner - left) / max(1, len(columns))
    heads = _heads(style, columns, width, box)
    usual = _row_height(style, len(rows), width)
    height = usual if box is None else max(LEAST_CELL, min(usual, (box - heads.height) / len(rows)))
    numbers = width >= style.widest([written(v) for v in values]) + 10 and height >= style.line
    canvas = Canvas(style)
    cells = [
        ColorCell(left + at * width, heads.height + row * height, column.numbers[row],
             tip_of(rows[row], column.name, options.exact(column.numbers[row])))
        for row in range(len(rows)) for at, column in enumerate(frame.series)
    ]  # fmt: skip
    air = 1.5 if height >= style.line else 0.5
    _draw_cells(canvas, ramp, cells, (width - air, height - air))
    for cell in cells if numbers else ():
        if cell.value is not None:
            x, y = cell.left + (width - 1.5) / 2, cell.top + height / 2 - 0.25
            ink = style.palette.on(ramp.color(cell.value))
            canvas.text(x, y, written(cell.value), ink, anchor="middle")
    for x, name in heads.names:
        _draw_head(canvas, heads, left + x, name)
    every, start = _every(style, height, rows)
    for row in range(start, len(rows), every):
        name = wrap(rows[row], style.label, left - 9, most=1)[0]
        y = heads.height + (row + 0.5) * height
        canvas.text(left - 10, y, name, anchor="end")
    gaps = any(value is None for value in values)
    missing = KeyEntry("hatch", style.palette.edge, say("no value")) if gaps else None
    lost = _nameless("columns", columns, heads.every), _nameless("rows", rows, every, start)
    key, tall = ramp.key(options, missing), height * len(rows)
    wants = heads.height + style.line * float(min(len(rows), MOST_WANTED))
    logged = (*filter(None, lost), *ramp.logged)
    return Chart(tall + heads.height, canvas.svg(), key=key, logged=logged, wants=wants, marks=tall)


def _row_height(style: Style, count: int, width: float) -> float:
    """Return the default height of each of a number of rows, with cells of a width."""
    if count >= MANY_ROWS:
        return max(6.0, min(10.0, width, DENSE / count))
    return max(style.line * 1.7, min(width, style.line * 2.4))


def _nameless(what: str, names: Sequence[str], every: int, start: int = 0) -> str:
    """Return a sentence about the rows or columns without names."""
    lost = [name for index, name in enumerate(names) if (index - start) % every]
    return f"The names of these {what} do not fit: {quote_names(lost)}." if lost else ""


def _every(style: Style, height: float, rows: Sequence[str]) -> tuple[int, int]:
    """Return the distance between rows with a name, and the first of them.

    Of many low rows, every fifth, tenth and so on has one.
    """
    every = max(1, math.ceil(style.label * 1.1 / height))
    every = math.ceil(every / 5) * 5 if every > 1 and len(rows) >= MANY_ROWS else every
    firsts = (at for at, name in enumerate(rows[:every]) if YEAR.fullmatch(name) and not int(name) % every)
    return every, next(firsts, 0)


def draw_calendar(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a square for each day in columns of weeks, in strips of years, or half-years if narrow."""
    moments = frame.moments or ()
    values = {moment.date(): value for moment, value in zip(moments, frame.series[0].numbers, strict=True)}
    ramp = ramp_of(style, list(values.values()), options.colors.scale)
    days = sorted(values)
    half = style.narrow and (box is None or box > style.inner * 0.5)
    strips = strips_of(days, half=half)
    head = style.line * 2.0
    most = MOST_STRIPS if box is None else max(1, min(6, int((box + 10) // (head + 10 + 7 * LEAST_DAY))))
    shown = strips[-most:]
    weekdays = language().short_days
    left = style.widest(weekdays) + 8
    weeks = max(count_weeks(first, last) for first, last in shown)
    side = min((style.inner - left) / weeks, style.line * 1.35)
    if box is not None:
        side = max(LEAST_DAY, min(side, ((box + 10) / len(shown) - head - 10) / 7))
    strip, canvas, cells, end = side * 7 + head + 10, Canvas(style), list[ColorCell](), days[-1]
    for index, (first, last) in enumerate(shown):
        top = index * strip + style.line * 2
        last = max(min(last, end), first)
        cells += _day_cells(values, (first, last), (left, top), side, options)
        _draw_month_names(canvas, (first, last), (left, index * strip), side)
        for day in (0, 2, 4) if side * 2 >= style.line else (0,) if side * 7 >= style.line else ():
            y = top + (day + 0.5) * side
            canvas.text(left - 8, y, weekdays[day], style.palette.quiet, anchor="end")
    wide = side - min(1.5, side * 0.15)
    _draw_cells(canvas, ramp, cells, (wide, wide))
    height = strip * len(shown) - 10
    more = len(strips) - len(shown)
    notes = (f"In the data, and not here: {earlier_words(strips, shown, half=half)}.",) if more else ()
    blank = any(cell.value is None for cell in cells)
    missing = KeyEntry("square", style.palette.panel, say("no value")) if blank else None
    return Chart(height, canvas.svg(), key=ramp.key(options, missing), notes=notes, logged=ramp.logged)


@dataclass(frozen=True, slots=True)
class ColorCell:
    """A cell: its position in pixels, its value, its tooltip, and whether it is in the data."""

    left: float
    top: float
    value: float | None
    tip: str
    known: bool = True


def _draw_cells(canvas: Canvas, ramp: Ramp, cells: Sequence[ColorCell], size: tuple[float, float]) -> None:
    """Draw coloured cells of a size, and a diagonal through those without a value."""
    palette, (width, height) = canvas.style.palette, size
    for cell in cells:
        color = palette.panel if cell.value is None else ramp.color(cell.value)
        canvas.rect(cell.left, cell.top, width, height, color, tip=cell.tip, round_end="all")
    for cell in cells:
        if cell.value is None and cell.known:
            low, right = cell.top + height, cell.left + width
            canvas.line((cell.left, low), (right, cell.top), palette.edge, 0.8)


@dataclass(frozen=True, slots=True)
class Heads:
    """Names above columns: their positions and texts, their height, and the distance of columns with a name.

    With `stand`, they are vertical.
    """

    names: tuple[tuple[float, str], ...]
    height: float
    every: int
    stand: bool


def _heads(style: Style, names: Sequence[str], width: float, box: float | None) -> Heads:
    """Return the names above columns of a width.

    If they would touch, short names are shown for every n-th column, and long names are vertical.
    """
    longest = style.widest(names)
    every = max(1, -(-int(min(longest, 160.0) + 10) // max(1, int(width))))
    tallest = TALLEST_HEAD if box is None else min(TALLEST_HEAD, box * 0.35)
    stands = (
        every > 1 and longest > style.label * 3 and width >= style.label * 1.15 and tallest > style.label * 3
    )
    every = 1 if stands else every
    room = tallest if stands else max(width * every - 6, style.label * 2)
    shown = list[tuple[float, str]]()
    for index in range(0, len(names), every):
        wide = room if stands else min(room, 2 * (len(names) - index - 0.5) * width)
        shown.append(((index + 0.5) * width, cut(names[index], style.label, max(1.0, wide))))
    height = style.widest(text for _, text in shown) + 12 if stands else style.line + 6
    return Heads(tuple(shown), height, every, stands)


def _draw_head(canvas: Canvas, heads: Heads, x: float, name: str) -> None:
    """Draw a name above its column, horizontally or vertically."""
    quiet = canvas.style.palette.quiet
    if heads.stand:
        canvas.text(x, heads.height - 8, name, quiet, angle=270)
    else:
        canvas.text(x, heads.height - canvas.style.line * 0.6, name, quiet, anchor="middle")


def _day_cells(
    values: Mapping[date, float | None],
    ends: tuple[date, date],
    place: tuple[float, float],
    side: float,
    options: ChartOptions,
) -> Iterator[ColorCell]:
    """Yield the cells of days from the first to the last; `place` is the position of the first week."""
    (first, last), (left, top) = ends, place
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        value = values.get(day)
        tip = tip_of(day.isoformat(), "", options.exact(value))
        x, y = left + week_of(first, day) * side, top + day.weekday() * side
        yield ColorCell(x, y, value, tip, day in values)


def _draw_month_names(
    canvas: Canvas, ends: tuple[date, date], place: tuple[float, float], side: float
) -> None:
    """Draw the year, and the names of the months that fit."""
    style = canvas.style
    (first, last), (left, top), quiet = ends, place, style.palette.quiet
    canvas.text(left, top + style.line * 0.5, str(first.year), quiet)
    months = language().short_months
    every = math.ceil((style.text(months[4]) + 6) / (side * 4.35))
    for month in range(first.month, last.month + 1, every):
        x = left + week_of(first, date(first.year, month, 1)) * side
        canvas.text(x, top + style.line * 1.5, months[month - 1], quiet)


def write_heat_map(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line of cells for each row: numbers on their colours, or shades if numbers do not fit."""
    shown = frame.latest(max(1, screen.rows - 2))
    values = shown.values
    ramp, written = ramp_of(style_of(900, "light"), values, options.colors.scale), options.writer(values)
    names = [screen.name(name, screen.columns // 3) for name in row_names(shown)]
    label = max(map(signs, names))
    heads = [screen.name(column.name, 8) for column in shown.series]
    room = screen.columns - label - 1
    wide = max(signs(text) for text in [*heads, *map(written, values)]) + 1
    wide += (wide + 1) * len(heads) <= room
    fits = wide * len(heads) <= room
    step = wide if fits else max(1, room // len(heads))
    columns = shown.series[: max(1, room // step)]
    lines = [" " * (label + 1) + "".join(place_line(head, wide, "right") for head in heads)] if fits else []
    for row, name in enumerate(names):
        cells = [column.numbers[row] for column in columns]
        texts = [place_line(written(value), wide, "right") if fits else "" for value in cells]
        pairs = zip(cells, texts, strict=True)
        line = "".join(write_cell(screen, ramp, value, text, step) for value, text in pairs)
        lines.append(f"{place_line(name, label, 'right')} {line}")
    more = (*more_columns(len(shown.series) - len(columns)), *more_rows(frame.height - shown.height))
    scale = scale_lines(screen, ramp, options) if not fits or (ramp.bounds and screen.colored) else []
    return [*lines, *scale, *more]


def write_calendar(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a column for each week and a line for each weekday, by years, or half-years if narrow."""
    moments = frame.moments or ()
    values = {moment.date(): value for moment, value in zip(moments, frame.series[0].numbers, strict=True)}
    ramp = ramp_of(style_of(900, "light"), list(values.values()), options.colors.scale)
    names = language().short_days
    margin = max(MARGIN, max(map(signs, names)) + 1)
    days, room = sorted(values), screen.columns - margin
    half = room < count_weeks(date(2000, 1, 1), date(2000, 12, 31))
    strips = strips_of(days, half=half)
    shown = strips[-max(1, min(MOST_STRIPS, (screen.rows - 2) // (len(names) + 1))) :]
    ends = [(max(first, days[0]), min(last, days[-1])) for first, last in shown]
    step = 2 if max(count_weeks(*some) for some in ends) * 2 <= room else 1
    lines = list[str]()
    for first, last in ends:
        monday = first - timedelta(days=first.weekday())
        weeks = min((last - monday).days // 7 + 1, room // step)
        lines.append(f"{first.year:<{margin}}{_months(monday, weeks, step)}")
        for weekday, name in enumerate(names):
            week = (monday + timedelta(weeks=at, days=weekday) for at in range(weeks))
            cells = (
                write_cell(screen, ramp, values[day], "", step)
                if day in values and first <= day <= last
                else " " * step
                for day in week
            )
            lines.append(f"{place_line(name, margin, 'left')}{''.join(cells)}".rstrip())
    earlier = [f"({say(earlier_words(strips, shown, half=half))})"] if len(shown) < len(strips) else []
    return [*lines, *earlier, *scale_lines(screen, ramp, options)][: max(screen.rows, len(lines))]


def _months(first: date, weeks: int, step: int) -> str:
    """Return a line with names of months above the weeks in which they begin."""
    line = ""
    for week in range(weeks):
        day = first + timedelta(weeks=week, days=6)
        if (week == 0 or day.day <= 7) and len(line) <= week * step <= (weeks - 2) * step:
            line = line.ljust(week * step) + language().short_months[day.month - 1] + " "
    return line[: weeks * step].rstrip()


MOST_CELLS = 5_000


TYPES = (
    PlotType(
        word="heatmap",
        noun="heat map",
        title="Heat map",
        order=6.1,
        draw=bound_values(draw_heat_map, MOST_CELLS),
        terminal=write_heat_map,
        describes=describe_greatest,
        reads=frozenset(("axis/sort", "legend", "colors/scale")),
        steps=(names_first, partial(bound_series, most=MOST_COLUMNS), drop_unused, sum_names),
        sorted="sums",
    ),
    PlotType(
        word="calendar",
        noun="calendar",
        title="Calendar",
        order=6.2,
        example="day,runs\n" + "".join(f"2026-01-{day:02},{day * 7 % 11}\n" for day in range(1, 29)),
        draw=draw_calendar,
        terminal=write_calendar,
        describes=describe_greatest,
        reads=frozenset(("legend", "colors/scale")),
        steps=(*USUAL, order_rows, single, sum_days),
        lacks=lambda frame: "" if frame.moments else "dates in the first column, such as 2026-11-20",
        weeks=True,
        units="one",
        along=True,
    ),
)
