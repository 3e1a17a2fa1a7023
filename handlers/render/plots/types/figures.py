"""Single figures: the last value of a series in large type, its change, and a spark line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from handlers.render.plots.charts.chart import Chart, Draw
from handlers.render.plots.charts.line_box import places_of
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.data.dates_written import row_called, row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import MINUS, PER_CENT, alone
from handlers.render.plots.data.series import thin
from handlers.render.plots.drawn.drawn_data import USUAL, order_rows, single
from handlers.render.plots.forms.terminal.screen import Screen, block_line, signs
from handlers.render.plots.forms.terminal.table import on_any_ground
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut, text_width
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_last
from handlers.words.language import say

LEAST_SPARK = 28.0
"""Least height in pixels of a visible spark line."""
BEFORE = "before"
"""Name of a compared value whose row has no name."""


def draw_figure(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the last value, its change since the one before, and a line of all values.

    In a low height the line is beside the figure; in a lower one, the line and then the change are left out.
    """
    palette, (places, values) = style.palette, _values_at_places(frame)
    last = values[-1]
    size = _figure_size(style, box)
    text = options.write(last)
    while size > style.label and text_width(text, size, 700) > style.inner * 0.9:
        size -= 1
    parts = [text_line(0, size * 0.8, text, size, palette.ink, weight=700)]
    height = size
    before, name = compared_with(frame, options)
    wants = style.title * 1.6 + style.subtitle * 1.6 * (before is not None)
    if before is not None and (box is None or height + style.subtitle * 1.4 <= box):
        tones = {True: palette.good, False: palette.bad, None: palette.quiet}
        color = tones[is_good(before, last, options)]
        change = cut(change_of(before, last, name, options), style.subtitle, style.inner, 600)
        parts.append(text_line(0, size + style.subtitle * 1.1, change, style.subtitle, color, weight=600))
        height += style.subtitle * 1.6
    if len(values) > 2:
        tall = max(36.0, style.inner * 0.1)
        if box is not None:
            tall = min(box - height - 10, style.inner * 0.3)
        beside = text_width(text, size, 700) + style.label * 2
        if tall >= LEAST_SPARK:
            line = spark_line(style, places, values, style.inner, tall)
            parts.append(f'<g transform="translate(0,{height + 6:g})">{line}</g>')
            height += tall + 10
        elif style.inner - beside >= LEAST_SPARK * 2:
            left = max(beside, style.inner * 0.5)
            line = spark_line(style, places, values, style.inner - left, size * 0.72)
            parts.append(f'<g transform="translate({left:g},{size * 0.1:g})">{line}</g>')
    return Chart(height, svg="".join(parts), wants=wants)


def _figure_size(style: Style, box: float | None) -> float:
    """Return the font size of the figure in pixels; in a given height, the change fits below it."""
    size = style.title * 2.4
    if box is None:
        return size
    over_change = box - style.subtitle * 1.6
    return max(style.label, min(size, over_change if over_change >= style.title else box))


