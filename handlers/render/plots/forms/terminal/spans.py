"""Tasks in a terminal: a bar for each from its start to its end, and the ends of the whole below."""

from __future__ import annotations

from datetime import timedelta

from handlers.render.plots.data.dates_written import EPOCH
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.spans import TaskSpan, is_dated, number_unit, task_spans
from handlers.render.plots.forms.terminal.screen import Screen, more_rows
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions

DAY = timedelta(days=1)


def draw_tasks(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line for each task; what is done of it is full, the rest is shaded, a milestone is a diamond."""
    tasks = task_spans(frame)
    groups = list(dict.fromkeys(task.group for task in tasks))
    room = max(1, screen.rows - 1 - (len(groups) > 1))
    shown = tasks if len(tasks) <= room else tasks[: max(1, room - 1)]
    names = [screen.name(task.name, screen.columns // 3) for task in shown]
    label = max(map(signs, names))
    wide = max(6, screen.columns - label - 1)
    low = min(task.start for task in tasks)
    high = max(task.start if task.end is None else task.end for task in tasks)
    each = (wide - 1) / ((high - low) or 1.0)
    lines = []
    for name, task in zip(names, shown, strict=True):
        start = round((task.start - low) * each)
        drawn = screen.paint(_bar(task, each), screen.tone(groups.index(task.group)))
        lines.append(f"{place_line(name, label, 'right')} {' ' * start}{drawn}")
    first, last = _ends(frame, low, high)
    ends = first + last.rjust(max(0, wide - signs(first))) if signs(first) + signs(last) < wide else first
    key = _keys(screen, groups) if len(groups) > 1 and screen.colored else []
    return [*lines, " " * (label + 1) + ends, *key, *more_rows(len(tasks) - len(shown))]


def _bar(task: TaskSpan, each: float) -> str:
    """The signs of a task."""
    if task.end is None:
        return "◆"
    length = max(1, round((task.end - task.start) * each))
    full = length if task.done is None else round(length * task.done)
    return "█" * full + "░" * (length - full)


def _ends(frame: Frame, low: float, high: float) -> tuple[str, str]:
    """The first and the last day or number."""
    if not is_dated(frame):
        unit = number_unit(frame)
        return alone(low, unit), alone(high, unit)
    first, last = (EPOCH + timedelta(milliseconds=end) for end in (low, high))
    clock = any(column.clock for column in frame.columns)
    if clock:
        return f"{first:%Y-%m-%d %H:%M}", f"{last:%Y-%m-%d %H:%M}"
    over = any(task.end == high for task in task_spans(frame))
    return f"{first:%Y-%m-%d}", f"{max(first, last - DAY) if over else last:%Y-%m-%d}"


def _keys(screen: Screen, groups: list[str]) -> list[str]:
    """The groups in their colours, in one line."""
    entries = [screen.paint(f"█ {screen.name(group or 'no group', 20)}", screen.tone(at)) for at, group in
               enumerate(groups[:4])]  # fmt: skip
    return ["  ".join(entries)]
