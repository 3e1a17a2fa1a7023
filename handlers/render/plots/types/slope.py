"""Slope charts: a line for each name from column to column."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from handlers.render.plots.charts.chart import Chart, KeyEntry, spread_apart
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import bound_values
from handlers.render.plots.charts.value_axis import Box, ValueAxis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.data.series import runs
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.drawn_data import USUAL, first_series
from handlers.render.plots.drawn.left_out import quote_names
from handlers.render.plots.forms.terminal.screen import (
    Screen,
    more_columns,
    more_rows,
    place_line,
    rows_shown,
    signs,
    write_rows,
)
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_greatest
from handlers.words.language import say

WIDEST_NAMES = 0.34
GAP = 10.0
BEND, MOVED = 16.0, 3.0
"""Pixels of the line from a dot to its name, and most pixels by which a name is moved without a line."""
TRIES, MOST_AIR = 4, 0.3
"""Times that the space for names is measured, and its largest share of the height at each end."""
MOST_STEPS = 12
"""Most columns of a slope chart."""
MOST_SLOPES = 600
"""Most values that a picture draws, in all columns."""


@dataclass
class SlopeColumns(Box):
    """The box of the lines, and the positions of its columns in pixels.

    `above` and `below` are the space for names only, `bend` is the width of the lines that lead to them.
    """

    places: tuple[float, ...]
    above: float
    below: float
    bend: float


@dataclass(frozen=True, slots=True)
class EndLabel:
    """A name with its value beside the end of a line: its row, its preferred height, and its size."""

    row: int
    y: float
    name: str
    amount: str
    size: float


def draw_slopes(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a line for each row; rising and falling lines have different colours."""
    written = options.writer(frame.values)
    least = frame.height * style.line + style.line * 2.4
    height = box or max(float(style.height(0.5)), min(least, style.height(0.5) * 3.0))
    area, height = _roomy_columns(style, frame, height, options, written, fixed=box is not None)
    sides = [list(_labels(style, frame, area, side, written)) for side in (0, -1)]
    canvas = Canvas(style)
    _draw_columns(canvas, frame, area)
    rising, falling = _draw_lines(canvas, frame, area, options)
    placed = _draw_labels(canvas, area, sides[0], "end")
    placed |= _draw_labels(canvas, area, sides[1], "start")
    names = row_names(frame)
    lost = [names[row] for row in {label.row for side in sides for label in side} - placed]
    logged = (f"These names do not fit beside their lines: {quote_names(lost)}.",) if lost else ()
    key: tuple[KeyEntry, ...] = (
        KeyEntry("line", style.category(0), say("rises")),
        KeyEntry("line", style.category(1), say("falls")),
    )
    key = key if rising and falling else ()
    marks = area.above + area.height + area.below
    return Chart(height, svg=canvas.svg(), key=key, logged=logged, marks=marks)


def _roomy_columns(
    style: Style, frame: Frame, height: float, options: ChartOptions, written: Writer, *, fixed: bool
) -> tuple[SlopeColumns, float]:
    """Return the columns with space for names above and below their lines, and the total height.

    A picture without a `fixed` height becomes higher; otherwise the lines have less space.
    """
    area = _columns(style, frame, height, options, written)
    for _ in range(TRIES):
        above = below = 0.0
        bend = area.bend
        for side in (0, -1):
            kept = _that_fit(style, area, list(_labels(style, frame, area, side, written)))
            wanted = [label.y for label in kept]
            free = spread_apart(wanted, style.line, -math.inf, math.inf)
            above = max(above, area.top - min(free, default=area.top))
            below = max(below, max(free, default=0.0) - area.top - area.height)
            if any(abs(y - place) > MOVED for y, place in zip(wanted, free, strict=True)):
                bend = BEND
        if (above, below, bend) == (area.above, area.below, area.bend):
            break
        more = 0.0 if fixed else above + below - area.above - area.below
        height += more
        room = min(above, height * MOST_AIR), min(below, height * MOST_AIR)
        area = _columns(style, frame, height, options, written, room, bend)
    return area, height


def _columns(
    style: Style, frame: Frame, height: float, options: ChartOptions, written: Writer,
    room: tuple[float, float] = (0.0, 0.0), bend: float = 0.0,
) -> SlopeColumns:  # fmt: skip
    settings = options.values
    values = frame.values
    low, high = spread_of([*values, settings.low, settings.high])
    high, low = (high, low) if high > low else (high + (abs(high) or 1), low - (abs(low) or 1))
    axis = ValueAxis((low, high), ("", ""), (low, high), settings.log and low > 0)
    amount = style.widest((written(value) for value in values if value is not None), 600)
    names = min(style.widest(row_names(frame)) + style.label * 0.5 + 1, style.inner * WIDEST_NAMES - amount)
    names = max(0.0, names)
    left = names + amount + GAP + bend
    right = style.inner - amount - GAP - bend - (0.0 if style.narrow else names)
    count = max(1, len(frame.series) - 1)
    places = tuple(left + (right - left) * at / count for at in range(len(frame.series)))
    top = style.line + 12.0 + room[0]
    tall = max(6.0, height - top - 8.0 - room[1])
    return SlopeColumns(left, top, right - left, tall, axis, places, *room, bend)


def _labels(style: Style, frame: Frame, area: SlopeColumns, side: int, written: Writer) -> Iterator[EndLabel]:
    """Yield the labels at one side, values next to the lines; narrow pictures have names only at the left."""
    named = side == 0 or not style.narrow
    room = (area.places[0] if side == 0 else style.inner - area.places[-1]) - area.bend
    for row, name in enumerate(row_names(frame)):
        value = frame.series[side].numbers[row]
        if value is None:
            continue
        amount = written(value)
        rest = room - GAP - style.text(amount, 600) - style.label * 0.5
        shown = cut(name, style.label, rest) if named and rest > style.label * 2 else ""
        yield EndLabel(row, area.y(value), shown, amount, abs(value))


