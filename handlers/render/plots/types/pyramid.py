"""Population pyramids: two series back to back, in rows with one scale, the first row at the bottom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from handlers.render.plots.charts.chart import Chart, spread_labels
from handlers.render.plots.charts.marks.canvas import LABELS, Canvas
from handlers.render.plots.charts.marks.row_box import MOST_BARS, bound_values
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.drawn_data import USUAL, first_series
from handlers.render.plots.forms.terminal.screen import Screen, more_rows, place_line, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_greatest

AIR = 10.0
MOST_WANTED = 16
"""Most rows for which texts are left out, so that each has the height of a line."""
SHARE = 0.84
"""Share of a row's height for its bar."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides in pixels: their width, their starts near the middle, their top, and the rows."""

    width: float
    starts: tuple[float, float]
    top: float
    row: float
    count: int
    axis: ValueAxis

    @property
    def bottom(self) -> float:
        """The lower end of the first row."""
        return self.top + self.row * self.count

    def x(self, side: int, value: float) -> float:
        """Return the position of a value: to the left on side 0, to the right on side 1."""
        reach = self.axis.position(value, self.width)
        return self.starts[side] + (reach if side else -reach)

    def y(self, row: int) -> float:
        """Return the middle of a row."""
        return self.bottom - (row + 0.5) * self.row


def draw_pyramid(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the first series to the left of the names, the second to the right."""
    names, series = row_names(frame), frame.series[:2]
    column = min(style.widest(names), style.inner * 0.3)
    below = style.line + 6.0 if options.values.labels else 2.0
    area = _measure(style, frame, box, options, column, below)
    canvas, tones = Canvas(style), style.tones([one.name for one in series])
    _draw_axes(canvas, area)
    every = max(1, -(-style.label // max(1, int(area.row))))
    for at in range(0, frame.height, every):
        shown = cut(names[at], style.label, column + 1)
        canvas.text(style.inner / 2, area.y(at), shown, anchor="middle")
    for side, one in enumerate(series):
        for at, value in enumerate(one.numbers):
            if value is not None:
                x, tip = area.x(side, abs(value)), f"{names[at]}: {one.name} {options.exact(value)}"
                left, tall = min(x, area.starts[side]), area.row * SHARE
                wide = abs(x - area.starts[side])
                canvas.rect(left, area.y(at) - tall / 2, wide, tall, tones[side], tip=tip)
        shown = cut(one.name, style.label, area.width, 600)
        color, anchor = style.palette.readable(tones[side]), ("end", "start")[side]
        x = area.starts[side]
        canvas.text(x, style.line * 0.5, shown, color, weight=600, anchor=anchor)
    lost = [names[at] for at in range(frame.height) if at % every]
    logged = (f"{len(lost):,} names do not fit between the bars.",) if lost else ()
    wants = area.top + below + style.line * float(min(frame.height, MOST_WANTED))
    return Chart(area.bottom + below, svg=canvas.svg(), logged=logged, wants=wants)


def _measure(
    style: Style, frame: Frame, box: float | None, options: ChartOptions, column: float, below: float
) -> Sides:
    """Return the sides around the column of names, as high as the rows need or as the box allows."""
    sizes = [abs(value) for one in frame.series[:2] for value in one.numbers if value is not None]
    width = (style.inner - column) / 2 - AIR
    count = max(1, min(5, round(width / (style.label * 7))))
    axis = value_axis(sizes, count, options.unit, settings=options.values)
    top = style.line + 6.0
    room = max(20.0, box - top - below) if box is not None else frame.height * max(style.line + 2.0, 14.0)
    starts = (width, style.inner - width)
    side = width - style.text(axis.labels[-1]) / 2
    axis = spread_labels(style, axis, side)
    return Sides(side, starts, top, room / frame.height, frame.height, axis)


def _draw_axes(canvas: Canvas, area: Sides) -> None:
    """Draw the grid of both sides, and its labels below."""
    style = canvas.style
    places = [
        (area.x(side, tick), label)
        for side in (0, 1)
        for tick, label in zip(area.axis.ticks, area.axis.labels, strict=True)
    ]
    if area.axis.grid:
        canvas.grid([((x, area.top), (x, area.bottom)) for x, _ in places], style.palette.grid)
    y = area.bottom + 6 + style.line * 0.4
    for x, label in places:
        canvas.text(x, y, label, style.palette.quiet, anchor="middle", group=LABELS)


def write_pyramid(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return two bars back to back in each line, the last row on top, with their amounts."""
    room = max(1, screen.rows - 1)
    shown = frame.latest(room if frame.height <= room else max(1, room - 1))
    left, right = shown.series[:2]
    names = [screen.name(name, screen.columns // 4) for name in row_names(shown)]
    sizes = [abs(value) for column in frame.series[:2] for value in column.numbers if value is not None]
    written = options.writer(sizes)
    label = max(map(signs, names))
    amount = max((signs(written(size)) for size in sizes), default=1)
    wide = max(2, (screen.columns - label - 2 * amount - 4) // 2)
    each = wide / (max(sizes, default=1.0) or 1.0)
    lines = list[str]()
    for row in reversed(range(shown.height)):
        sides = [column.numbers[row] for column in (left, right)]
        texts = [written(None if value is None else abs(value)) for value in sides]
        lengths = [round(abs(value or 0.0) * each) for value in sides]
        first = place_line(texts[0], wide + amount - lengths[0], "right")
        bars = [screen.paint(("█", "▓")[at] * length, screen.tone(at)) for at, length in enumerate(lengths)]
        lines.append(
            f"{first} {bars[0]} {place_line(names[row], label, 'center')} {bars[1]} {texts[1]}".rstrip()
        )
    half = wide + amount + 1
    heads = place_line(screen.name(left.name, half), half, "right"), screen.name(right.name, half)
    return [f"{heads[0]} {' ' * label} {heads[1]}".rstrip(), *lines, *more_rows(frame.height - shown.height)]


TYPES = (
    PlotType(
        word="pyramid",
        noun="pyramid",
        title="Population pyramid",
        order=9.4,
        example="age,women,men\n0 to 29,12,13\n30 to 59,15,14\n60 and over,14,11\n",
        draw=bound_values(draw_pyramid, MOST_BARS),
        terminal=write_pyramid,
        describes=describe_greatest,
        reads=frozenset(("axis", "axis/sort", "axis/ticks")),
        steps=(*USUAL, partial(first_series, most=2)),
        asks=lambda frame: series_asked(frame, 2, "age,women,men"),
        sorted="rows",
        across=True,
    ),
)
