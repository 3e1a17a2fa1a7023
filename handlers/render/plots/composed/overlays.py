"""Parts over or beside the marks of a chart: lines over bars, trends, names of axes, and panels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, Draw, KeyEntry, Panel
from handlers.render.plots.charts.marks.canvas import Canvas, draw_grid, name_along, name_upward
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.charts.value_axis import Box, dashed_from, ticks_over, value_axis
from handlers.render.plots.data.frame import Column, Frame, common_unit
from handlers.render.plots.data.series import Trend, runs
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.point_series import point_columns
from handlers.render.plots.look.colors import NamedColors, plain_name
from handlers.render.plots.look.options import AxisOptions, ChartOptions, KeyPosition
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.shown_chart import FAINT, ShownChart
from handlers.words.language import say

PANEL = 0.3
"""Height of a panel of lines, as a share of the whole."""
LEAST_PANEL = 48.0
MOST_DOTS = 40
DOT = 1.87
"""Radius of a dot, relative to the root of its stroke."""
TINY = 1e-9
"""Share of the height below which bars on one side of zero are negligible."""


def draw_combined(draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw bars with the lines in their options."""
    if not options.lines:
        return draw(style, frame, box, options)
    chart = _on_axis(draw, style, frame, box, options) if options.lines_on_axis else None
    logged: tuple[str, ...] = ()
    if chart is None and options.lines_on_axis:
        logged = ("config/combo/place: both axes cannot have 0 at the same height: a panel is drawn",)
    made = chart or _in_panel(draw, style, frame, box, options)
    return replace(made, logged=(*made.logged, *logged))


def _values(lines: Sequence[Column]) -> list[float | None]:
    return [value for column in lines for value in column.numbers]


def _on_axis(
    draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions
) -> Chart | None:
    """Return the bars with lines over them and labels at the right; None if zero cannot be common to both."""
    count = ticks_over((box or style.height()) - 50)
    axis = value_axis(_values(options.lines), count, common_unit(options.lines))
    room = math.ceil(style.widest(axis.labels)) + 10
    key = KeyPosition.TOP if options.key.beside else options.key
    chart = draw(replace(style, width=style.width - room), frame, box, replace(options, key=key))
    scales = chart.scales
    if scales is None:
        return None
    above = scales.upward(0.0) / scales.height
    share, (low, high) = 1 - above, axis.domain
    if (share < TINY and low < 0) or (above < TINY and high > 0):
        return None
    span = max(high / above if above >= TINY else 0.0, -low / share if share >= TINY else 0.0)
    axis = replace(axis, domain=(-share * span, (1 - share) * span))
    field = Box(scales.left, scales.top, scales.width, scales.height, axis)
    canvas, color = Canvas(style), style.palette.readable(_tones(style, frame, options)[0])
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        y = field.y(tick) - 3 - style.label * 0.55
        canvas.text(field.right + room, y, label, color, anchor="end")
    return _with_lines(chart, canvas, field, frame, options)


