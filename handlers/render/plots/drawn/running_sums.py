"""Running sums: the rows of a waterfall, each from the sum of those before it, and its totals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.column_roles import ANY, WORDS, ColumnRole, find_roles, tell_unused
from handlers.render.plots.drawn.left_out import LeftOut

TOTALS = frozenset(("total", "totals", "sum", "subtotal", "result", "yes", "true", "x", "="))
"""Words by which a row is marked as a sum, in any case."""
ROLES = (
    ColumnRole("name", ("name", "item", "line"), ANY),
    ColumnRole("value", ("value", "amount", "change", "delta")),
    ColumnRole("total", ("total", "totals", "sum", "kind", "type"), WORDS),
)
NEAR = 1e-6


@dataclass(frozen=True, slots=True)
class SumStep:
    """A row of a waterfall: where it begins and where it ends; None for a gap, which changes nothing."""

    name: str
    start: float
    end: float | None
    total: bool = False

    @property
    def change(self) -> float:
        """The amount that the row adds; of a total its whole sum."""
        end = self.start if self.end is None else self.end
        return end if self.total else end - self.start


def sum_steps(frame: Frame) -> list[SumStep]:
    """The rows of a frame that `waterfall_frame` made."""
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
    """The columns by their roles; none without names and values."""
    found = find_roles(frame, ROLES)
    return found if {"name", "value"} <= found.keys() else {}


def waterfall_frame(frame: Frame, out: LeftOut) -> Frame:
    """The names, the values and the marks of totals; a total that its rows do not add up to is told."""
    found = sum_roles(frame)
    if not found:
        return frame
    words = found.get("total")
    marks = tuple(text.strip().lower() in TOTALS for text in words.texts) if words else ()
    name, value = found["name"], found["value"]
    used = [name, value, *([words] if words is not None and any(marks) else [])]
    tell_unused(frame, used, out)
    texts = tuple("total" if marked else "" for marked in marks)
    columns = (
        Column(name.name, ColumnType.TEXT, name.texts),
        value,
        *([Column("total", ColumnType.TEXT, texts)] if any(marks) else []),
    )
    made = replace(frame, columns=columns, heads=())
    _tell_sums(made, out)
    return made


def _tell_sums(frame: Frame, out: LeftOut) -> None:
    """Name the totals that differ from what the rows before them add up to, and the gaps."""
    running, values = 0.0, frame.columns[1].numbers
    for row, step in enumerate(sum_steps(frame)):
        if step.total and step.end is not None:
            value = values[row]
            if row and value is not None and not math.isclose(value, running, rel_tol=NEAR, abs_tol=NEAR):
                added = alone(running)
                out.show(f'"{step.name[:40]}" is {alone(value)}, and the rows before it add up to {added}.')
            running = step.end
        elif step.end is None:
            out.tell(f'"{step.name[:40]}" has no value and changes nothing.')
        else:
            running = step.end
