"""Matrices: heat maps of rows and columns, and calendars of a year's days, coloured by a ramp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from handlers.render.plots.charts.chart import (
    Chart,
    KeyEntry,
    Padding,
    Spec,
    layer,
    own_color,
    pixels,
    specification,
)
from handlers.render.plots.data.date_words import MONTHS, row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.drawn.tips import add_tips, tip_of
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import on_ramp
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut, wrap

STEPS = 12
"""Parts of a ramp in a key between its ends."""
LEAST_SIDE = 0.2
"""The share of the range beyond zero from which on its two sides have colours of their own."""
TALLEST_HEAD = 110.0
LEAST_CELL = 4.0
"""Pixels of height of the lowest row of a heat map."""
MOST_WANTED = 16
"""Rows of a heat map that want a line each before words yield."""
LEAST_DAY = 3.0
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Ramp:
    """Colours of values: from low to high, or outward from zero where it parts them well.

    `ends` are the least and the greatest value, between which its key shows it.
    """

    low: float
    high: float
    stops: tuple[str, ...]
    ends: tuple[float, float]
    two_sided: bool = False

    def color(self, value: float) -> str:
        """The colour of a value."""
        return on_ramp(
            self.stops, (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        )

    def key(self, options: ChartOptions, missing: KeyEntry | None = None) -> tuple[KeyEntry, ...]:
        """The ramp with both of its ends, and zero where it parts two sides; then what has no value."""
        first, last = self.ends
        more = (missing,) if missing else ()
        if first == last:
            return (KeyEntry("square", self.color(first), options.write_key(first)), *more)
        sides = [(first, 0.0), (0.0, last)] if self.two_sided else [(first, last)]
        ramps = [
            KeyEntry(
                "ramp", self.color(end), options.write_key(end),
                start="" if at else options.write_key(start),
                stops=tuple(self.color(start + (end - start) * step / STEPS) for step in range(STEPS + 1)),
            )
            for at, (start, end) in enumerate(sides)
        ]  # fmt: skip
        return (*ramps, *more)


def ramp_of(style: Style, values: Sequence[float | None]) -> Ramp:
    """The ramp of some values: two-sided and even about zero where both sides are more than a few values."""
    low, high = spread_of(values)
    if min(-low, high) > LEAST_SIDE * (high - low):
        reach = max(-low, high)
        return Ramp(-reach, reach, style.palette.diverging, (low, high), two_sided=True)
    return Ramp(low, high, style.palette.ramp, (low, high))


def draw_heat_map(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row of cells for each name, a column for each series; wide enough cells hold their numbers."""
    columns = [column.name for column in frame.series]
    rows = row_names(frame)
    values = [column.numbers[row] for row in range(len(rows)) for column in frame.series]
    ramp, written = ramp_of(style, values), options.writer(values)
    left = min(style.widest(rows), style.inner * 0.32) + 10
    width = (style.inner - left) / max(1, len(columns))
    heads, top, every = _heads(style, columns, width, box)
    usual = max(style.line * 1.7, min(width, style.line * 2.4))
    height = usual if box is None else max(LEAST_CELL, min(usual, (box - top) / len(rows)))
    numbers = width >= style.widest([written(v) for v in values]) + 10 and height >= style.line
    cells = [
        {"left": col * width, "right": (col + 1) * width - 1.5,
         "top": row * height, "bottom": (row + 1) * height - 1.5,
         "tip": tip_of(rows[row], column.name, written(column.numbers[row])),
         **_look(style, ramp, written, column.numbers[row])}
        for row in range(len(rows)) for col, column in enumerate(frame.series)
    ]  # fmt: skip
    size = (width * len(columns), height * len(rows))
    layers = [
        *_cells(style, cells, numbers=numbers),
        *heads,
        _row_names(style, rows, height, left),
    ]
    gaps = any(value is None for value in values)
    missing = KeyEntry("hatch", style.palette.edge, "no value") if gaps else None
    spec = specification(style, size, Padding(left, 0, top, 0), layers)
    told = _nameless("columns", columns, every), _nameless("rows", rows, _every(style, height))
    key, wants = ramp.key(options, missing), top + style.line * float(min(len(rows), MOST_WANTED))
    return Chart(size[1] + top, spec, key=key, told=tuple(filter(None, told)), wants=wants)


