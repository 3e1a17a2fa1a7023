"""Gantt charts: a bar for each task from its start to its end, over days or numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from handlers.render.plots.charts.calendar_ticks import CalendarTick, TickRoom, calendar_ticks
from handlers.render.plots.charts.chart import Chart, KeyEntry, key_of
from handlers.render.plots.charts.marks.canvas import LABELS, Canvas
from handlers.render.plots.charts.marks.row_box import (
    BELOW,
    GAP,
    RowBox,
    draw_rows,
    fit_rows,
    place_rows,
    row_stretches,
)
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.dates_written import EPOCH, milliseconds
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import AS_YEARS, alone
from handlers.render.plots.drawn.column_roles import (
    ANY,
    NUMBERS,
    PLACES,
    WORDS,
    ColumnRole,
    asking,
    find_roles,
    log_unused,
)
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names
from handlers.render.plots.forms.terminal.screen import Screen, more_rows, rows_shown, signs, write_rows
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST
from handlers.words.language import from_to, language, say

ROLES = (
    ColumnRole("name", ("task", "name", "what", "item", "activity"), ANY),
    ColumnRole("start", ("start", "from", "begin", "begins", "starts"), PLACES),
    ColumnRole("end", ("end", "to", "until", "finish", "ends", "due"), PLACES),
    ColumnRole("group", ("group", "phase", "team", "who", "owner", "stream", "lane"), WORDS),
    ColumnRole("done", ("done", "progress", "complete", "completed"), NUMBERS, by_place=False),
)
DAY = 864e5
STILL = 0.5
"""Share of the background colour in the part of a bar that is not done."""
YEARS = range(1500, 2200)


@dataclass(frozen=True, slots=True)
class TaskSpan:
    """A task: its name, its start and end (None: a milestone), its group, and the share that is done.

    Positions are milliseconds since 1970, or numbers. `said` are start and end as written.
    """

    name: str
    start: float
    end: float | None
    group: str
    done: float | None
    said: str


def span_roles(frame: Frame) -> Mapping[str, Column]:
    """Return the columns by role; empty unless start and end are both dates or both numbers."""
    found = find_roles(frame.columns, ROLES, "name", "start", "end")
    return found if found and found["start"].type is found["end"].type else {}


def gantt_frame(frame: Frame, out: LeftOut) -> Frame:
    """Return the drawn columns of rows with a start; other rows are noted."""
    found = span_roles(frame)
    if not found:
        return frame
    log_unused(frame, list(found.values()), out)
    names = found["name"].texts
    starts, ends = _places(found["start"]), _places(found["end"], inclusive=True)
    kept = [row for row, start in enumerate(starts) if start is not None]
    if len(kept) < frame.height:
        out.show(f"{count_words(frame.height - len(kept), 'row')} left out: no start.")
    turned = [row for row in kept if (end := ends[row]) is not None and end < (starts[row] or 0.0)]
    if turned:
        turned_names = quote_names(names[row] for row in turned)
        out.show(f"{count_words(len(turned), 'row')} left out: the end is before the start: {turned_names}.")
    kept = [row for row in kept if row not in set(turned)]
    columns = tuple(replace(column, name=role) for role, column in found.items())
    return frame.of_columns(*columns).of_rows(kept)


def task_spans(frame: Frame) -> list[TaskSpan]:
    """Return the tasks of a frame from `gantt_frame`."""
    found = {column.name: column for column in frame.columns}
    starts, ends = _places(found["start"]), _places(found["end"], inclusive=True)
    done = found["done"].numbers if "done" in found else (None,) * frame.height
    groups = found["group"].texts if "group" in found else ("",) * frame.height
    per_cent = any(share is not None and share > 1 for share in done)
    spans = []
    for row, name in enumerate(found["name"].texts):
        start, share = starts[row], done[row]
        share = None if share is None else min(1.0, max(0.0, share / (100 if per_cent else 1)))
        first, last = found["start"].texts[row], found["end"].texts[row]
        said = from_to(first, last) if ends[row] is not None else first
        if start is not None:
            spans.append(TaskSpan(name, start, ends[row], groups[row], share, said))
    return spans


def is_dated(frame: Frame) -> bool:
    """Return whether the tasks of a frame have dates rather than numbers."""
    return any(column.name == "start" and column.type is ColumnType.DATE for column in frame.columns)


def number_unit(frame: Frame) -> str:
    """Return the unit of the numbers of tasks; years have no thousands separators."""
    (start,) = (column for column in frame.columns if column.name == "start")
    known = [number for number in start.numbers if number is not None]
    years = bool(known) and all(number in YEARS for number in known)
    return AS_YEARS if years and not start.unit else start.unit


def _places(column: Column, *, inclusive: bool = False) -> list[float | None]:
    """Return the positions in a column; with `inclusive`, the ends of the periods that dates name."""
    if column.type is ColumnType.NUMBER:
        return list(column.numbers)
    return [
        None if date is None else float(milliseconds(_end_of(date, text) if inclusive else date))
        for date, text in zip(column.dates, column.texts, strict=True)
    ]


def _end_of(date: datetime, text: str) -> datetime:
    """Return the end of the period that a date names: a year, a quarter, a month, a week or a day."""
    if date.hour or date.minute or date.second or ":" in text:
        return date
    written = text.strip().upper()
    of_month = len(written) == 7 and "W" not in written
    months = 12 if len(written) == 4 else 3 if "Q" in written else 1 if of_month else 0
    if not months:
        days = 7 if "W" in written and len(written) <= 8 else 1
        return date + timedelta(days=days) if date.year < 9999 else date
    month = date.month - 1 + months
    year = date.year + month // 12
    return date.replace(year=year, month=month % 12 + 1) if year <= 9999 else date


def draw_gantt(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a row for each task in the order of the data; groups have colours, milestones are diamonds."""
    tasks = task_spans(frame)
    area, ticks = _measure(style, frame, box, tasks)
    groups = list(dict.fromkeys(task.group for task in tasks))
    tones = dict(zip(groups, style.tones(groups), strict=True))
    canvas = Canvas(style)
    _draw_ticks(canvas, area, ticks)
    draw_rows(canvas, area, axis=False)
    for row, task in enumerate(tasks):
        _draw_task(canvas, area, row, task, tones[task.group])
    key = key_of(style, [group or say("no group") for group in groups])
    if any(task.done is not None for task in tasks):
        pale = mix(style.category(0), style.palette.paper, STILL)
        key = (*key, KeyEntry("square", pale, say("not done yet")))
    return Chart(area.height, svg=canvas.svg(), key=key)