def _in_panel(draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Return the bars with the lines in a panel above them."""
    tall = max(LEAST_PANEL, (box or style.height()) * PANEL)
    top = style.label + 8.0
    axis = value_axis(_values(options.lines), ticks_over(tall), common_unit(options.lines))
    room = math.ceil(style.widest(axis.labels)) + 10
    rest = None if box is None else max(24.0, box - tall)
    chart = draw(style, frame, rest, options)
    more = max(0.0, room - chart.scales.left) if chart.scales is not None else 0.0
    if more:
        chart = draw(replace(style, width=style.width - math.ceil(more)), frame, rest, options)
    if chart.scales is None:
        return chart
    left = math.ceil(more)
    field = Box(chart.scales.left + left, top, chart.scales.width, tall - top, axis)
    canvas = Canvas(style)
    draw_grid(canvas, field)
    return _with_lines(chart.in_frame(above=tall, left=left), canvas, field, frame, options)


def _tones(style: Style, frame: Frame, options: ChartOptions) -> tuple[str, ...]:
    """Return the colours of the lines, which follow those of the bars."""
    first = len(frame.series)
    usual = [style.category(first + index) for index in range(len(options.lines))]
    return style.named.of([column.name for column in options.lines], usual)


def _with_lines(chart: Chart, canvas: Canvas, field: Box, frame: Frame, options: ChartOptions) -> Chart:
    """Return the chart with lines from row to row in a field, and with its key.

    Lines have gaps, and dots if there are few rows. The key has the bars, unless their names are beside them.
    """
    style, step = canvas.style, field.width / max(1, frame.height)
    tones = _tones(style, frame, options)
    dashed = math.inf
    if chart.scales is not None:
        dashed = field.left + dashed_from(chart.scales.across, options.annotations)
    paths = [
        ([(field.left + (at + 0.5) * step, field.y(value)) for at, value in run], tone)
        for column, tone in zip(options.lines, tones, strict=True)
        for run in runs(enumerate(column.numbers))
    ]
    for color, width in ((style.palette.paper, style.stroke + 2.5), ("", style.stroke)):
        for spots, tone in paths:
            if len(spots) > 1:
                canvas.ray(spots, color or tone, width, dashed=dashed)
    for spots, tone in paths:
        for spot in spots if frame.height <= MOST_DOTS else ():
            canvas.circle(*spot, DOT * math.sqrt(style.stroke), tone)
    single = len(frame.series) == 1
    bars = (KeyEntry("square", style.category(0), frame.series[0].name),) if single else chart.key
    lines = (KeyEntry("line", tone, column.name) for column, tone in zip(options.lines, tones, strict=True))
    return replace(chart.in_frame(over=canvas.svg()), key=(*bars, *lines))


DASH = "7,4"


def draw_trends(draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a chart with the trends in its options."""
    chart = draw(style, frame, box, options)
    scales = chart.scales
    if not options.trends or scales is None or scales.at is None:
        return chart
    tones, canvas = _trend_tones(style, frame, options.trends), Canvas(style)
    for one, tone in zip(options.trends, tones, strict=True):
        start, end = ((scales.left + scales.at(place), scales.y(y)) for place, y in (one.start, one.end))
        canvas.line(start, end, style.palette.paper, style.stroke + 2, opacity=0.8)
        canvas.line(start, end, tone, style.stroke * 0.8, dash=DASH)
    tone = tones[0] if len(set(tones)) == 1 else style.palette.quiet
    key = (*chart.key, KeyEntry("dash", tone, say("trend" if len(tones) == 1 else "trends")))
    return replace(chart.in_frame(over=canvas.svg()), key=key)


def _trend_tones(style: Style, frame: Frame, trends: Sequence[Trend]) -> list[str]:
    """Return the colours of the series with trends."""
    columns = frame.names
    points = point_columns(frame, sized=False)
    names = columns
    if not any(one.name in columns for one in trends) and points is not None:
        names = list(points.series)
    by_name = dict(zip(names, style.tones(names), strict=True))
    return [by_name.get(one.name, style.category(one.series)) for one in trends]


def draw_named(
    kind: PlotType, draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions
) -> Chart:
    """Draw a chart of a type with its configured axis names, if it has axes."""
    lines = bool(options.along.name) + bool(options.values.name)
    if not lines or "axis" not in kind.reads:
        return draw(style, frame, box, options)
    chart, room = draw(style, frame, box, options), style.line + 2.0
    if chart.scales is not None and chart.scales.named:  # the chart writes the names itself
        return chart
    if box is not None:
        chart = draw(style, frame, max(24.0, box - lines * room), options)
    names = options.values.name, options.along.name
    lying = kind.across or (chart.scales is not None and chart.scales.lying)
    return _with_names(style, chart, names[::-1] if lying else names, room, rows=lying)


def _with_names(style: Style, chart: Chart, names: tuple[str, str], room: float, *, rows: bool) -> Chart:
    """Return the chart with the name of its vertical axis or its rows above, and of the other one below."""
    (upper, lower), canvas = names, Canvas(style)
    right = chart.scales.left + chart.scales.width if chart.scales is not None else style.inner
    if upper:
        name_upward(canvas, upper, -room / 2, arrow=not rows)
    if lower:
        name_along(canvas, lower, right, chart.height + room / 2)
    return chart.in_frame(above=room * bool(upper), below=room * bool(lower), over=canvas.svg())


LEAST_WIDTH, LEAST_HEIGHT, MOST_HEIGHT = 150, 110.0, 280.0
LOWEST, NARROWEST = 70.0, 90
"""Least height of a panel in a picture of a given height, and its least width if rows would be lower."""
GAP = 22
SHAPE, FOR_NOTES = 0.72, 0.25
"""Height of a panel, and of words above it, as shares of its width."""
MOST_BESIDE = 4


def draw_panels(
    shown: ShownChart, draw: Draw, style: Style, frame: Frame, box: float | None, options: ChartOptions
) -> Chart:
    """Draw all panels."""
    head = style.line + 4.0
    most = None if box is None else max(1, int((box + GAP) // (head + LOWEST + GAP)))
    columns, width = _columns(style, len(shown.panels), shown.settings.columns, most)
    panels = shown.panels if most is None else shown.panels[: columns * most]
    rows = math.ceil(len(panels) / columns)
    inside = replace(style, width=round(width) + 2 * style.padding)
    shape = SHAPE + (FOR_NOTES if options.annotations else 0)
    tall = None if shown.kind.lying else min(MOST_HEIGHT, max(LEAST_HEIGHT, width * shape))
    if box is not None:
        tall = max(LOWEST, (box - (rows - 1) * GAP) / rows - head)
    made = list[Panel]()
    charts = list[Chart]()
    y = marks = 0.0
    for first in range(0, len(panels), columns):
        some = panels[first : first + columns]
        drawn = [
            _draw_panel(draw, inside, shown, one, tall, options.along, first=one is some[0]) for one in some
        ]
        for at, (one, chart) in enumerate(zip(some, drawn, strict=True)):
            x = at * (width + GAP)
            name = cut(one.name, style.label, width, 600)
            title = text_line(0, style.label, name, style.label, style.palette.ink, weight=600)
            made += [Panel(x, y, Chart(head, svg=title)), Panel(x, y + head, chart)]
        charts += drawn
        y += head + max(chart.height for chart in drawn) + GAP
        marks += min(chart.area for chart in drawn)
    notes = tuple(dict.fromkeys(note for chart in charts for note in chart.notes))
    logged = dict.fromkeys(note for chart in charts for note in chart.logged if not shown.is_marked)
    more = len(shown.panels) - len(panels)
    notes += (f"{count_words(more, 'more panel')} in the data.",) if more else ()
    key = tuple(entry for entry in charts[0].key if entry.sign == "dash" or not shown.is_marked)
    return Chart(y - GAP, key=key, notes=notes, logged=tuple(logged), panels=tuple(made), marks=marks)


def _columns(style: Style, count: int, wanted: int, most_rows: int | None) -> tuple[int, float]:
    """Return the number of panels side by side, and their width: as many as fit, in even rows.

    If the rows do not fit below each other, there are more and narrower columns.
    """
    most = max(1, int((style.inner + GAP) / (LEAST_WIDTH + GAP)))
    columns = min(wanted or MOST_BESIDE, most, count)
    if most_rows is not None and math.ceil(count / columns) > most_rows:
        narrow = max(1, int((style.inner + GAP) / (NARROWEST + GAP)))
        columns = max(columns, min(narrow, math.ceil(count / most_rows)))
    if not wanted:
        columns = math.ceil(count / math.ceil(count / columns))
    return columns, (style.inner - (columns - 1) * GAP) / columns


def _draw_panel(
    draw: Draw, style: Style, shown: ShownChart, panel: ShownChart, box: float | None, along: AxisOptions,
    *, first: bool,
) -> Chart:  # fmt: skip
    """Return one panel; with a common axis only the first one in a row has labels."""
    options, frame = panel.options, panel.frame
    if not along.labels:
        options = replace(options, along=replace(options.along, labels=False, ticks=along.ticks))
    is_single = len(frame.series) == 1 and shown.kind.bars
    if shown.settings.shared and not (first or is_single):
        options = replace(options, values=replace(options.values, labels=False))
    key = KeyPosition.NONE if options.key is KeyPosition.NONE else KeyPosition.TOP
    if shown.is_marked:
        frame = shown.frame
        tone = style.named.of([panel.name], [style.category(0)])[0]
        faint = mix(style.palette.rest, style.palette.paper, FAINT)
        style = replace(style, named=NamedColors(((plain_name(panel.name), tone),), faint))
    return draw(style, frame, box, replace(options, key=key))
