"""Rows of places in a terminal: dots, sticks, dumbbells and ranges between their values."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.render.plots.charts.ranges.dots import DotKind
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.drawn.intervals import interval_series
from handlers.render.plots.forms.terminal.screen import Screen, more_rows
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions

DOTS = "●○◆◇■□▲△"
"""The signs of the series, which tell them apart where there are no colours."""


def draw_dot_rows(screen: Screen, frame: Frame, options: ChartOptions, *, kind: DotKind) -> list[str]:
    """A line for each row: its dots in their places, what joins them, and its least and greatest value."""
    several = len(frame.series) > 1
    named = several and kind is not DotKind.RANGE
    key = _keys(screen, [column.name for column in frame.series]) if named else []
    shown = frame.first(max(1, screen.rows - len(key) - 1) if frame.height > screen.rows else frame.height)
    names = [screen.name(name, screen.columns // (4 if several else 3)) for name in row_names(shown)]
    values = [value for column in frame.series for value in column.numbers]
    written = options.writer(values)
    amount = max((signs(written(value)) for value in values if value is not None), default=1) + 1
    label = max(map(signs, names), default=0) + 1
    before = amount if several else 0
    room = max(4, screen.columns - label - amount - before)
    axis = places_axis(values, options, zero=kind is DotKind.STICK)
    lines = []
    for row, name in enumerate(names):
        numbers = [column.numbers[row] for column in shown.series]
        known = [value for value in numbers if value is not None]
        head = place_line(name, label - 1, "right") + " "
        if not known:
            lines.append(head + " " * before + "n/a")
            continue
        least = place_line(written(min(known)), amount - 1, "right") + " " if several else ""
        drawn = _row(screen, axis, numbers, room, kind)
        lines.append(f"{head}{least}{drawn} {written(max(known))}")
    return [*lines, *key, *more_rows(frame.height - shown.height)]


def draw_intervals(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line for each value: its interval, the value in it, and both in numbers."""
    series = interval_series(frame)
    room = max(1, screen.rows // len(series))
    shown = frame.first(room if frame.height <= room else max(1, room - 1))
    values = [v for one in series for ends in (one.values, one.lows, one.highs) for v in ends]
    written, axis = options.writer(values), places_axis(values, options, zero=False)
    names = [screen.name(name, screen.columns // 4) for name in row_names(shown)]
    label = max(map(signs, names), default=0)
    amount = max((signs(written(value)) for value in values if value is not None), default=1)
    wide = max(4, screen.columns - label - amount - 2)
    lines = []
    for row, name in enumerate(names):
        for index, one in enumerate(series):
            head = place_line(name if not index else "", label, "right")
            ends = (one.lows[row], one.values[row], one.highs[row])
            drawn = screen.paint(_interval(axis, ends, wide), screen.tone(index))
            lines.append(f"{head} {place_line(written(one.values[row]), amount, 'right')} {drawn}")
    key = _keys(screen, [one.name for one in series]) if len(series) > 1 else []
    return [*lines, *key, *more_rows(frame.height - shown.height)]


def _interval(axis: ValueAxis, ends: tuple[float | None, float | None, float | None], wide: int) -> str:
    """The signs of an interval and of the value in it."""
    low, value, high = (None if one is None else round(axis.position(one, wide - 1)) for one in ends)
    cells = [" "] * wide
    if low is not None and high is not None:
        cells[low : high + 1] = "─" * (high - low + 1)
        cells[low], cells[high] = "├", "┤"
    if value is not None:
        cells[value] = "●"
    return "".join(cells).rstrip()


def draw_steps(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line for each row: its values from column to column, with an arrow that tells where they went."""
    room = max(1, screen.rows - 1)
    shown = frame.first(room if frame.height <= room else max(1, room - 1))
    written = options.writer([value for column in frame.series for value in column.numbers])
    names = [screen.name(name, screen.columns // 3) for name in row_names(shown)]
    label = max(map(signs, names), default=0)
    wide = max((signs(written(value)) for column in frame.series for value in column.numbers), default=1)
    heads = [screen.name(column.name, 12) for column in frame.series]
    wide = max(wide, *map(signs, heads))
    most = max(2, (screen.columns - label - 3) // (wide + 3))
    columns = frame.series if len(frame.series) <= most else (*frame.series[: most - 1], frame.series[-1])
    kept = [screen.name(column.name, 12) for column in columns]
    lines = [" " * (label + 1) + "   ".join(place_line(head, wide, "right") for head in kept)]
    for row, name in enumerate(names):
        numbers = [column.numbers[row] for column in columns]
        known = [value for value in numbers if value is not None]
        falls = bool(known) and known[-1] < known[0]
        texts = [place_line(written(value), wide, "right") for value in numbers]
        arrow = "▼" if falls else "▲" if known and known[-1] > known[0] else " "
        drawn = f"{' → '.join(texts)} {arrow}"
        lines.append(f"{place_line(name, label, 'right')} {screen.paint(drawn, screen.tone(int(falls)))}")
    left_out = len(frame.series) - len(columns)
    more = [f"({left_out:,} more columns)"] if left_out else []
    return [*lines, *more, *more_rows(frame.height - shown.height)]


def places_axis(values: Sequence[float | None], options: ChartOptions, *, zero: bool) -> ValueAxis:
    """The axis from the least value to the greatest, or further where it is wished."""
    wishes = options.values
    low, high = spread_of([*values, wishes.low, wishes.high, *([0.0] if zero else [])])
    log = wishes.log and low > 0
    return ValueAxis((low, high), ("", ""), (low, high if high > low else low + 1), log)


def _row(screen: Screen, axis: ValueAxis, numbers: Sequence[float | None], room: int, kind: DotKind) -> str:
    """The signs of one row, each in the colour of its series."""
    places = {
        index: round(axis.position(value, room - 1))
        for index, value in enumerate(numbers)
        if value is not None
    }
    cells, colors = [" "] * room, [""] * room
    low, high = min(places.values()), max(places.values())
    if kind is DotKind.STICK:
        zero = round(axis.position(0.0, room - 1))
        low, high = min(low, zero), max(high, zero)
    if kind is not DotKind.DOT:
        joint = "█" if kind is DotKind.RANGE else "─"
        for at in range(low, high + 1):
            cells[at], colors[at] = joint, screen.tone(0) if kind in (DotKind.RANGE, DotKind.STICK) else ""
    if kind is not DotKind.RANGE:
        for index, at in places.items():
            cells[at], colors[at] = DOTS[index % len(DOTS)], screen.tone(index)
    return "".join(
        screen.paint(cell, color) if color else cell for cell, color in zip(cells, colors, strict=True)
    )


def _keys(screen: Screen, names: Sequence[str]) -> list[str]:
    """The signs of the series with their names, in one line."""
    entries = [
        f"{screen.paint(DOTS[index % len(DOTS)], screen.tone(index))} {screen.name(name, 24)}"
        for index, name in enumerate(names[: len(DOTS)])
    ]
    more = [f"({len(names) - len(DOTS)} others)"] if len(names) > len(DOTS) else []
    return ["  ".join([*entries, *more])]