def _measure(
    style: Style, frame: Frame, box: float | None, tasks: Sequence[TaskSpan]
) -> tuple[RowBox, Sequence[CalendarTick]]:
    """Return the box of the rows, and the ticks of its axis of days or numbers."""
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
    return RowBox(rows, left, right, top, axis), ticks


def _ticks(
    style: Style, frame: Frame, ends: tuple[float, float], width: float
) -> tuple[Sequence[CalendarTick], tuple[float, float]]:
    """Return ticks of days or of numbers, and the ends of the axis."""
    if is_dated(frame):
        first, last = (EPOCH + timedelta(milliseconds=end) for end in ends)
        clock = any(column.clock for column in frame.columns)
        finest = timedelta(minutes=1) if clock else timedelta(days=1)
        return calendar_ticks(first, last, TickRoom.of_pixels(width, style.label), finest), ends
    axis = value_axis(ends, max(2, min(9, round(width / (style.label * 7)))), number_unit(frame), zero=False)
    labels = zip(axis.ticks, axis.labels, strict=True)
    return [CalendarTick(tick, (label,)) for tick, label in labels], axis.domain


def _draw_ticks(canvas: Canvas, rows: RowBox, ticks: Sequence[CalendarTick]) -> None:
    """Draw the grid, and the labels above it; labels at the edges are moved inside."""
    style, palette = canvas.style, canvas.style.palette
    inside = [tick for tick in ticks if rows.left - 1 <= rows.x(tick.at) <= rows.right + 1]
    grid = [((rows.x(tick.at), a), (rows.x(tick.at), b)) for a, b in row_stretches(rows) for tick in inside]
    canvas.grid(grid, palette.grid)
    for tick in inside:
        for at, line in enumerate(tick.lines):
            half = style.text(line) / 2
            x = min(max(rows.x(tick.at), half), style.inner - half)
            y = rows.top - 5 - style.line * (at + 0.5)
            canvas.text(x, y, line, palette.quiet, anchor="middle", group=LABELS)


