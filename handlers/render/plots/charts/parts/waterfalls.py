"""Waterfalls: bars that begin where the one before ended, and bars from zero for totals."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import RowBox, RowRoom, draw_rows, draw_zero, measure_rows
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.running_sums import SumStep, sum_steps
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.style import Style

MOST_WRITTEN = 40
BESIDE = 5


def draw_waterfall(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row for each step, the first on top, hair lines from bar to bar, and what each adds at its end."""
    steps, wishes = sum_steps(frame), options.values
    asked = bool(wishes.at or wishes.count) or not wishes.labels
    written = None if asked or len(steps) > MOST_WRITTEN else options.writer([one.change for one in steps])
    texts = [step_text(step, written) for step in steps] if written else [""] * len(steps)
    room = style.widest(texts, 600) + BESIDE + 2 if written else 0.0
    ends = [value for step in steps for value in (step.start, step.end)]
    before = room if any(_to_the_left(step) for step in steps) else 0.0
    wants = RowRoom(before, room, zero=True, axis=written is None)
    area = measure_rows(style, frame, box, ends, options, wants)
    canvas = Canvas()
    draw_rows(canvas, style, area, axis=written is None)
    if written is not None:
        draw_zero(canvas, style, area)
    _draw_steps(canvas, style, area, steps, texts, options)
    return Chart(area.height, svg=canvas.svg(), key=_key(style, steps))


def step_text(step: SumStep, written: Writer) -> str:
    """Text of what a step adds, with its sign; of a total its sum."""
    if step.end is None:
        return "n/a"
    sign = "+" if step.change > 0 and not step.total else ""
    return f"{sign}{written(step.change)}"


def _to_the_left(step: SumStep) -> bool:
    """Whether the text of a step stands to the left of its bar, as all of the bar is below zero."""
    ends = (step.start, step.start if step.end is None else step.end)
    return min(ends) < 0 >= max(ends)


def _tone(style: Style, step: SumStep) -> str:
    return style.palette.edge if step.total else style.category(1 if step.change < 0 else 0)


def _draw_steps(
    canvas: Canvas, style: Style, area: RowBox, steps: Sequence[SumStep], texts: Sequence[str],
    options: ChartOptions,
) -> None:  # fmt: skip
    palette, tall = style.palette, area.rows.bar
    for row, step in enumerate(steps[:-1]):
        after = steps[row + 1]
        x = area.x(after.start if not after.total else (step.end if step.end is not None else step.start))
        for start, end in _hair(style, area, row, x):
            canvas.line((x, start), (x, end), palette.edge, 1)
    for row, (step, text) in enumerate(zip(steps, texts, strict=True)):
        y, start = area.y(row), area.x(step.start)
        end = start if step.end is None else area.x(step.end)
        if step.end is not None:
            sign = "" if step.total else "+" if step.change > 0 else ""
            tip = f"{step.name}: {sign}{options.write(step.change)}"
            if not step.total:
                tip += f", then {options.write(step.end)}"
            left, wide = min(start, end), max(1.0, abs(end - start))
            canvas.rect(left, y - tall / 2, wide, tall, _tone(style, step), tip=tip)
        ink = palette.quiet if step.end is None else palette.ink
        weight = 700 if step.total else 600
        if _to_the_left(step):
            canvas.text(min(start, end) - BESIDE, y, text, style.label, ink, weight=weight, anchor="end")
        else:
            canvas.text(max(start, end) + BESIDE, y, text, style.label, ink, weight=weight)


def _hair(style: Style, area: RowBox, row: int, x: float) -> list[tuple[float, float]]:
    """The stretches of the line from a bar to the next, around a name that stands between them."""
    start, end = area.y(row) + area.rows.bar / 2, area.y(row + 1) - area.rows.bar / 2
    if not area.rows.above or style.widest(area.rows.lines[row + 1]) + 3 < x:
        return [(start, end)]
    name = area.top + (row + 1) * area.rows.row
    return [(start, name), (name + len(area.rows.lines[row + 1]) * style.line + 3, end)]


def _key(style: Style, steps: Sequence[SumStep]) -> tuple[KeyEntry, ...]:
    """The colours of what adds, of what takes away, and of sums, as far as they are there."""
    kinds = (
        ("adds", style.category(0), any(s.change > 0 and not s.total for s in steps)),
        ("takes away", style.category(1), any(s.change < 0 and not s.total for s in steps)),
        ("sum", style.palette.edge, any(step.total for step in steps)),
    )
    return tuple(KeyEntry("square", color, word) for word, color, there in kinds if there)
