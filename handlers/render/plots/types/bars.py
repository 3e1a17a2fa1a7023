"""Bars: sixteen types, grouped or stacked, vertical or horizontal, with an optional reversed value axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from handlers.render.plots.charts.chart import Chart, key_of
from handlers.render.plots.charts.horizontal_bars import bar_tips, draw_horizontal_bars
from handlers.render.plots.charts.line_box import LineKind
from handlers.render.plots.charts.lines import draw_lines
from handlers.render.plots.charts.marks.canvas import Canvas, draw_grid, draw_zero
from handlers.render.plots.charts.marks.row_box import rows_note
from handlers.render.plots.charts.names import (
    EndNames,
    Names,
    SeriesEnds,
    blank_names,
    draw_end_names,
    draw_names,
    names_lost,
    part_values,
    place_names,
    total_texts,
)
from handlers.render.plots.charts.value_axis import Box, rows_across, scales_of, ticks_over, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import parts_of_bars, stack_sums, totals
from handlers.render.plots.drawn.drawn_data import USUAL, sum_names
from handlers.render.plots.forms.terminal.screen import write_bars
from handlers.render.plots.look.options import AxisOptions, ChartOptions
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_greatest
from handlers.render.plots.shown.native_chart import native_bars

BESIDE = 0.06
"""Share of a bar's width that is free between it and the next bar of its group."""
INNER = {False: 0.26, True: 0.28}
"""Share of a step that is free between bars, by whether they are stacked."""
LOW_BOX = 100.0
"""Height in pixels below which vertical names would leave no room for bars."""
BARS_SHARE = 0.5
"""Share of a box's height that names leave to bars."""
LEAST_BAR, LEAST_EDGED = 2.0, 6.0
"""Width in pixels of the thinnest bar with the space beside it, and of the thinnest bar with an edge."""
LEAST_PLOT = 16.0
"""Least height in pixels of the box of bars."""
WIDEST_BAR = 7.0
"""Greatest width of a bar in heights of its label; wider steps have more space between bars."""


def draw_bars(
    style: Style, frame: Frame, box: float | None, options: ChartOptions, *, stacked: bool, turned: bool
) -> Chart:
    """Draw bars over the categories, or horizontal bars if their names do not fit."""
    width, whole, several = style.inner, frame, len(frame.series) > 1
    stacked = stacked and several
    most = max(1, int(width / LEAST_BAR / (1 if stacked else len(frame.series))))
    if frame.height > most and not options.lines:
        if not turned and _has_own_places(frame):
            area = draw_lines(style, frame, box, LineKind.STACKED if stacked else LineKind.AREA, options)
            return replace(area, logged=(*area.logged, "Drawn as an area, because bars would be too thin."))
        frame = frame.latest(most)
    step = width / max(1, frame.height)
    roomy = box is None or box >= (style.label + 2) * frame.height or box < LOW_BOX
    lie = not options.lines and roomy
    room = _room_of_names(style, frame, box)
    labels = place_names(style, frame, step, room, lie=lie) if options.along.labels else blank_names(frame)
    if labels is None:
        chart = draw_horizontal_bars(style, whole, box, options, stacked=stacked, turned=turned)
        return replace(chart, logged=(*chart.logged, "Drawn as horizontal bars, so that names fit."))
    height = box or style.height()
    if several:
        chart = _several(style, frame, labels, height, options, stacked=stacked, turned=turned, room=room)
    else:
        chart = _single(style, frame, labels, height, options, turned=turned)
    return replace(chart, notes=(*chart.notes, *rows_note(whole, frame)))


def _has_own_places(frame: Frame) -> bool:
    """Return whether each row is a different day or number, along which an area can be drawn."""
    return 0 < len(set(frame.positions)) == len(frame.positions)


def _room_of_names(style: Style, frame: Frame, box: float | None) -> float:
    """Return the greatest height in pixels of names below bars in a box, which leaves half of it to bars."""
    if box is None:
        return math.inf
    single = frame.series[0].numbers if len(frame.series) == 1 else ()
    below = style.line + 2 if any(value is not None and value < 0 for value in single) else 0
    return box * (1 - BARS_SHARE) - style.label - 8 - below