def _draw_columns(canvas: Canvas, frame: Frame, area: SlopeColumns) -> None:
    """Draw the heads of the columns and a faint line below each."""
    style = canvas.style
    room = (area.places[1] - area.places[0]) * 0.94 if len(area.places) > 1 else style.inner
    for at, (x, column) in enumerate(zip(area.places, frame.series, strict=True)):
        color = style.palette.ink if at in (0, len(area.places) - 1) else style.palette.quiet
        text = cut(column.name, style.label, max(room, style.label * 3), 600)
        half = style.text(text, 600) / 2
        middle = min(max(x, half), style.inner - half)
        canvas.text(middle, style.line * 0.5, text, color, weight=600, anchor="middle")
        canvas.line((x, area.top - 4), (x, area.bottom + 4), style.palette.grid, 1)


def _draw_lines(canvas: Canvas, frame: Frame, area: SlopeColumns, options: ChartOptions) -> tuple[bool, bool]:
    """Draw the lines between the gaps of each row. Return whether any rises, and whether any falls."""
    style = canvas.style
    rising = falling = False
    names = row_names(frame)
    dots = list[tuple[float, float, str, str]]()
    for row, name in enumerate(names):
        values = [column.numbers[row] for column in frame.series]
        ends = [value for value in values if value is not None]
        falls = bool(ends) and ends[-1] < ends[0]
        rising, falling = rising or not falls, falling or falls
        color = style.category(1 if falls else 0)
        said = " → ".join(options.exact(value) for value in ends)
        for run in runs(zip(area.places, values, strict=True)):
            spots = [(x, area.y(value)) for x, value in run]
            if len(spots) > 1:
                path = "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in spots)
                canvas.path("line", path, stroke=color, width=style.stroke, tip=f"{name}: {said}")
            tips = [f"{name}: {options.exact(value)}" for _, value in run]
            dots += [(x, y, color, tip) for (x, y), tip in zip(spots, tips, strict=True)]
    for x, y, color, tip in dots:
        canvas.circle(x, y, style.stroke * 1.6, color, tip=tip, stroke=style.palette.paper)
    return rising, falling


def _that_fit(style: Style, area: SlopeColumns, labels: Sequence[EndLabel]) -> list[EndLabel]:
    """Return the labels that fit, preferring the largest values."""
    most = int((area.above + area.height + area.below) / style.line) + 1
    return sorted(labels, key=lambda label: -label.size)[:most]


def _draw_labels(canvas: Canvas, area: SlopeColumns, labels: Sequence[EndLabel], anchor: str) -> set[int]:
    """Draw the labels that fit at their dots, with a thin line to labels that are moved.

    Return the rows with a label.
    """
    style = canvas.style
    kept, low = _that_fit(style, area, labels), area.top - area.above
    high = area.bottom + area.below
    placed = spread_apart([label.y for label in kept], style.line, low, high)
    dot, outward = (area.places[0], -1) if anchor == "end" else (area.places[-1], 1)
    x = dot + outward * (GAP + area.bend)
    for label, y in zip(kept, placed, strict=True):
        if abs(label.y - y) > MOVED:
            start = (dot + outward * GAP * 0.6, label.y)
            canvas.line(start, (x - outward * 3, y), style.palette.edge, 0.8)
        step = style.text(label.amount, 600) + style.label * 0.5
        canvas.text(x, y, label.amount, weight=600, anchor=anchor)
        if label.name:
            at = x + outward * step
            canvas.text(at, y, label.name, style.palette.quiet, anchor=anchor)
    return {label.row for label in kept}


def write_steps(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line for each row: its values from column to column, with an arrow for their direction."""
    shown = frame.latest(rows_shown(screen, frame.height, 1))
    written = options.writer(frame.values)
    heads = [screen.name(column.name, 12) for column in frame.series]
    wide = max(signs(text) for text in [*heads, *(written(v) for one in frame.series for v in one.numbers)])
    label = max(signs(screen.name(name, screen.columns // 3)) for name in row_names(shown))
    most = max(2, (screen.columns - label - 3) // (wide + 3))
    columns = frame.series if len(frame.series) <= most else (*frame.series[: most - 1], frame.series[-1])

    def draw(row: int, _: int) -> str:
        if not row:
            kept = (screen.name(column.name, 12) for column in columns)
            return "   ".join(place_line(head, wide, "right") for head in kept)
        numbers = [column.numbers[row - 1] for column in columns]
        known = [value for value in numbers if value is not None] or [0.0]
        arrow = "▼" if known[-1] < known[0] else "▲" if known[-1] > known[0] else " "
        texts = (place_line(written(value), wide, "right") for value in numbers)
        return screen.paint(f"{' → '.join(texts)} {arrow}", screen.tone(int(arrow == "▼")))

    lines = write_rows(screen, ["", *row_names(shown)], (), draw)
    more = more_columns(len(frame.series) - len(columns))
    return [*lines, *more, *more_rows(frame.height - shown.height)]


TYPES = (
    PlotType(
        word="slope",
        noun="slope chart",
        title="Slope chart",
        order=8.5,
        draw=bound_values(draw_slopes, MOST_SLOPES),
        terminal=write_steps,
        describes=describe_greatest,
        reads=frozenset(("axis", "legend")),
        steps=(*USUAL, partial(first_series, most=MOST_STEPS)),
        asks=lambda frame: series_asked(frame, 2, "name,before,after"),
        log=True,
        along=True,
    ),
)
