"""Notes on a chart: texts above it at their positions, lines at values, and bands behind the marks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from handlers.render.plots.charts.chart import Chart, Draw, spread_apart
from handlers.render.plots.charts.line_box import places_of
from handlers.render.plots.charts.marks.canvas import Canvas, Place
from handlers.render.plots.charts.value_axis import Scales
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.annotations import Annotation
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import text_width, wrap

LETTERS = 8.5
"""Width of a note in font sizes: about 16 letters."""
MOST_LEVELS = 4
MOST_SHARE = 0.34
"""Share of a given height that the texts of notes may take."""
BAND = {"light": 0.09, "dark": 0.18}
GAP = 5
MOST_LOOKED_AT = 2_000
"""Most rows for which texts avoid the lines of the chart."""


@dataclass(frozen=True, slots=True)
class Flag:
    """The text of a note: its lines, its position, and the start and end of its text, in pixels."""

    note: Annotation
    lines: tuple[str, ...]
    at: float
    left: float
    right: float

    @property
    def turned(self) -> bool:
        """Whether the text is before its position, because there is no room after it."""
        return self.left < self.at


def draw_annotated(draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a chart with the notes in its options."""
    chart = draw(style, frame, box, options)
    if not options.annotations:
        return chart
    if chart.scales is None:
        return replace(chart, logged=(*chart.logged, "config/notes: this chart has no place for notes"))
    flags, below, logged = _flags(style, chart.scales, options.annotations)
    levels, more = _levels(flags, _most_levels(style, box))
    tops = _tops(style, levels)
    room = -tops[-1][1] if tops else 0.0
    if box is not None and room:
        chart = draw(style, frame, max(24.0, box - room), options)
    below = [*below, *(flag.note for flag in more)]
    sentences = tuple(f"{note.sentence}." for note in below if note.text)
    made = _with_notes(chart, Canvas(style), frame, options.annotations, tops)
    return replace(made, notes=(*sentences, *made.notes), logged=(*made.logged, *logged))


def _most_levels(style: Style, box: float | None) -> int:
    if box is None:
        return MOST_LEVELS
    return min(MOST_LEVELS, int(box * MOST_SHARE / (2 * style.source * 1.2)))


def _flags(
    style: Style, scales: Scales, notes: Sequence[Annotation]
) -> tuple[list[Flag], list[Annotation], list[str]]:
    """Return the texts above the chart, notes to list below it, and sentences on notes without a position."""
    flags, below, logged = list[Flag](), list[Annotation](), list[str]()
    for note in notes:
        span = _span(scales, note)
        if span is None:
            logged.append(f'config/notes: line {note.line}: "{note.places}" is no place along this chart')
        elif scales.lying and not note.upward:
            below.append(note)
        elif note.text and note.upward == scales.lying:
            width = min(LETTERS * style.source, scales.width * 0.45)
            lines = tuple(wrap(note.text, style.source, width, 400, 3))
            wide = max(text_width(line, style.source, 400) for line in lines)
            gap = 0 if span[1] > span[0] else GAP
            at, left = span[0], span[0] + gap
            if left + wide > scales.width + 2:
                at, left = span[1], max(0.0, span[1] - gap - wide)
            flags.append(Flag(note, lines, at, left, left + wide))
    return flags, below, logged


def _span(scales: Scales, note: Annotation) -> tuple[float, float] | None:
    """Return the pixels of a note along its axis, smaller first; for a row its whole step."""
    if note.upward:
        places = [scales.upward(value) for value in note.values]
        return min(places), max(places)
    first = scales.across(note.start)
    last = scales.across(note.end) if note.end else first
    if first is None or last is None:
        return None
    return min(first[0], last[0]), max(first[1], last[1])


def _levels(flags: Sequence[Flag], most: int) -> tuple[list[list[Flag]], list[Flag]]:
    """Return the texts on levels above the chart, the lowest first, and those that do not fit.

    From right to left, each gets the lowest free level, so that no line crosses a text. Texts to the left of
    their position are above all lines that they would cover.
    """
    levels: list[list[Flag]] = [[] for _ in range(most)]
    more = list[Flag]()
    forward = sorted((flag for flag in flags if not flag.turned), key=lambda flag: -flag.left)
    turned = sorted((flag for flag in flags if flag.turned), key=lambda flag: flag.left)
    for flag in (*forward, *turned):
        hidden = [
            at for at, level in enumerate(levels) for one in level if flag.left - GAP <= one.at <= flag.at
        ]
        start = max(hidden, default=-1) + 1 if flag.turned else 0
        free = (at for at in range(start, most) if all(_apart(flag, one) for one in levels[at]))
        place = next(free, None)
        if place is None:
            more.append(flag)
        else:
            levels[place].append(flag)
    return [level for level in levels if level], more


def _apart(one: Flag, other: Flag) -> bool:
    return one.right + 2 * GAP <= other.left or other.right + 2 * GAP <= one.left


