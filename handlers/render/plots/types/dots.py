"""Dots in rows: single, on sticks from zero, connected, or as bars between two values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from handlers.render.plots.charts.chart import Chart, key_of, others_note
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import (
    RowBox,
    RowRoom,
    draw_rows,
    draw_zero,
    fit_rows,
    measure_rows,
)
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.column_roles import series_asked
from handlers.render.plots.drawn.drawn_data import USUAL, first_series, single
from handlers.render.plots.forms.terminal.screen import (
    SIGNS,
    RowMark,
    Screen,
    mark_line,
    more_rows,
    places_axis,
    rows_shown,
    signs,
    write_rows,
)
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import Makes, PlotType
from handlers.render.plots.shown.description import describe_greatest
from handlers.words.language import from_to

MOST_WRITTEN = 24
"""Most rows with values beside their dots."""
BESIDE = 6


class DotKind(StrEnum):
    """The marks of a row: dots, a stick from zero, connected dots, or a bar between two values."""

    DOT = "dot"
    STICK = "stick"
    JOINED = "joined"
    RANGE = "range"


@dataclass(frozen=True, slots=True)
class RowDot:
    """A dot of a row: its value, the name and number of its series, and its position in pixels."""

    value: float
    name: str
    series: int
    x: float


def draw_dots(style: Style, frame: Frame, box: float | None, kind: DotKind, options: ChartOptions) -> Chart:
    """Draw a row for each name, with a dot for each series; the outer dots have values if they fit."""
    names = frame.names
    written = _writer(frame, kind, options)
    area = _measure(style, frame, box, kind, options, written, heads=len(names) > 1 and written is not None)
    heads = _heads(style, frame, area) if written and len(names) > 1 else []
    if written and len(names) > 1 and not heads:
        area = _measure(style, frame, box, kind, options, written, heads=False)
    canvas = Canvas(style)
    axis = written is None
    draw_rows(canvas, area, axis=axis, guides=kind is not DotKind.STICK)
    if kind is DotKind.STICK and not axis:
        draw_zero(canvas, area)
    tones = style.tones(names)
    for row in (_row_of(frame, number, area) for number in range(frame.height)):
        if not row.spots:
            canvas.text(area.left, row.y, "n/a", style.palette.quiet)
            continue
        _draw_row(canvas, area, kind, row, tones, options.exact)
        if written:
            _write_values(canvas, kind, row, written)
    for (x, text, anchor), tone in zip(heads, tones, strict=False):
        color = style.palette.quiet if kind is DotKind.RANGE else style.palette.readable(tone)
        canvas.text(x, style.line * 0.5, text, color, weight=600, anchor=anchor)
    key = () if heads else key_of(style, names, "dot")
    return Chart(area.height, svg=canvas.svg(), key=key, logged=others_note(style, names))


def _measure(
    style: Style, frame: Frame, box: float | None, kind: DotKind, options: ChartOptions,
    written: Writer | None, *, heads: bool,
) -> RowBox:  # fmt: skip
    values = frame.values
    texts = [written(value) for value in values if value is not None] if written else []
    room = _radius(style) + (style.widest(texts, 600) + BESIDE + 2 if written else 0)
    stick = kind is DotKind.STICK
    low = any((value or 0) < 0 for value in values)
    two_sided = kind in (DotKind.JOINED, DotKind.RANGE) or (stick and low)
    before = room if two_sided else 0.0 if stick else _radius(style)
    wants = RowRoom(before, room, zero=stick, axis=written is None, heads=heads)
    return measure_rows(style, frame, box, values, options, wants)


def _radius(style: Style) -> float:
    return style.label * 0.4


def _writer(frame: Frame, kind: DotKind, options: ChartOptions) -> Writer | None:
    """Return the formatter of the values beside dots; None if an axis shows them."""
    settings = options.values
    asked = settings.at or settings.count or settings.log or not settings.labels
    most = 2 if kind in (DotKind.JOINED, DotKind.RANGE) else 1
    if asked or len(frame.series) > most or frame.height > MOST_WRITTEN:
        return None
    return options.writer(frame.values)


@dataclass(frozen=True, slots=True)
class RowSpots:
    """The dots of a row in the order of their values, its name, and its height in pixels."""

    name: str
    y: float
    spots: Sequence[RowDot]


def _row_of(frame: Frame, row: int, area: RowBox) -> RowSpots:
    known = ((column.numbers[row], column.name, index) for index, column in enumerate(frame.series))
    spots = [
        RowDot(value, name if len(frame.series) > 1 else "", index, area.x(value))
        for value, name, index in known
        if value is not None
    ]
    return RowSpots(row_names(frame)[row], area.y(row), sorted(spots, key=lambda spot: spot.value))


def _draw_row(
    canvas: Canvas, area: RowBox, kind: DotKind, row: RowSpots, tones: Sequence[str], exact: Writer
) -> None:
    style = canvas.style
    palette, y, radius = style.palette, row.y, _radius(style)
    first, last = row.spots[0], row.spots[-1]
    if kind is DotKind.STICK:
        for spot in row.spots:
            canvas.line((area.x(0.0), y), (spot.x, y), tones[spot.series], max(2.0, style.stroke))
    elif kind is DotKind.JOINED and first.x < last.x:
        canvas.line((first.x, y), (last.x, y), palette.edge, 3)
    if kind is DotKind.RANGE:
        tall = radius * 1.7
        tip = f"{row.name}: {from_to(exact(first.value), exact(last.value))}"
        canvas.rect(first.x - 1, y - tall / 2, last.x - first.x + 2, tall, tones[0], tip=tip)
    else:
        for spot in row.spots:
            tip = f"{row.name}: {spot.name} {exact(spot.value)}".replace(":  ", ": ")
            canvas.circle(spot.x, y, radius, tones[spot.series], tip=tip, stroke=palette.paper)


def _write_values(canvas: Canvas, kind: DotKind, row: RowSpots, written: Writer) -> None:
    """Draw the values beside the first and the last dot of a row."""
    first, last, y, gap = row.spots[0], row.spots[-1], row.y, _radius(canvas.style) + BESIDE
    if kind in (DotKind.JOINED, DotKind.RANGE) and first.value != last.value:
        canvas.text(first.x - gap, y, written(first.value), weight=600, anchor="end")
    down = kind is DotKind.STICK and last.value < 0
    x = last.x - gap if down else last.x + gap
    canvas.text(x, y, written(last.value), weight=600, anchor="end" if down else "start")


def _heads(style: Style, frame: Frame, area: RowBox) -> list[tuple[float, str, str]]:
    """Return the names of two series above the ends of the first row; empty if they do not fit.

    Each has its position, its text and its anchor.
    """
    row = _row_of(frame, 0, area) if frame.height else RowSpots("", 0, ())
    if len(frame.series) != 2 or len(row.spots) != 2:
        return []
    middle, radius, gap = (row.spots[0].x + row.spots[1].x) / 2, _radius(style), style.label * 0.4
    left_end = min(row.spots[0].x + radius, middle - gap)
    right_start = max(row.spots[1].x - radius, middle + gap)
    widths = [style.text(spot.name, 600) for spot in row.spots]
    if left_end - widths[0] < 0 or right_start + widths[1] > style.inner:
        return []
    left, right = (left_end, row.spots[0].name, "end"), (right_start, row.spots[1].name, "start")
    return [left, right] if row.spots[0].series == 0 else [right, left]


def write_dots(screen: Screen, frame: Frame, options: ChartOptions, *, kind: DotKind) -> list[str]:
    """Return a line for each row: its dots, their connection, and its lowest and highest value."""
    several = len(frame.series) > 1
    named = several and kind is not DotKind.RANGE
    key = screen.keys(frame.names, SIGNS) if named else []
    shown = frame.latest(rows_shown(screen, frame.height, len(key)))
    values = frame.values
    written, axis = options.writer(values), places_axis(values, options, zero=kind is DotKind.STICK)
    amount = max((signs(written(value)) for value in values if value is not None), default=1) + 1
    rows = [[column.numbers[row] for column in shown.series] for row in range(shown.height)]
    known = [[value for value in row if value is not None] for row in rows]

    def draw(row: int, wide: int) -> str:
        if not known[row]:
            return "n/a"
        drawn = mark_line(screen, axis, _marks(screen, rows[row], kind), max(4, wide - amount))
        blanks = " " * max(0, wide - amount - signs(drawn))
        return f"{drawn}{blanks} {written(max(known[row]))}"

    least = [[written(min(some)) if some else "" for some in known]] if several else []
    lines = write_rows(screen, row_names(shown), least, draw)
    return [*lines, *key, *more_rows(frame.height - shown.height)]


def _marks(screen: Screen, numbers: Sequence[float | None], kind: DotKind) -> Iterator[RowMark]:
    """Yield the marks of a row: the connection of its dots, and the dots in the colours of their series."""
    known = [value for value in numbers if value is not None]
    known += [0.0] if kind is DotKind.STICK else []
    if kind is not DotKind.DOT:
        sign, tone = "█" if kind is DotKind.RANGE else "─", "" if kind is DotKind.JOINED else screen.tone(0)
        yield RowMark(min(known), max(known), sign, tone)
    for index, value in enumerate(numbers if kind is not DotKind.RANGE else ()):
        if value is not None:
            yield RowMark(value, value, SIGNS[index % len(SIGNS)], screen.tone(index))


def _dots(
    kind: DotKind, word: str, noun: str, title: str, order: float,
    step: Makes | None = None, *, legend: bool = True, log: bool = True,
) -> PlotType:  # fmt: skip
    """Return one type of dots in rows."""
    count = 2 if kind in (DotKind.JOINED, DotKind.RANGE) else 1
    reads = ("axis", "axis/sort", "axis/ticks", *(("legend",) if legend else ()))
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        draw=fit_rows(lambda style, frame, box, options: draw_dots(style, frame, box, kind, options)),
        terminal=partial(write_dots, kind=kind),
        describes=describe_greatest,
        reads=frozenset(reads),
        steps=(*USUAL, *((step,) if step is not None else ())),
        asks=lambda frame: series_asked(frame, count, "name,from,to" if count == 2 else "name,value"),
        sorted="rows",
        log=log,
        across=True,
        along=True,
    )


TYPES = (
    _dots(DotKind.DOT, "dot", "dot plot", "Dot plot", 8.1),
    _dots(DotKind.STICK, "lollipop", "lollipop chart", "Lollipops", 8.2, single, legend=False, log=False),
    _dots(DotKind.JOINED, "dumbbell", "dumbbell chart", "Dumbbells", 8.3),
    _dots(
        DotKind.RANGE, "range", "range chart", "Range bars", 8.4, partial(first_series, most=2), legend=False
    ),
)