def draw_spark(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw only the line of a series, with its last value at its end."""
    places, values = _values_at_places(frame)
    text = options.write(values[-1])
    room = text_width(text, style.title, 700) + 12
    tall = max(40.0, style.inner * 0.14)
    tall = tall if box is None else max(style.title * 1.1, min(tall, box))
    y, ink = tall * 0.5 + style.title * 0.35, style.palette.ink
    end = text_line(style.inner, y, text, style.title, ink, weight=700, anchor="end")
    line = spark_line(style, places, values, style.inner - room, tall)
    return Chart(tall, svg=line + end, wants=style.title * 1.1)


def _values_at_places(frame: Frame) -> tuple[list[float], list[float]]:
    """Return the places and the values of the first series, sorted by time or number along it."""
    frame = frame.sorted_along()
    pairs = zip(places_of(frame), frame.series[0].numbers, strict=True)
    known = [(place, value) for place, value in pairs if value is not None]
    return [place for place, _ in known], [value for _, value in known]


def spark_line(style: Style, places: list[float], values: list[float], width: float, height: float) -> str:
    """Return a line through values at their places, with a dot at its end and a pale area below it."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    pad = style.stroke * 1.6
    first, length = places[0], (places[-1] - places[0]) or 1.0
    flat = high == low
    kept = thin(list(zip(places, values, strict=True)), int(2 * width))
    last = (places[-1], values[-1])
    points = [
        (
            pad + (at - first) / length * (width - 2 * pad),
            height / 2 if flat else pad + (high - (value or 0.0)) / span * (height - 2 * pad),
        )
        for at, value in (*kept, *([] if kept[-1] == last else [last]))
    ]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    color = style.category(0)
    closed = f"{path}L{points[-1][0]:.1f} {height:g}L{points[0][0]:.1f} {height:g}Z"
    ground = f'<path d="{closed}" fill="{color}" fill-opacity="0.12"/>'
    joined = 'stroke-linejoin="round" stroke-linecap="round"'
    line = f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{style.stroke:g}" {joined}/>'
    x, y = points[-1]
    return f'{ground}{line}<circle cx="{x:.1f}" cy="{y:.1f}" r="{style.stroke * 1.5:g}" fill="{color}"/>'


def compared_with(frame: Frame, options: ChartOptions) -> tuple[float | None, str]:
    """Return the value that the last one is compared with, and its name.

    It is the previous value, or that of the configured row; None if there is no other value.
    """
    frame, settings = frame.sorted_along(), options.figure
    numbers = frame.series[0].numbers
    known = [row for row, value in enumerate(numbers) if value is not None]
    row = known[-2] if len(known) > 1 else None
    if settings.against:
        row = row_called(frame, settings.against)
    if row is None or row == known[-1]:
        return None, ""
    name = row_names(frame)[row].strip() if frame.axis is not None else ""
    return numbers[row], settings.than or name or say(BEFORE)


def change_of(before: float, last: float, name: str, options: ChartOptions) -> str:
    """Return the change between two values in words, such as `▲ 12% more than May (+3)`.

    The difference of shares is in percentage points. A change from zero or across it has no percentage.
    """
    difference = last - before
    if not difference:
        return f"▶ {say('as much as %s') % name}"
    arrow, sign = ("▲", "+") if difference > 0 else ("▼", MINUS)
    compared = say("%s more than %s" if difference > 0 else "%s less than %s")
    if options.in_per_cent:
        points = alone(abs(difference) * (100 if options.values.format or options.unit == PER_CENT else 1))
        counted = say("%s point" if points == "1" else "%s points") % points
        return f"{arrow} {compared % (counted, name)}"
    amount = options.write(abs(difference)).lstrip("+")
    if before <= 0 or last < 0:
        return f"{arrow} {compared % (amount, name)}"
    share = alone(abs(difference) / before, PER_CENT, digits=2)
    return f"{arrow} {compared % (share, name)} ({sign}{amount})"


def is_good(before: float, last: float, options: ChartOptions) -> bool | None:
    """Return whether a change is good; None if it is neither good nor bad."""
    good = options.figure.good
    if last == before or good == "none":
        return None
    return (last > before) == (good == "up")


EXAMPLE = "month,north,south\n2026-01,12,8\n2026-02,15,11\n2026-04,9,14\n2026-07,18,10\n"
TONES: Mapping[bool | None, str] = {True: on_any_ground(LIGHT.good), False: on_any_ground(LIGHT.bad)}
"""The colours of good and bad changes."""


def write_figure(screen: Screen, frame: Frame, options: ChartOptions, *, change: bool) -> list[str]:
    """Return the last value, its change, and all values as a line of blocks."""
    values = [value for value in frame.series[0].numbers if value is not None]
    last = options.write(values[-1])
    room = screen.columns if change else max(4, screen.columns - len(last) - 1)
    shown = values[-room:]
    line = screen.paint(block_line(shown, min(shown), max(shown)), screen.tone(0))
    if not change:
        return [f"{line} {last}"]
    before, name = compared_with(frame, options)
    lines = [line] if len(values) > 2 else []
    if before is None:
        return [last, *lines]
    words = screen.name(change_of(before, values[-1], name, options), screen.columns)
    tone = TONES.get(is_good(before, values[-1], options))
    painted = screen.paint(words, tone) if tone else words
    beside = signs(last) + 2 + signs(words) <= screen.columns
    return [*([f"{last}  {painted}"] if beside else [last, painted]), *lines]


def _figures(
    word: str, noun: str, title: str, order: float, draw: Draw, *reads: str, change: bool
) -> PlotType:
    """Return one type of single figures."""
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        rows=False,
        example=EXAMPLE,
        draw=draw,
        terminal=partial(write_figure, change=change),
        describes=describe_last,
        reads=frozenset(("value", *reads)),
        steps=(*USUAL, order_rows, single),
        years="unless",
        units="one",
        along=True,
    )


COMPARED = ("value/against", "value/good", "value/than")
TYPES = (
    _figures("spark", "spark line", "Spark line", 7.1, draw_spark, change=False),
    _figures("value", "figure", "Single number", 7.2, draw_figure, *COMPARED, change=True),
)
