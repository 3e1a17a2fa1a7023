"""Cells in a terminal: heat maps, and calendars of days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from handlers.render.plots.charts.matrices import Ramp, ramp_of
from handlers.render.plots.data.date_words import MONTHS, row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.forms.terminal.screen import SHADES, Screen, more_rows
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import style_of

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MARGIN = 4


def draw_heat_map(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line of cells for each row: numbers on their colours, or shades where numbers find no room."""
    shown = frame.first(max(1, screen.rows - 2))
    values = [value for column in shown.series for value in column.numbers]
    ramp, written = ramp_of(style_of(900, "light"), values), options.writer(values)
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
        line = "".join(_cell(screen, ramp, value, text, step) for value, text in pairs)
        lines.append(f"{place_line(name, label, 'right')} {line}")
    more = more_columns(len(shown.series) - len(columns))
    return [
        *lines,
        *([] if fits else [_scale(screen, ramp, options)]),
        *more,
        *more_rows(frame.height - shown.height),
    ]


def draw_calendar(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A column for each week and a line for each weekday, the latest weeks that find room."""
    moments = frame.moments or ()
    values = {moment.date(): value for moment, value in zip(moments, frame.series[0].numbers, strict=True)}
    ramp = ramp_of(style_of(900, "light"), list(values.values()))
    last = max(values)
    monday = min(values) - timedelta(days=min(values).weekday())
    weeks = (last - monday).days // 7 + 1
    step = 2 if weeks * 2 <= screen.columns - MARGIN else 1
    shown = min(weeks, (screen.columns - MARGIN) // step)
    first = monday + timedelta(weeks=weeks - shown)
    lines = [" " * MARGIN + _months(first, shown, step)]
    for weekday, name in enumerate(WEEKDAYS):
        days = (first + timedelta(weeks=week, days=weekday) for week in range(shown))
        cells = (_cell(screen, ramp, values[day], "", step) if day in values else " " * step for day in days)
        lines.append(f"{name} {''.join(cells)}".rstrip())
    earlier = [f"({weeks - shown} earlier weeks)"] if weeks > shown else []
    return [*lines, *earlier, _scale(screen, ramp, options)][: max(screen.rows, len(lines))]


def more_columns(count: int) -> list[str]:
    """The line that tells how many columns are left out."""
    return [f"({count:,} more {'column' if count == 1 else 'columns'})"] if count > 0 else []


def _cell(screen: Screen, ramp: Ramp, value: float | None, text: str, width: int) -> str:
    """A cell: its number on its colour, or its shade."""
    if value is None:
        return text or " " * width
    color = ramp.color(value)
    if text:
        return screen.paint(text, LIGHT.on(color), color)
    if screen.colored:
        return screen.paint(" " * width, color, color)
    share = (value - ramp.low) / (ramp.high - ramp.low) if ramp.high > ramp.low else 0.5
    return SHADES[min(len(SHADES) - 1, int(share * len(SHADES)))] * width


def _scale(screen: Screen, ramp: Ramp, options: ChartOptions) -> str:
    """The shades with the ends of what they mean."""
    steps: Sequence[float] = [ramp.low + (ramp.high - ramp.low) * share / 4 for share in range(5)]
    cells = "".join(_cell(screen, ramp, value, "", 2) for value in steps)
    return f"{alone(ramp.low, options.unit)} {cells} {alone(ramp.high, options.unit)}"


def _months(first: date, weeks: int, step: int) -> str:
    """Names of months above the weeks in which they begin."""
    line = ""
    for week in range(weeks):
        day = first + timedelta(weeks=week, days=6)
        if (week == 0 or day.day <= 7) and len(line) <= week * step:
            line = line.ljust(week * step) + MONTHS[day.month - 1] + " "
    return line[: weeks * step].rstrip()
