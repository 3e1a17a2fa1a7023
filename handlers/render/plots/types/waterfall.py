"""Waterfall charts: changes and their running sums."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handlers.render.plots.charts.chart import Chart, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import (
    RowBox,
    RowRoom,
    draw_rows,
    draw_zero,
    fit_rows,
    measure_rows,
)
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ANY, WORDS, ColumnRole, asking, find_roles, log_unused
from handlers.render.plots.drawn.left_out import LeftOut
from handlers.render.plots.forms.terminal.screen import (
    RowMark,
    Screen,
    more_rows,
    places_axis,
    rows_shown,
    write_marks,
)
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import LIGHT
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import say

ROLES = (
    ColumnRole("name", ("name", "item", "line"), ANY),
    ColumnRole("value", ("value", "amount", "change", "delta")),
    ColumnRole("total", ("total", "totals", "sum", "kind", "type"), WORDS),
)
NEAR = 1e-6
MOST_WRITTEN = 40
BESIDE = 5


TOTALS = frozenset(("total", "totals", "sum", "subtotal", "result", "yes", "true", "x", "="))
"""Words that mark a row as a sum, in any case."""


@dataclass(frozen=True, slots=True)
class SumStep:
    """A row of a waterfall: its start and its end; an end of None is a gap, which changes nothing."""

    name: str
    start: float
    end: float | None
    total: bool = False

    @property
    def change(self) -> float:
        """The amount that the row adds; for a total its whole sum."""
        end = self.start if self.end is None else self.end
        return end if self.total else end - self.start

    @property
    def sign(self) -> str:
        """The sign before a change upward."""
        return "+" if self.change > 0 and not self.total else ""


def sum_steps(frame: Frame) -> list[SumStep]:
    """Return the rows of a frame from `waterfall_frame`."""
    marks = frame.columns[2].texts if len(frame.columns) > 2 else ("",) * frame.height
    steps, running = list[SumStep](), 0.0
    for name, value, mark in zip(frame.columns[0].texts, frame.columns[1].numbers, marks, strict=True):
        if mark:
            running = running if value is None else value
            steps.append(SumStep(name, 0.0, running, total=True))
        else:
            end = None if value is None else running + value
            steps.append(SumStep(name, running, end))
            running = running if end is None else end
    return steps


def sum_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns by role; empty without names and values."""
    return find_roles(frame.columns, ROLES, "name", "value")


def waterfall_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return the names, values and marks of totals; totals that differ from the sum are noted."""
    found = sum_roles(frame)
    if not found:
        return frame
    name, value, words = found["name"], found["value"], found.get("total")
    used, columns = [name, value], [Column(name.name, ColumnType.TEXT, name.texts), value]
    marks = ["total" if text.strip().lower() in TOTALS else "" for text in words.texts] if words else []
    if words is not None and any(marks):
        used.append(words)
        columns.append(Column("total", ColumnType.TEXT, tuple(marks)))
    log_unused(frame, used, out)
    made = frame.of_columns(*columns)
    _note_sums(made, out)
    return made


def _note_sums(frame: Frame, out: LeftOut) -> None:
    """Note the totals that differ from the sum of the rows before them, and the gaps."""
    running, values = 0.0, frame.columns[1].numbers
    for row, step in enumerate(sum_steps(frame)):
        if step.end is None:
            out.log(f'"{step.name[:40]}" has no value and changes nothing.')
            continue
        value = values[row] if step.total and row else None
        if value is not None and not math.isclose(value, running, rel_tol=NEAR, abs_tol=NEAR):
            sums = f"{alone(value)} ≠ {alone(running)}"
            out.show(f'"{step.name[:40]}" is not the sum of the rows before it: {sums}.')
        running = step.end


def draw_waterfall(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a row for each step from the top, thin lines between bars, and the changes at their ends."""
    steps, settings = sum_steps(frame), options.values
    asked = bool(settings.at or settings.count) or not settings.labels
    written = None if asked or len(steps) > MOST_WRITTEN else options.writer([one.change for one in steps])
    texts = [step_text(step, written) for step in steps] if written else [""] * len(steps)
    room = style.widest(texts, 600) + BESIDE + 2 if written else 0.0
    ends = [value for step in steps for value in (step.start, step.end)]
    before = room if any(_to_the_left(step) for step in steps) else 0.0
    wants = RowRoom(before, room, zero=True, axis=written is None)
    area = measure_rows(style, frame, box, ends, options, wants)
    canvas = Canvas(style)
    draw_rows(canvas, area, axis=written is None)
    if written is not None:
        draw_zero(canvas, area)
    _draw_steps(canvas, area, steps, texts, options)
    return Chart(area.height, svg=canvas.svg(), key=_key(style, steps))


