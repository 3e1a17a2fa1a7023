"""Gantt charts: a bar for each task from its start to its end."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.marks.row_fit import fit_rows
from handlers.render.plots.charts.spans.gantt import draw_gantt
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.drawn.data_steps import MOST_BARS, first_rows
from handlers.render.plots.drawn.spans import gantt_frame, span_roles, task_spans
from handlers.render.plots.forms.terminal import spans as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST


def _tell_tasks(frame: Frame, unit: str) -> list[str]:
    """The first start, the last end, and the longest task."""
    tasks = task_spans(frame)
    first = min(tasks, key=lambda task: task.start)
    last = max(tasks, key=lambda task: task.end or task.start)
    longest = max(tasks, key=lambda task: (task.end or task.start) - task.start)
    return [
        f"first {first.name[:LONGEST]}, {first.said}",
        f"last {last.name[:LONGEST]}, {last.said}",
        f"longest {longest.name[:LONGEST]}, {longest.said}",
    ]


def _asked(frame: Frame) -> str:
    if span_roles(frame):
        return ""
    return "tasks with a start and an end, both dates or both numbers, such as task,start,end"


TYPES = (
    PlotType(
        word="gantt",
        noun="gantt chart",
        title="Tasks",
        order=10,
        example=(
            "task,start,end,team,done\nPlan,2026-01-05,2026-01-30,A,1\n"
            "Build,2026-02-02,2026-04-10,B,0.4\nOpen,2026-04-13,,A,\n"
        ),
        drawing=(
            '<path class="p1" d="M3 4h13v4H3zM12 12h14v4H12z"/><path class="p2" d="M22 20h11v4H22z"/>'
            '<path class="p1" d="M36 18l2 4-2 4-2-4z"/>'
        ),
        draw=fit_rows(draw_gantt, lines_above=2.0),
        terminal=terminal.draw_tasks,
        tells=_tell_tasks,
        reads=frozenset(("axis/sort", "legend")),
        steps=(gantt_frame,),
        last_steps=(partial(first_rows, most=MOST_BARS),),
        asks=_asked,
        dated=True,
        sorted="tasks",
        rows=True,
    ),
)
