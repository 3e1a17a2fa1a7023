"""Words of dates along an axis: days, months, quarters and years as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from handlers.render.plots.data.frame import Frame
from handlers.words.language import language


def named_rows(frame: Frame) -> tuple[tuple[str, str], ...] | None:
    """For each row the smaller and the greater part of its date: `Feb` and `2026`, `08:00` and `2 Mar`.

    None where the rows are no dates, or have parts of a second.
    """
    moments, axis, written = frame.moments, frame.axis, language()
    if moments is None or axis is None or any(moment.microsecond for moment in moments):
        return None
    if axis.clock:
        clock = "%H:%M:%S" if any(moment.second for moment in moments) else "%H:%M"
        days = _dates(moments, written.day_month, written.day_month_year)
        return tuple((f"{moment:{clock}}", day) for moment, day in zip(moments, days, strict=True))
    if any("q" in text.lower() for text in axis.texts):
        return tuple((written.quarters[(moment.month - 1) // 3], str(moment.year)) for moment in moments)
    if all(len(text) == 4 for text in axis.texts) or _are_new_years(moments):
        return tuple((str(moment.year), "") for moment in moments)
    if _are_months(moments):
        return tuple((written.short_months[moment.month - 1], str(moment.year)) for moment in moments)
    months = _dates(moments, "%(LLL)s", written.month_year)
    return tuple((str(moment.day), month) for moment, month in zip(moments, months, strict=True))


def row_names(frame: Frame) -> tuple[str, ...]:
    """The names of the rows, dates in words."""
    words, moments, written = named_rows(frame), frame.moments or (), language()
    if words is None:
        return frame.categories
    if words and words[0][0].isdecimal() and words[0][1]:
        return _dates(moments, written.day_month, written.day_month_year)
    if _are_months(moments) and words[0][0] in written.short_months:
        return _dates(moments, written.month_year, written.month_year)
    return tuple(" ".join(pair).strip() for pair in words)


def _are_months(moments: Sequence[datetime]) -> bool:
    """Whether days are the first ones of months, as which months are often written."""
    return all(moment.day == 1 for moment in moments) and any(moment.month != 1 for moment in moments)


def _are_new_years(moments: Sequence[datetime]) -> bool:
    """Whether days are the first ones of several years, as which years are often written."""
    return len(set(moments)) > 1 and all(moment.month == moment.day == 1 for moment in moments)


def _dates(moments: Sequence[datetime], within_a_year: str, beyond: str) -> tuple[str, ...]:
    """Dates by one of two patterns, the second where they are of several years."""
    pattern = within_a_year if moments[0].year == moments[-1].year else beyond
    return tuple(language().date(moment, pattern) for moment in moments)
