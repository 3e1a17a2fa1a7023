"""Spans: tasks with the days or numbers at which they start and end, as a gantt chart draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from handlers.render.plots.data.dates_written import milliseconds
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import AS_YEARS
from handlers.render.plots.drawn.column_roles import (
    ANY,
    NUMBERS,
    PLACES,
    WORDS,
    ColumnRole,
    find_roles,
    tell_unused,
)
from handlers.render.plots.drawn.left_out import LeftOut, count_words, quote_names

ROLES = (
    ColumnRole("name", ("task", "name", "what", "item", "activity"), ANY),
    ColumnRole("start", ("start", "from", "begin", "begins", "starts"), PLACES),
    ColumnRole("end", ("end", "to", "until", "finish", "ends", "due"), PLACES),
    ColumnRole("group", ("group", "phase", "team", "who", "owner", "stream", "lane"), WORDS),
    ColumnRole("done", ("done", "progress", "complete", "completed"), NUMBERS, by_place=False),
)
YEARS = range(1500, 2200)


@dataclass(frozen=True, slots=True)
class TaskSpan:
    """A task: its name, where it starts and ends (None: a milestone), its group, and the share that is done.

    Places are milliseconds since 1970, or numbers. `said` are its start and end as they were written.
    """

    name: str
    start: float
    end: float | None
    group: str
    done: float | None
    said: str


def span_roles(frame: Frame) -> Mapping[str, Column]:
    """The columns by their roles; none where the start and the end are not both dates or both numbers."""
    found = find_roles(frame, ROLES)
    if not {"name", "start", "end"} <= found.keys() or found["start"].type is not found["end"].type:
        return {}
    return found


def gantt_frame(frame: Frame, out: LeftOut) -> Frame:
    """The rows that have a start, with the columns that are drawn."""
    found = span_roles(frame)
    if not found:
        return frame
    tell_unused(frame, list(found.values()), out)
    names = found["name"].texts
    starts, ends = _places(found["start"]), _places(found["end"], inclusive=True)
    kept = [row for row, start in enumerate(starts) if start is not None]
    if len(kept) < frame.height:
        out.show(f"{count_words(frame.height - len(kept), 'row')} left out for want of a start.")
    turned = [row for row in kept if (end := ends[row]) is not None and end < (starts[row] or 0.0)]
    if turned:
        told = quote_names(names[row] for row in turned)
        out.show(f"{count_words(len(turned), 'row')} left out, which ends before it starts: {told}.")
    kept = [row for row in kept if row not in set(turned)]
    columns = tuple(replace(column, name=role) for role, column in found.items())
    return replace(frame, columns=columns, heads=()).of_rows(kept)


def task_spans(frame: Frame) -> list[TaskSpan]:
    """The tasks of a frame that `gantt_frame` made."""
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
        said = f"{first} to {last}" if ends[row] is not None else first
        if start is not None:
            spans.append(TaskSpan(name, start, ends[row], groups[row], share, said))
    return spans


def is_dated(frame: Frame) -> bool:
    """Whether the tasks of a frame lie along days, not numbers."""
    return any(column.name == "start" and column.type is ColumnType.DATE for column in frame.columns)


def number_unit(frame: Frame) -> str:
    """The unit of numbers along which tasks lie; years are written without groups."""
    (start,) = (column for column in frame.columns if column.name == "start")
    known = [number for number in start.numbers if number is not None]
    years = bool(known) and all(number in YEARS for number in known)
    return AS_YEARS if years and not start.unit else start.unit


def _places(column: Column, *, inclusive: bool = False) -> list[float | None]:
    """The places of a column; with `inclusive` a day, month or year is passed when it is over."""
    if column.type is ColumnType.NUMBER:
        return list(column.numbers)
    return [
        None if date is None else float(milliseconds(_end_of(date, text) if inclusive else date))
        for date, text in zip(column.dates, column.texts, strict=True)
    ]


def _end_of(date: datetime, text: str) -> datetime:
    """The moment at which what a date names is over: a year, a quarter, a month, a week or a day."""
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