def _nameless(what: str, names: Sequence[str], every: int) -> str:
    """A sentence about the rows or columns between those that have a name."""
    lost = [name for index, name in enumerate(names) if index % every]
    return f"These {what} have no room for their names: {quote_names(lost)}." if lost else ""


def _every(style: Style, height: float) -> int:
    """Every how many rows of that height one has its name."""
    return max(1, math.ceil(style.label * 1.1 / height))


def draw_calendar(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A square for each day, in columns of weeks, a strip for each year or, on narrow pictures, half-year."""
    moments = frame.moments or ()
    values = {moment.date(): value for moment, value in zip(moments, frame.series[0].numbers, strict=True)}
    ramp = ramp_of(style, list(values.values()))
    days = sorted(values)
    strips = _strips(days, half=style.narrow and (box is None or box > style.inner * 0.5))
    head = style.line * 2.0
    most = 6 if box is None else max(1, min(6, int((box + 10) // (head + 10 + 7 * LEAST_DAY))))
    shown = strips[-most:]
    left = style.widest(WEEKDAYS) + 8
    weeks = max(_weeks(first, last) for first, last in shown)
    side = min((style.inner - left) / weeks, style.line * 1.35)
    if box is not None:
        side = max(LEAST_DAY, min(side, ((box + 10) / len(shown) - head - 10) / 7))
    strip = side * 7 + head + 10
    layers: list[Spec] = []
    cells: list[dict[str, Any]] = []
    texts: list[dict[str, Any]] = []
    for index, (first, last) in enumerate(shown):
        top = index * strip + style.line * 2
        ends = (first, max(min(last, days[-1]), first))
        cells += _day_cells(style, ramp, values, ends, top, side, options)
        texts += _month_names(style, first, min(last, days[-1]), index * strip, side)
        texts += [
            {"x": -8, "y": top + (day + 0.5) * side, "text": WEEKDAYS[day], "align": "right"}
            for day in ((0, 2, 4) if side * 2 >= style.line else (0,) if side * 7 >= style.line else ())
        ]
    layers += _cells(style, cells, numbers=False)
    for align in ("left", "right"):
        chosen = [row for row in texts if row["align"] == align]
        encoding = {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}}
        layers.append(layer("text", encoding, chosen, {"align": align, "fill": style.palette.quiet}))
    height = strip * len(shown) - 10
    notes = (
        (f"{len(strips) - len(shown)} earlier strips are in the data.",) if len(strips) > len(shown) else ()
    )
    spec = specification(style, (style.inner - left, height), Padding(left, 0, 0, 0), layers)
    return Chart(height, spec, key=ramp.key(options, _blank_days(style, cells)), notes=notes)


def _blank_days(style: Style, cells: Sequence[dict[str, Any]]) -> KeyEntry | None:
    """The entry of days without a value, where there are some."""
    blank = any(cell["blank"] for cell in cells)
    return KeyEntry("square", style.palette.panel, "no value") if blank else None


def _look(style: Style, ramp: Ramp, written: Writer, value: float | None) -> dict[str, Any]:
    if value is None:
        return {"color": style.palette.panel, "text": "", "ink": style.palette.ink, "gap": True}
    color = ramp.color(value)
    return {"color": color, "text": written(value), "ink": style.palette.on(color), "gap": False}


def _cells(style: Style, cells: Sequence[dict[str, Any]], *, numbers: bool) -> list[Spec]:
    """Coloured cells, a diagonal through those without a value, and the numbers."""
    box = {"x": pixels("left"), "x2": {"field": "right"}, "y": pixels("top"), "y2": {"field": "bottom"}}
    diagonal = {"x": pixels("left"), "x2": {"field": "right"}, "y": pixels("bottom"), "y2": {"field": "top"}}
    gaps = [cell for cell in cells if cell["gap"]]
    layers = [add_tips(layer("rect", {**box, "color": own_color()}, cells, {"cornerRadius": 1}), cells)]
    if gaps:
        layers.append(layer("rule", diagonal, gaps, {"color": style.palette.edge, "strokeWidth": 0.8}))
    if numbers:
        rows = [
            {"x": (c["left"] + c["right"]) / 2, "y": (c["top"] + c["bottom"]) / 2 + 0.5, "text": c["text"],
             "color": c["ink"]}
            for c in cells if not c["gap"]
        ]  # fmt: skip
        place = {"x": pixels("x"), "y": pixels("y"), "text": {"field": "text"}, "fill": own_color()}
        layers.append(layer("text", place, rows))
    return layers


def _heads(
    style: Style, names: Sequence[str], width: float, box: float | None
) -> tuple[list[Spec], float, int]:
    """Names above the columns, the height they take, and every how many columns one stands.

    Short ones stand over every so many columns where they would touch, long ones on their sides.
    """
    longest = style.widest(names)
    every = max(1, -(-int(min(longest, 160.0) + 10) // max(1, int(width))))
    tallest = TALLEST_HEAD if box is None else min(TALLEST_HEAD, box * 0.35)
    stands = (
        every > 1 and longest > style.label * 3 and width >= style.label * 1.15 and tallest > style.label * 3
    )
    every = 1 if stands else every
    room = tallest if stands else max(width * every - 6, style.label * 2)
    rooms = [
        room if stands else min(room, 2 * (len(names) - index - 0.5) * width) for index in range(len(names))
    ]
    shown = [
        (index, cut(name, style.label, max(1.0, rooms[index])))
        for index, name in enumerate(names)
        if index % every == 0
    ]
    rows = [{"x": (index + 0.5) * width, "text": text} for index, text in shown]
    place = {"x": pixels("x"), "y": {"value": -8 if stands else -style.line * 0.6}, "text": {"field": "text"}}
    turned = {"angle": 270, "align": "left"} if stands else {}
    height = style.widest(text for _, text in shown) + 12 if stands else style.line + 6
    return [layer("text", place, rows, {"fill": style.palette.quiet, **turned})], height, every


def _row_names(style: Style, names: Sequence[str], height: float, left: float) -> Spec:
    rows = [
        {"y": (row + 0.5) * height, "text": wrap(name, style.label, left - 9, most=1)[0]}
        for row, name in enumerate(names)
        if row % _every(style, height) == 0
    ]
    return layer(
        "text", {"x": {"value": -10}, "y": pixels("y"), "text": {"field": "text"}}, rows, {"align": "right"}
    )


def _strips(days: Sequence[date], *, half: bool) -> list[tuple[date, date]]:
    """The years, or halves of years, that hold days: first and last day."""
    strips = []
    for year in range(days[0].year, days[-1].year + 1):
        ends = [(1, 1, 6, 30), (7, 1, 12, 31)] if half else [(1, 1, 12, 31)]
        strips += [(date(year, a, b), date(year, c, d)) for a, b, c, d in ends]
    return [(first, last) for first, last in strips if any(first <= day <= last for day in days)]


def _weeks(first: date, last: date) -> int:
    return (last - first).days // 7 + 2


def _week(first: date, day: date) -> int:
    return ((day - first).days + first.weekday()) // 7


def _day_cells(
    style: Style,
    ramp: Ramp,
    values: dict[date, float | None],
    ends: tuple[date, date],
    top: float,
    side: float,
    options: ChartOptions,
) -> list[dict[str, Any]]:
    first, last = ends
    cells, wide = [], side - min(1.5, side * 0.15)
    for offset in range((last - first).days + 1):
        day = first + timedelta(days=offset)
        x, y = _week(first, day) * side, top + day.weekday() * side
        value = values.get(day)
        color = style.palette.panel if value is None else ramp.color(value)
        cells.append({"left": x, "right": x + wide, "top": y, "bottom": y + wide, "color": color,
                      "gap": day in values and value is None, "blank": value is None,
                      "tip": tip_of(day.isoformat(), "", options.write(value))})  # fmt: skip
    return cells


def _month_names(style: Style, first: date, last: date, top: float, side: float) -> list[dict[str, Any]]:
    rows = [{"x": 0.0, "y": top + style.line * 0.5, "text": str(first.year), "align": "left"}]
    every = math.ceil((style.text("May") + 6) / (side * 4.35))
    for month in range(first.month, last.month + 1, every):
        at = _week(first, date(first.year, month, 1)) * side
        rows.append({"x": at, "y": top + style.line * 1.5, "text": MONTHS[month - 1], "align": "left"})
    return rows
