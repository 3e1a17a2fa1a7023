"""Names along an axis of a native chart: their size, how many are written, and whether upright."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from handlers.render.plots.look.type_metrics import widest
from handlers.render.plots.shown.native_chart import NativeChart

LEAST_POINTS = 6.0
OF_ROW = 0.66
"""Share of a row that letters take: with the air of any typeface their line is as high as the row."""
AIR = 1.12
"""How much wider a typeface may run that stands in for that of the chart."""
AROUND, BESIDE = 2.4, 4.0
"""Heights of letters that a scale takes above or below a chart, and beside it."""
APART, SLANTED, UPRIGHT = 2.0, 45, 90
"""Heights of letters between slanted names, and degrees by which names are turned.

LibreOffice finds its own steps, at which names that lie run together.
"""
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class NameFit:
    """The points of letters of names, every how many-th is written, and the degrees of their turn."""

    points: float
    step: int = 1
    turn: int = 0


def fit_names(chart: NativeChart, width: float, height: float, points: float) -> NameFit:
    """Return how names find room in a chart of so many points, whose letters have so many as well."""
    if not chart.names:
        return NameFit(points)
    if chart.lying:
        return _of_rows((height - AROUND * points) / len(chart.names), points)
    slot = max(0.1, (width - BESIDE * points) / len(chart.names))
    wide = AIR * widest(chart.names, points)
    if wide <= slot:
        return NameFit(points)
    if chart.ordered:
        return NameFit(points, _round_up(APART * points / slot), SLANTED)
    return _of_rows(slot, points, UPRIGHT)


def fit_step(chart: NativeChart, width: float, points: float) -> float | None:
    """Return the step of an axis of days or moments at which its labels stand apart."""
    along = chart.along
    if along.step is None or along.low is None or along.high is None or not along.unit:
        return along.step
    days = {"days": 1.0, "months": 30.4, "years": 365.2}[along.unit] * along.step
    wide = AIR * widest([along.code], points) + points / 2
    return along.step * max(1, ceil(wide * (along.high - along.low) / days / max(1.0, width)))


def _of_rows(row: float, points: float, turn: int = 0) -> NameFit:
    letters = min(points, OF_ROW * row)
    return NameFit(max(LEAST_POINTS, letters), max(1, ceil(LEAST_POINTS / letters)), turn)


def _round_up(number: float) -> int:
    return next((step for step in STEPS if step >= number), ceil(number))
