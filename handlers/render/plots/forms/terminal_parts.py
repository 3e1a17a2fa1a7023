"""Parts and sums in a terminal: waterfalls, treemaps, funnels and pyramids as bars of characters."""

from __future__ import annotations

from handlers.render.plots.charts.parts.waterfalls import step_text
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import spread_of
from handlers.render.plots.drawn.running_sums import sum_steps
from handlers.render.plots.forms.terminal_screen import Screen, more_rows
from handlers.render.plots.forms.terminal_text import place_line, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import LIGHT


def draw_sums(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """A line for each step of a waterfall: its bar from one sum to the next, and what it adds."""
    steps = sum_steps(frame)
    shown = steps if len(steps) <= screen.rows else steps[: max(1, screen.rows - 1)]
    written = options.writer([step.change for step in steps])
    texts = [step_text(step, written) for step in shown]
    names = [screen.name(step.name, screen.columns // 3) for step in shown]
    label, amount = max(map(signs, names)), max(map(signs, texts))
    room = max(8, screen.columns - label - amount - 2)
    low, high = spread_of([0.0, *(value for step in steps for value in (step.start, step.end))])
    each = (room - 1) / ((high - low) or 1.0)
    lines = []
    for step, name, text in zip(shown, names, texts, strict=True):
        ends = sorted(round((value - low) * each) for value in (step.start, step.end or step.start))
        if step.end is not None:
            ends = sorted(round((value - low) * each) for value in (step.start, step.end))
        sign = "█" if step.total or screen.colored else "▒" if step.change < 0 else "▓"
        color = LIGHT.edge if step.total else screen.tone(1 if step.change < 0 else 0)
        bar = screen.paint(sign * max(1, ends[1] - ends[0]), color) if step.end is not None else ""
        blank = " " * ends[0]
        lines.append(f"{place_line(name, label, 'right')} {place_line(text, amount, 'right')} {blank}{bar}")
    return [*lines, *more_rows(len(steps) - len(shown))]
