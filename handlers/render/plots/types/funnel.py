"""Funnels: amounts that remain from step to step."""

from __future__ import annotations

import math

from handlers.render.plots.charts.chart import Chart
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import (
    GAP,
    LEAST_MARKS,
    RowBox,
    draw_rows,
    fit_rows,
    narrow_rows,
    place_rows,
)
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import lacks_positive, series_asked
from handlers.render.plots.drawn.drawn_data import USUAL, single
from handlers.render.plots.forms.terminal.screen import Screen, more_rows, rows_shown, write_rows
from handlers.render.plots.look.options import ChartOptions, write_number
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import language, say

PALEST = 0.35


def draw_funnel(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the steps in the order of the rows, the first on top."""
    values = frame.series[0].numbers
    written = options.writer(values)
    most = max(0.0, *(value or 0.0 for value in values)) or 1.0
    texts = [written(value) if value is not None else "n/a" for value in values]
    shares = [share_words(frame, row, short=style.narrow) for row in range(frame.height)]
    before, after = style.widest(texts, 600) + 8, style.widest(shares) + 8
    top = 2.0
    rows = place_rows(style, frame, 1, None if box is None else max(20.0, box - top))
    rows = narrow_rows(style, rows, style.inner - GAP - before - after - LEAST_MARKS)
    left = math.ceil(rows.column) + GAP if rows.column else 0.0
    axis = ValueAxis((0.0, most), ("", ""), (0.0, most))
    right = max(left + before + 24, style.inner - after)
    area = RowBox(rows, left + before, right, top, axis)
    canvas, middle = Canvas(style), (left + before + right) / 2
    draw_rows(canvas, area, axis=False)
    names, each = row_names(frame), (area.right - area.left) / most
    wides = [max(1.0, each * max(0.0, value or 0.0)) for value in values]
    widest = max((wide for wide, words in zip(wides, shares, strict=True) if words), default=0.0)
    beside = min(middle + widest / 2 + GAP, style.inner - style.widest(shares))
    for row, value in enumerate(values):
        y, tall = area.y(row), max(area.rows.bar, area.rows.row - 3 if not area.rows.above else 0.0)
        canvas.text(left + before - 8, y, texts[row], weight=600, anchor="end")
        canvas.text(beside, y, shares[row], style.palette.quiet)
        if value is not None:
            wide = wides[row]
            tone = mix(style.category(0), style.palette.paper, PALEST * row / max(1, frame.height - 1))
            tip = f"{names[row]}: {options.exact(value)}, {shares[row]}".removesuffix(", ")
            canvas.rect(middle - wide / 2, y - tall / 2, wide, tall, tone, tip=tip)
    return Chart(area.height, svg=canvas.svg())


def share_words(frame: Frame, row: int, *, short: bool) -> str:
    """Return the share of the first step and, unless `short`, of the step before; "" for the first step."""
    values = frame.series[0].numbers
    value, first, last = values[row], values[0], values[row - 1] if row else None
    if value is None or not row:
        return ""
    words = [write_number(value / first, ".0%")] if first else []
    if last and row > 1 and not short:
        words.append(say("%s of the step before") % write_number(value / last, ".0%"))
    return ", ".join(words)


def write_funnel(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return centred bars, each with its amount and its share of the first."""
    shown = frame.first(rows_shown(screen, frame.height))
    values, written = shown.series[0].numbers, options.writer(frame.series[0].numbers)
    first, most = values[0], max(0.0, *(value or 0.0 for value in frame.series[0].numbers)) or 1.0
    shares = [language().percent(one / first) if one is not None and first else "" for one in values]

    def draw(row: int, wide: int) -> str:
        length = round(max(0.0, values[row] or 0.0) / most * wide)
        return " " * ((wide - length) // 2) + screen.paint("█" * length, screen.tone(0))

    lines = write_rows(screen, row_names(shown), ([written(value) for value in values], shares), draw)
    return [*lines, *more_rows(frame.height - shown.height)]


def _describe_steps(frame: Frame, unit: str) -> list[str]:
    """Return the first and the last step, and the share that remains."""
    known = [(value, name) for value, name in zip(frame.series[0].numbers, frame.categories, strict=True)
             if value is not None]  # fmt: skip
    (first, begin), (last, end) = known[0], known[-1]
    share = ", " + say("%s of the first") % language().percent(last / first) if first else ""
    return [
        alone(first, unit) + say(" at %s") % begin[:LONGEST],
        alone(last, unit) + say(" at %s") % end[:LONGEST] + share,
    ]


TYPES = (
    PlotType(
        word="funnel",
        noun="funnel",
        title="Funnel",
        order=9.3,
        example="step,people\nSeen,120\nTried,45\nBought,12\n",
        draw=fit_rows(draw_funnel, lines_above=0.0, keep=Frame.first),
        terminal=write_funnel,
        describes=_describe_steps,
        reads=frozenset(("axis/sort",)),
        steps=(*USUAL, single),
        asks=lambda frame: series_asked(frame, 1, "step,people"),
        lacks=lacks_positive,
        units="one",
        sorted="rows",
    ),
)
