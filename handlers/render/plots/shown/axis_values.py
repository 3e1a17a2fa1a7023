"""Values that the axes of a chart measure, if the data alone tell them."""

from __future__ import annotations

from handlers.render.plots.charts.line_box import places_of
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import totals
from handlers.render.plots.drawn.point_series import spots_of
from handlers.render.plots.plot_type import PlotType


def known_values(frame: Frame) -> list[float]:
    """Return the values of all series."""
    return [value for column in frame.series for value in column.numbers if value is not None]


def values_upward(kind: PlotType, frame: Frame) -> list[float]:
    """Return what the axis of values measures; nothing of counts in bins."""
    if kind.binned:
        return []
    if kind.points:
        return [spot.y for spot in spots_of(frame, sized=kind.sized)[0]]
    return totals(frame) if kind.stacked else known_values(frame)


def places_along(kind: PlotType, frame: Frame) -> list[float] | None:
    """Return the places along the other axis; None where it has names."""
    if kind.points:
        return [spot.x for spot in spots_of(frame, sized=kind.sized)[0]]
    if kind.binned:
        return known_values(frame)
    if kind.line and (frame.moments is not None or frame.numbers_along is not None):
        return places_of(frame)
    return None