def _single(
    style: Style, frame: Frame, labels: Names, height: float, options: ChartOptions, *, turned: bool
) -> Chart:
    """Draw one series, with the value at each bar if all values fit, else with an axis."""
    width, series = style.inner, frame.series[0].numbers
    written = options.writer(series)
    texts = [written(value) for value in series]
    step = width / max(1, frame.height)
    settings = options.values
    asked = bool(settings.at or settings.count or settings.log) or not settings.labels
    on_bars = not asked and style.widest(texts, 600) <= step * 0.92
    axis = value_axis(series, ticks_over(height), "" if on_bars else options.unit, settings=settings)
    left = 0.0 if on_bars else math.ceil(style.widest(axis.labels)) + 10
    flat = all(not value for value in series)
    above = style.line + 4 if on_bars else style.label + 8
    down = any(value is not None and (value > 0 if turned else value < 0) for value in series)
    hanging = style.line + 2 if on_bars and down else 0
    below = labels.height + hanging
    plot = max(LEAST_PLOT, (height if not flat else height * 0.5) - above - below)
    domain = _tight(series, settings) if on_bars and not flat else axis.domain
    box = Box(left, above, width - left, plot, replace(axis, domain=domain, turned=turned))
    canvas = Canvas(style)
    if not on_bars:
        draw_grid(canvas, box)
    draw_names(canvas, box, labels, hanging)
    _draw_bars(canvas, frame, box, options, stacked=False)
    draw_zero(canvas, box)
    if on_bars:
        _write_values(canvas, frame, box, texts)
    notes = ("All values are 0.",) if flat and any(value == 0 for value in series) else ()
    scales = scales_of(box, rows_across(frame, box.width))
    height = plot + above + below
    return Chart(height, canvas.svg(), notes=notes, logged=labels.logged, scales=scales, marks=plot)


def _tight(values: Sequence[float | None], settings: AxisOptions) -> tuple[float, float]:
    present = [value for value in (*values, *settings.reach) if value is not None]
    low, high = min([0.0, *present, settings.low or 0.0]), max([0.0, *present, settings.high or 0.0])
    return low, high if high > low else low + 1


def _draw_bars(canvas: Canvas, frame: Frame, box: Box, options: ChartOptions, *, stacked: bool) -> float:
    """Draw the bars of all series. Return the total width of the bars of a row."""
    style, count = canvas.style, len(frame.series)
    step = box.width / max(1, frame.height)
    air = max(INNER[stacked], 1 - style.label * WIDEST_BAR / (step if stacked else step / count))
    wide = step * (1 - air)
    each = wide if stacked or count == 1 else wide / (count - BESIDE)
    tones = style.tones(frame.names)
    rows = style.row_tones(frame.categories, frame.series[0].numbers)
    tip = bar_tips(frame, options)
    for part in parts_of_bars(frame, stacked=stacked, outward=style.of_answers):
        left = box.left + (part.row + 0.5) * step - wide / 2 + (0 if stacked else part.series * each)
        y, end = box.y(part.base), box.y(part.base + part.value)
        canvas.rect(
            left, y, each if stacked or count == 1 else each * (1 - BESIDE), end - y,
            rows[part.row] if rows and count == 1 else tones[part.series],
            tip=tip(part),
            stroke=style.palette.paper if stacked and wide >= LEAST_EDGED else "",
            round_end="" if stacked else "top" if end < y else "bottom",
        )  # fmt: skip
    return wide


def _write_values(canvas: Canvas, frame: Frame, box: Box, texts: Sequence[str]) -> None:
    """Write the values beyond the ends of the bars; gaps are marked."""
    palette, step = canvas.style.palette, box.width / max(1, frame.height)
    for row, (value, text) in enumerate(zip(frame.series[0].numbers, texts, strict=True)):
        over = ((value or 0) >= 0) != box.axis.turned
        y = box.y(value or 0.0) + canvas.style.label * (-0.55 if over else 0.45) + (-4 if over else 4)
        shown, color = (text, palette.ink) if value is not None else ("n/a", palette.quiet)
        x = box.left + (row + 0.5) * step
        canvas.text(x, y, shown, color, weight=600, anchor="middle")


