"""Gantt charts: a bar for each task from its start to its end, over days or numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from handlers.render.plots.charts.bar_rows import place_rows
from handlers.render.plots.charts.calendar_ticks import CalendarTick, TickRoom, calendar_ticks
from handlers.render.plots.charts.chart import Chart, KeyEntry, key_of
from handlers.render.plots.charts.marks.canvas import Canvas
from handlers.render.plots.charts.marks.row_box import BELOW, GAP, RowBox, draw_rows, row_stretches
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.dates_written import EPOCH
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.drawn.spans import TaskSpan, is_dated, number_unit, task_spans
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style

DAY = 864e5
STILL = 0.5
"""The share by which the part of a bar that is not done is mixed with the ground."""


@dataclass(frozen=True, slots=True)
class TimeBox:
    """The box of the rows, and the ticks of its axis of days or numbers."""

    rows: RowBox
    ticks: Sequence[CalendarTick]


def draw_gantt(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row for each task in the order of the data; groups have a colour each, milestones are diamonds."""
    tasks = task_spans(frame)
    area = _measure(style, frame, box, tasks)
    groups = list(dict.fromkeys(task.group for task in tasks))
    tones = dict(zip(groups, style.tones(groups), strict=True))
    canvas = Canvas()
    _draw_ticks(canvas, style, area)
    draw_rows(canvas, style, area.rows, axis=False)
    for row, task in enumerate(tasks):
        _draw_task(canvas, style, area.rows, row, task, tones[task.group])
    key = key_of(style, [group or "no group" for group in groups])
    if any(task.done is not None for task in tasks):
        key = (*key, KeyEntry("square", mix(style.category(0), style.palette.paper, STILL), "not done yet"))
    return Chart(area.rows.height, svg=canvas.svg(), key=key)


def _measure(style: Style, frame: Frame, box: float | None, tasks: Sequence[TaskSpan]) -> TimeBox:
    """The box, first as wide as it may be, then without what the first and the last label take."""
    low = min(task.start for task in tasks)
    high = max(task.start if task.end is None else task.end for task in tasks)
    dated = is_dated(frame)
    high = high if high > low else low + (DAY if dated else 1.0)
    names = Frame((Column("task", ColumnType.TEXT, tuple(task.name for task in tasks)),))
    top = style.line * (2.0 if dated else 1.0) + 8
    rows = place_rows(style, names, 1, None if box is None else max(20.0, box - top - BELOW))
    left = math.ceil(rows.column) + GAP if rows.column else style.label * 0.6
    right = style.inner - style.label * 0.6
    ticks, ends = _ticks(style, frame, (low, high), right - left)
    axis = ValueAxis(ends, ("", ""), ends)
    return TimeBox(RowBox(rows, left, right, top, len(tasks), axis), ticks)


def _ticks(
    style: Style, frame: Frame, ends: tuple[float, float], width: float
) -> tuple[Sequence[CalendarTick], tuple[float, float]]:
    """Ticks of days or of numbers, and the ends of the axis."""
    if is_dated(frame):
        first, last = (EPOCH + timedelta(milliseconds=end) for end in ends)
        clock = any(column.clock for column in frame.columns)
        finest = timedelta(minutes=1) if clock else timedelta(days=1)
        return calendar_ticks(first, last, TickRoom.of_pixels(width, style.label), finest), ends
    axis = value_axis(ends, max(2, min(9, round(width / (style.label * 7)))), number_unit(frame), zero=False)
    labels = zip(axis.ticks, axis.labels, strict=True)
    return [CalendarTick(tick, (label,)) for tick, label in labels], axis.domain


def _draw_ticks(canvas: Canvas, style: Style, area: TimeBox) -> None:
    """The grid, and the labels above it, those at the edges moved inside."""
    rows, palette = area.rows, style.palette
    inside = [tick for tick in area.ticks if rows.left - 1 <= rows.x(tick.at) <= rows.right + 1]
    grid = [((rows.x(tick.at), a), (rows.x(tick.at), b)) for a, b in row_stretches(rows) for tick in inside]
    canvas.grid(grid, palette.grid)
    for tick in inside:
        for at, line in enumerate(tick.lines):
            half = style.text(line) / 2
            x = min(max(rows.x(tick.at), half), style.inner - half)
            y = rows.top - 5 - style.line * (at + 0.5)
            canvas.text(
                x, y, line, style.label, palette.quiet, anchor="middle", group="mark-text role-axis-label"
            )


def _draw_task(canvas: Canvas, style: Style, rows: RowBox, row: int, task: TaskSpan, tone: str) -> None:
    y, tall, start = rows.y(row), rows.rows.bar, rows.x(task.start)
    done = "" if task.done is None else f", {task.done:.0%} done"
    group = f" ({task.group})" if task.group else ""
    tip = f"{task.name}{group}: {task.said}{done}"
    if task.end is None:
        half = min(tall, style.label) * 0.55
        path = f"M0,{-half:.2f}L{half:.2f},0L0,{half:.2f}L{-half:.2f},0Z"
        canvas.path("symbol", path, fill=tone, stroke=style.palette.paper, tip=tip, at=(start, y))
        return
    wide = max(2.0, rows.x(task.end) - start)
    ground = tone if task.done is None else mix(tone, style.palette.paper, STILL)
    canvas.rect(start, y - tall / 2, wide, tall, ground, tip=tip)
    if task.done:
        canvas.rect(start, y - tall / 2, wide * task.done, tall, tone, tip=tip)