def _with_notes(
    chart: Chart, over: Canvas, frame: Frame, notes: Sequence[Annotation], tops: Sequence[tuple[Flag, float]]
) -> Chart:
    """Return the chart with bands behind its marks, and lines and texts `over` them."""
    scales, ground = chart.scales, Canvas(over.style)
    if scales is None:
        return chart
    _draw_spans(ground, scales, notes, bands=True)
    _draw_spans(over, scales, notes, bands=False)
    for flag, height in tops:
        span = _span(scales, flag.note)
        if span is not None and span[0] == span[1]:
            x = scales.left + flag.at
            _draw_line(over, flag.note, (x, height), (x, scales.top + scales.height))
    _write_flags(over, scales, tops)
    _write_values(over, scales, frame, notes)
    room = -tops[-1][1] if tops else 0.0
    return chart.in_frame(above=room, behind=ground.svg(), over=over.svg())


def _tops(style: Style, levels: Sequence[Sequence[Flag]]) -> list[tuple[Flag, float]]:
    """Return each flag with the pixel above the chart at which its text begins, the highest last."""
    placed, foot = list[tuple[Flag, float]](), 0.0
    for level in levels:
        foot -= max(len(flag.lines) for flag in level) * style.source * 1.2 + 4
        placed += [(flag, foot) for flag in level]
    return placed


def _draw_spans(canvas: Canvas, scales: Scales, notes: Sequence[Annotation], *, bands: bool) -> None:
    """Draw the bands of notes, or the lines of those without a text above."""
    for note in notes:
        span = _span(scales, note)
        if span is None or note.dashed or (scales.lying and not note.upward):
            continue
        flat = note.upward != scales.lying
        start, end = span
        x, x2, y, y2 = (0.0, scales.width, start, end) if flat else (start, end, 0.0, scales.height)
        left, top = scales.left + x, scales.top + y
        if bands and end > start:
            canvas.rect(left, top, x2 - x, y2 - y, canvas.style.palette.ink, opacity=BAND[canvas.style.mode])
        elif not bands and end == start and (flat or not note.text):
            _draw_line(canvas, note, (left, top), (scales.left + x2, scales.top + y2))


def _draw_line(canvas: Canvas, note: Annotation, start: Place, end: Place) -> None:
    """Draw the line of a note; that of a value is dashed."""
    canvas.line(start, end, canvas.style.palette.ink, 1, dash="4 3" if note.upward else "")


def _write(canvas: Canvas, x: float, y: float, text: str, anchor: str) -> None:
    """Write a line of a note's text with a halo."""
    style = canvas.style
    canvas.text(x, y, text, size=style.source, anchor=anchor, halo=(style.palette.paper, 4))


def _write_flags(canvas: Canvas, scales: Scales, tops: Sequence[tuple[Flag, float]]) -> None:
    step = canvas.style.source * 1.2
    for flag, height in tops:
        x, anchor = (flag.right, "end") if flag.turned else (flag.left, "start")
        for at, line in enumerate(flag.lines):
            _write(canvas, scales.left + x, height + (at + 0.5) * step, line, anchor)


def _write_values(canvas: Canvas, scales: Scales, frame: Frame, notes: Sequence[Annotation]) -> None:
    """Write the texts of horizontal lines and bands: above a line and below the upper end of a band.

    They are at the right end, or at the left one if fewer lines cross them there.
    """
    named = [note for note in notes if note.upward and note.text] if not scales.lying else []
    size = canvas.style.source
    step = size * 1.25
    wanted = [min(map(scales.upward, note.values)) + step * (0.6 if note.end else -0.55) for note in named]
    placed = spread_apart(wanted, step, -step, scales.height - step * 0.5) if wanted else []
    lines = list(_lines_drawn(scales, frame))
    for note, y in zip(named, placed, strict=True):
        wide = text_width(note.text, size, 400)
        box = (y - step / 2, y + step / 2)
        right = _crossings(lines, (scales.width - 2 - wide, scales.width), box)
        turned = right > _crossings(lines, (0.0, wide + 2), box)
        x, anchor = (2.0, "start") if turned else (scales.width - 2, "end")
        _write(canvas, scales.left + x, scales.top + y, note.text, anchor)


def _lines_drawn(scales: Scales, frame: Frame) -> Iterator[tuple[float, float, float, float]]:
    """Yield the segments of a chart's lines in pixels from the left and the top."""
    if scales.at is None or scales.named or frame.height > MOST_LOOKED_AT:
        return
    places = [scales.at(place) for place in places_of(frame)]
    for column in frame.series:
        spots = list(zip(places, column.numbers, strict=True))
        for (x, value), (x2, value2) in itertools.pairwise(spots):
            if value is not None and value2 is not None:
                yield x, x2, scales.upward(value), scales.upward(value2)


def _crossings(
    lines: Sequence[tuple[float, float, float, float]], across: tuple[float, float], down: tuple[float, float]
) -> int:
    """Return the number of segments that cross a box."""
    return sum(
        x <= across[1] and x2 >= across[0] and min(y, y2) <= down[1] and max(y, y2) >= down[0]
        for x, x2, y, y2 in lines
    )
