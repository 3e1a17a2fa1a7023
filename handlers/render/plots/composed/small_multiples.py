"""Small multiples: the panels of a split chart side by side, each with its name above it."""

from __future__ import annotations

import math
from dataclasses import replace

from handlers.render.plots.charts.chart import Chart, Draw, Panel
from handlers.render.plots.charts.sheet import text_line
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.look.colors import NamedColors, plain_name
from handlers.render.plots.look.options import AxisOptions, ChartOptions, KeyPosition
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.shown.shown_chart import FAINT, ShownChart, ShownPanel

LEAST_WIDTH, LEAST_HEIGHT, MOST_HEIGHT = 150, 110.0, 280.0
LOWEST, NARROWEST = 70.0, 90
"""Least height of a panel in a picture of a given height; its width where rows would be lower."""
GAP = 22
SHAPE, FOR_NOTES = 0.72, 0.25
"""Height of a panel, and of words above it, as shares of its width."""
MOST_BESIDE = 4


def draw_panels(draw: Draw, shown: ShownChart) -> Draw:
    """Return the drawing of all panels."""

    def draw_all(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
        head = style.line + 4.0
        most = _most_rows(box, head)
        columns, width = _columns(style, len(shown.panels), shown.split_columns, most)
        panels = shown.panels if most is None else shown.panels[: columns * most]
        rows = math.ceil(len(panels) / columns)
        lying = shown.kind.lying
        shape = SHAPE + (FOR_NOTES if options.annotations else 0)
        tall = None if lying else min(MOST_HEIGHT, max(LEAST_HEIGHT, width * shape))
        if box is not None:
            tall = max(LOWEST, (box - (rows - 1) * GAP) / rows - head)
        made = list[Panel]()
        charts = list[Chart]()
        y = marks = 0.0
        for first in range(0, len(panels), columns):
            some = panels[first : first + columns]
            along, size = options.along, (width, tall)
            drawn = [
                _draw_panel(draw, style, shown, one, size, at, along=along) for at, one in enumerate(some)
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
        told = dict.fromkeys(note for chart in charts for note in chart.told if not shown.is_marked)
        more = len(shown.panels) - len(panels)
        notes += (f"{count_words(more, 'more panel')} in the data.",) if more else ()
        key = tuple(entry for entry in charts[0].key if entry.sign == "dash" or not shown.is_marked)
        return Chart(y - GAP, key=key, notes=notes, told=tuple(told), panels=tuple(made), marks=marks)

    return draw_all


def _most_rows(box: float | None, head: float) -> int | None:
    """Return the number of rows of panels that fit into a height, at least one."""
    return None if box is None else max(1, int((box + GAP) // (head + LOWEST + GAP)))


def _columns(style: Style, count: int, wished: int, most_rows: int | None) -> tuple[int, float]:
    """Return the number of panels side by side, and their width: as many as fit, in even rows.

    If the rows do not fit below each other, there are more and narrower columns.
    """
    most = max(1, int((style.inner + GAP) / (LEAST_WIDTH + GAP)))
    columns = min(wished or MOST_BESIDE, most, count)
    if most_rows is not None and math.ceil(count / columns) > most_rows:
        narrow = max(1, int((style.inner + GAP) / (NARROWEST + GAP)))
        columns = max(columns, min(narrow, math.ceil(count / most_rows)))
    if not wished:
        columns = math.ceil(count / math.ceil(count / columns))
    return columns, (style.inner - (columns - 1) * GAP) / columns


def _draw_panel(
    draw: Draw,
    style: Style,
    shown: ShownChart,
    panel: ShownPanel,
    size: tuple[float, float | None],
    at: int,
    *,
    along: AxisOptions,
) -> Chart:
    """Return one panel; with a common axis only the first one in a row has labels."""
    width, tall = size
    inside = replace(style, width=round(width) + 2 * style.padding)
    options, frame = panel.shown.options, panel.shown.frame
    if not along.labels:
        options = replace(options, along=replace(options.along, labels=False, ticks=along.ticks))
    is_single = len(frame.series) == 1 and shown.kind.bars
    if at and shown.split_shared and not is_single:
        options = replace(options, values=replace(options.values, labels=False))
    key = KeyPosition.NONE if options.key is KeyPosition.NONE else KeyPosition.TOP
    if shown.is_marked:
        frame = shown.frame
        tone = style.named.of([panel.name], [style.category(0)])[0]
        faint = mix(style.palette.rest, style.palette.paper, FAINT)
        inside = replace(inside, named=NamedColors(((plain_name(panel.name), tone),), faint))
    return draw(inside, frame, tall, replace(options, key=key))