def _draw_task(canvas: Canvas, rows: RowBox, row: int, task: TaskSpan, tone: str) -> None:
    style = canvas.style
    y, tall, start = rows.y(row), rows.rows.bar, rows.x(task.start)
    done = "" if task.done is None else ", " + say("%s done") % language().percent(task.done)
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


def write_tasks(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line for each task: the done part filled, the rest shaded; a milestone is a diamond."""
    tasks = task_spans(frame)
    groups = list(dict.fromkeys(task.group for task in tasks))
    named = [group or say("no group") for group in groups]
    key = screen.keys(named) if len(groups) > 1 and screen.colored else []
    shown = tasks[: rows_shown(screen, len(tasks), 1 + len(key))]
    low = min(task.start for task in tasks)
    high = max(task.start if task.end is None else task.end for task in tasks)
    first, last = _ends(frame, low, high)

    def draw(row: int, wide: int) -> str:
        if row == len(shown):
            gap = wide - signs(first) - signs(last)
            return first + " " * gap + last if gap > 0 else first
        task, each = shown[row], (wide - 1) / ((high - low) or 1.0)
        start = " " * round((task.start - low) * each)
        return start + screen.paint(_bar(task, each), screen.tone(groups.index(task.group)))

    lines = write_rows(screen, [*(task.name for task in shown), ""], (), draw)
    return [*lines, *key, *more_rows(len(tasks) - len(shown))]


def _bar(task: TaskSpan, each: float) -> str:
    """Return the characters of a task."""
    if task.end is None:
        return "◆"
    length = max(1, round((task.end - task.start) * each))
    full = length if task.done is None else round(length * task.done)
    return "█" * full + "░" * (length - full)


def _ends(frame: Frame, low: float, high: float) -> tuple[str, str]:
    """Return the first and the last day or number as texts."""
    if not is_dated(frame):
        unit = number_unit(frame)
        return alone(low, unit), alone(high, unit)
    first, last = (EPOCH + timedelta(milliseconds=end) for end in (low, high))
    clock = any(column.clock for column in frame.columns)
    if clock:
        return f"{first:%Y-%m-%d %H:%M}", f"{last:%Y-%m-%d %H:%M}"
    over = any(task.end == high for task in task_spans(frame))
    return f"{first:%Y-%m-%d}", f"{max(first, last - timedelta(days=1)) if over else last:%Y-%m-%d}"


def _describe_tasks(frame: Frame, unit: str) -> list[str]:
    """Return the first start, the last end, and the longest task."""
    tasks = task_spans(frame)
    first = min(tasks, key=lambda task: task.start)
    last = max(tasks, key=lambda task: task.end or task.start)
    longest = max(tasks, key=lambda task: (task.end or task.start) - task.start)
    return [
        say("first %s") % f"{first.name[:LONGEST]}, {first.said}",
        say("last %s") % f"{last.name[:LONGEST]}, {last.said}",
        say("longest %s") % f"{longest.name[:LONGEST]}, {longest.said}",
    ]


def _starts(frame: Frame) -> list[float] | None:
    """Return the starts of the tasks; None for other frames."""
    known = any(column.name == "start" for column in frame.columns)
    return [task.start for task in task_spans(frame)] if known else None


TYPES = (
    PlotType(
        word="gantt",
        noun="gantt chart",
        title="Gantt chart",
        order=10,
        example=(
            "task,start,end,team,done\nPlan,2026-01-05,2026-01-30,A,1\n"
            "Build,2026-02-02,2026-04-10,B,0.4\nOpen,2026-04-13,,A,\n"
        ),
        draw=fit_rows(draw_gantt, lines_above=2.0),
        terminal=write_tasks,
        describes=_describe_tasks,
        reads=frozenset(("axis/sort", "legend")),
        steps=(gantt_frame,),
        asks=asking(
            span_roles, "tasks with a start and an end, both dates or both numbers, such as task,start,end"
        ),
        dated=True,
        starts=_starts,
    ),
)