def step_text(step: SumStep, written: Writer) -> str:
    """Return the change of a step as text with its sign; for a total its sum."""
    if step.end is None:
        return "n/a"
    return f"{step.sign}{written(step.change)}"


def _to_the_left(step: SumStep) -> bool:
    """Return whether the text of a step is to the left of its bar, because the bar is below zero."""
    ends = (step.start, step.start if step.end is None else step.end)
    return min(ends) < 0 >= max(ends)


def _tone(style: Style, step: SumStep) -> str:
    return style.palette.edge if step.total else style.category(1 if step.change < 0 else 0)


def _draw_steps(
    canvas: Canvas, area: RowBox, steps: Sequence[SumStep], texts: Sequence[str], options: ChartOptions
) -> None:
    style = canvas.style
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
            tip = f"{step.name}: {step.sign}{options.exact(step.change)}"
            if not step.total:
                tip += f" → {options.exact(step.end)}"
            left, wide = min(start, end), max(1.0, abs(end - start))
            canvas.rect(left, y - tall / 2, wide, tall, _tone(style, step), tip=tip)
        ink = palette.quiet if step.end is None else palette.ink
        weight = 700 if step.total else 600
        if _to_the_left(step):
            canvas.text(min(start, end) - BESIDE, y, text, ink, weight=weight, anchor="end")
        else:
            canvas.text(max(start, end) + BESIDE, y, text, ink, weight=weight)


def _hair(style: Style, area: RowBox, row: int, x: float) -> list[tuple[float, float]]:
    """Return the parts of the line from a bar to the next one, interrupted by a name between them."""
    start, end = area.y(row) + area.rows.bar / 2, area.y(row + 1) - area.rows.bar / 2
    if not area.rows.above or style.widest(area.rows.lines[row + 1]) + 3 < x:
        return [(start, end)]
    name = area.top + (row + 1) * area.rows.row
    return [(start, name), (name + len(area.rows.lines[row + 1]) * style.line + 3, end)]


def _key(style: Style, steps: Sequence[SumStep]) -> tuple[KeyEntry, ...]:
    """Return the colours of increases, decreases and sums that occur."""
    kinds = (
        ("adds", style.category(0), any(s.change > 0 and not s.total for s in steps)),
        ("takes away", style.category(1), any(s.change < 0 and not s.total for s in steps)),
        ("sum", style.palette.edge, any(step.total for step in steps)),
    )
    return tuple(KeyEntry("square", color, say(word)) for word, color, there in kinds if there)


def write_sums(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line for each step of a waterfall: its bar from one sum to the next, and its change."""
    steps = sum_steps(frame)
    shown = steps[: rows_shown(screen, len(steps))]
    written = options.writer([step.change for step in steps])
    axis = places_axis([value for step in steps for value in (step.start, step.end)], options, zero=True)

    texts = [step_text(step, written) for step in shown]
    marks = [_marks(screen, step) for step in shown]
    lines = write_marks(screen, axis, [step.name for step in shown], [texts], marks)
    return [*lines, *more_rows(len(steps) - len(shown))]


def _marks(screen: Screen, step: SumStep) -> Iterator[RowMark]:
    if step.end is not None:
        sign = "█" if step.total or screen.colored else "▒" if step.change < 0 else "▓"
        color = LIGHT.edge if step.total else screen.tone(1 if step.change < 0 else 0)
        yield RowMark(step.start, step.end, sign, color)


def _describe_sums(frame: Frame, unit: str) -> list[str]:
    """Return the largest change, and the final sum."""
    steps = [step for step in sum_steps(frame) if step.end is not None]
    changes = [step for step in steps if not step.total] or steps
    top = max(changes, key=lambda step: abs(step.change))
    end = steps[-1].end or 0.0
    return [
        say("greatest change %s") % alone(top.change, unit) + say(" at %s") % top.name[:LONGEST],
        say("last %s") % alone(end, unit),
    ]


TYPES = (
    PlotType(
        word="waterfall",
        noun="waterfall chart",
        title="Waterfall",
        order=9.1,
        example="item,sum,kind\nSales,120,\nWages,-50,\nRent,-80,\nResult,,total\n",
        draw=fit_rows(draw_waterfall, keep=Frame.first),
        terminal=write_sums,
        describes=_describe_sums,
        reads=frozenset(("axis", "axis/ticks", "legend")),
        steps=(waterfall_frame,),
        asks=asking(sum_roles, "names and values, such as name,value,total"),
        across=True,
    ),
)
