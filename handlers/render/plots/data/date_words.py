"""Words of dates along an axis: days, months, quarters and years as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from handlers.render.plots.data.frame import Frame

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def named_rows(frame: Frame) -> tuple[tuple[str, str], ...] | None:
    """For each row the smaller and the greater part of its date: `Feb` and `2026`, `08:00` and `2 Mar`.

    None where the rows are no dates, or have parts of a second.
    """
    moments, axis = frame.moments, frame.axis
    if moments is None or axis is None or any(moment.microsecond for moment in moments):
        return None
    if axis.clock:
        clock = "%H:%M:%S" if any(moment.second for moment in moments) else "%H:%M"
        days = (f"{moment.day} {_month(moment, moments)}" for moment in moments)
        return tuple((f"{moment:{clock}}", day) for moment, day in zip(moments, days, strict=True))
    if any("q" in text.lower() for text in axis.texts):
        return tuple((f"Q{(moment.month + 2) // 3}", str(moment.year)) for moment in moments)
    if all(len(text) == 4 for text in axis.texts) or _are_new_years(moments):
        return tuple((str(moment.year), "") for moment in moments)
    if all(moment.day == 1 for moment in moments) and any(moment.month != 1 for moment in moments):
        return tuple((MONTHS[moment.month - 1], str(moment.year)) for moment in moments)
    return tuple((str(moment.day), _month(moment, moments)) for moment in moments)


def row_names(frame: Frame) -> tuple[str, ...]:
    """The names of the rows, dates in words."""
    words = named_rows(frame)
    return frame.categories if words is None else tuple(" ".join(pair).strip() for pair in words)


def _are_new_years(moments: Sequence[datetime]) -> bool:
    """Whether days are the first ones of several years, as which years are often written."""
    return len(set(moments)) > 1 and all(moment.month == moment.day == 1 for moment in moments)


def _month(moment: datetime, moments: Sequence[datetime]) -> str:
    year = "" if moments[0].year == moments[-1].year else f" {moment.year}"
    return MONTHS[moment.month - 1] + year
