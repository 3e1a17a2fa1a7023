"""Axes of native charts: their ends, steps, scales and the codes of their labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from handlers.render.plots.charts.line_box import LAST_MOMENT
from handlers.render.plots.charts.value_axis import value_axis
from handlers.render.plots.data.dates_written import EPOCH
from handlers.render.plots.data.number_formats import BadFormat, is_date_format, parse_date_format
from handlers.render.plots.look.options import AxisOptions
from handlers.render.plots.tables.spreadsheet_codes import GENERAL, code_of_all, date_code, serial
from handlers.words.language import writing_codes

USUAL_TICKS = 6
STEPS = (
    *((unit / 1440, 0, "") for unit in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)),
    *((days, days, "days") for days in (1, 2, 7, 14)),
    *((months * 30.4, months, "months") for months in (1, 2, 3, 6)),
    *((years * 365.2, years, "years") for years in (1, 2, 5, 10, 20, 50, 100)),
)
"""Steps along time: their length in days, and their number of a unit that office programs have."""


@dataclass(frozen=True, slots=True)
class NativeAxis:
    """An axis: its ends and step (None: chosen by the program), and whether it is logarithmic or reversed."""

    low: float | None = None
    high: float | None = None
    step: float | None = None
    unit: str = ""
    log: bool = False
    reverse: bool = False
    code: str = GENERAL
    labels: bool = True
    grid: bool = True
    title: str = ""


NO_AXIS = NativeAxis()


def number_axis(
    values: Iterable[float | None], settings: AxisOptions, unit: str = "", *, zero: bool = True
) -> NativeAxis:
    """Return the value axis with the ends and steps of the drawing."""
    with writing_codes():
        drawn = value_axis(values, USUAL_TICKS, unit, zero=zero, settings=settings)
        written = list(zip(drawn.ticks, drawn.labels, strict=True))
        code = code_of_all(written if drawn.log else written[-1:], unit) if settings.labels else GENERAL
    steps = [after - before for before, after in itertools.pairwise(drawn.ticks)]
    even = not drawn.log and {round(step / steps[0], 6) for step in steps} == {1.0}
    return NativeAxis(
        *drawn.domain,
        steps[0] if even else None,
        log=drawn.log,
        code=code,
        labels=settings.labels,
        grid=drawn.grid,
    )


def date_axis(moments: Sequence[datetime], settings: AxisOptions) -> NativeAxis:
    """Return the axis of days: from the first to the last, or longer if configured."""
    low, high = _ends(moments, settings)
    _, number, unit = next((step for step in STEPS if step[1] and (high - low) / step[0] <= 10), STEPS[-1])
    code = _code(moments, settings, clock=False)
    return NativeAxis(low, high, float(number), unit, code=code, labels=settings.labels)


def time_axis(moments: Sequence[datetime], settings: AxisOptions) -> NativeAxis:
    """Return the axis of moments in days, which begins at a whole step."""
    low, high = _ends(moments, settings)
    days = next((step[0] for step in STEPS if (high - low) / step[0] <= 8), STEPS[-1][0])
    low = low // days * days
    code = _code(moments, settings, clock=days < 1)
    return NativeAxis(low, max(high, low + days), days, code=code, labels=settings.labels)


def _ends(moments: Sequence[datetime], settings: AxisOptions) -> tuple[float, float]:
    low, high = serial(min(moments)), serial(max(moments))
    return min(low, _wanted_end(settings.low, low)), max(high, _wanted_end(settings.high, high))


def _wanted_end(end: float | None, usual: float) -> float:
    """Return a configured end; a number of four digits is a year."""
    if end is not None and 1900 <= end < 2200:
        return serial(datetime(int(end), 1, 1))  # noqa: DTZ001
    return usual if end is None or abs(end) > LAST_MOMENT else serial(EPOCH + timedelta(milliseconds=end))


def _code(moments: Sequence[datetime], settings: AxisOptions, *, clock: bool) -> str:
    if is_date_format(settings.format):
        try:
            return parse_date_format(settings.format).spreadsheet_code or GENERAL
        except BadFormat:
            pass
    return date_code(moments, clock=clock)