def _several(
    style: Style, frame: Frame, labels: Names, height: float, options: ChartOptions,
    *, stacked: bool, turned: bool, room: float,
) -> Chart:  # fmt: skip
    """Draw several series side by side or stacked; parts of the last stack are named if the names fit."""
    width, names = style.inner, frame.names
    spread = totals(frame) if stacked else frame.values
    axis = value_axis(spread, ticks_over(height), options.unit, settings=options.values)
    left, above = math.ceil(style.widest(axis.labels)) + 10, style.label + 8
    plot = max(LEAST_PLOT, height - above - labels.height)
    box = Box(left, above, width - left, plot, replace(axis, turned=turned))
    shown = _named_stack(style, frame, box, options) if stacked and not turned else None
    right = shown.room if shown else 0
    if options.along.labels:
        step = (width - left - right) / max(1, frame.height)
        labels = place_names(style, frame, step, room, lie=False) or labels
        plot = max(LEAST_PLOT, height - above - labels.height)
        box = replace(box, height=plot)
        shown = _named_stack(style, frame, box, options) if shown else None
    box = replace(box, width=width - left - right)
    canvas = Canvas(style)
    draw_grid(canvas, box)
    draw_names(canvas, box, labels)
    wide = _draw_bars(canvas, frame, box, options, stacked=stacked)
    draw_zero(canvas, box)
    _write_shares(canvas, frame, options, box, wide)
    unwritten = _write_totals(canvas, frame, options, box)
    if shown:
        draw_end_names(canvas, box, shown, style.tones(names))
    height, logged = plot + above + labels.height, (*names_lost(names, shown), *labels.logged, *unwritten)
    key, scales = () if shown else key_of(style, names), scales_of(box, rows_across(frame, box.width))
    return Chart(height, canvas.svg(), key=key, logged=logged, scales=scales, marks=plot)


def _named_stack(style: Style, frame: Frame, box: Box, options: ChartOptions) -> EndNames | None:
    """Return the names of the parts beside the last stack; None if a key names them."""
    if any(value is not None and value < 0 for column in frame.series for value in column.numbers):
        return None
    last = [column.numbers[-1] for column in frame.series]
    return SeriesEnds(style, box, frame.names, last, stacked=True).named(options)


def _write_shares(canvas: Canvas, frame: Frame, options: ChartOptions, box: Box, wide: float) -> None:
    """Write the shares in the middle of their parts, in bars `wide` pixels wide."""
    step, written = box.width / max(1, frame.height), options.shares and options.values.labels
    for part in part_values(canvas.style, frame, options, box.height, wide, lying=False) if written else ():
        x = box.left + (part.row + 0.5) * step
        canvas.text(x, box.y(part.middle), part.text, part.color, anchor="middle")


def _write_totals(canvas: Canvas, frame: Frame, options: ChartOptions, box: Box) -> tuple[str, ...]:
    """Write the sums of stacks above them; return a sentence if they do not fit."""
    texts, step = total_texts(frame, options), box.width / max(1, frame.height)
    if texts and canvas.style.widest(texts, 600) > step * 0.98:
        return ("config/value/labels: the totals do not fit above their stacks",)
    for row, (text, (end, _)) in enumerate(zip(texts, stack_sums(frame), strict=False)):
        x, y = box.left + (row + 0.5) * step, box.y(end) - canvas.style.label * 0.55 - 4
        canvas.text(x, y, text, weight=600, anchor="middle")
    return ()


BASES = {
    "bar": ("Bars", False),
    "gbar": ("Grouped bars", False),
    "sbar": ("Stacked bars", True),
    "abar": ("Summed bars", True),
}
TITLES = {"hbar": "Horizontal bars"}
READS = frozenset(("axis", "axis/sort", "axis/ticks", "legend", "notes", "split"))


def _bars() -> Iterator[PlotType]:
    """Yield each base plain (""), horizontal (h), with a reversed value axis (i), and both (ih)."""
    for base, (title, stacked) in BASES.items():
        for prefix in ("", "h", "i", "ih"):
            yield _bar(prefix + base, prefix, title, stacked=stacked)


def _bar(word: str, prefix: str, title: str, *, stacked: bool) -> PlotType:
    """Return one type of bars."""
    lying, turned = "h" in prefix, "i" in prefix
    draw = draw_horizontal_bars if lying else draw_bars
    added = (partial(sum_names, logged=False),) if word.endswith("abar") else ()
    said = f"{title}{', horizontal' if lying else ''}{', reversed' if turned else ''}"
    return PlotType(
        word=word,
        noun="stacked bar chart" if stacked else "bar chart",
        title=TITLES.get(word, said),
        order=1,
        draw=partial(draw, stacked=stacked, turned=turned),
        terminal=partial(write_bars, stacked=stacked),
        describes=describe_greatest,
        native=native_bars,
        reads=READS
        | (frozenset() if lying else {"combo"})
        | ({"axis/stack"} if stacked else frozenset())
        | ({"value/labels"} if stacked and not turned else frozenset()),
        steps=(*USUAL, *added),
        sorted="sums" if stacked else "rows",
        from_zero=True,
        bars=True,
        lying=lying,
        turned=turned,
        stacked=stacked,
        along=True,
    )


TYPES = tuple(_bars())
