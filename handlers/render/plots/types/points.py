"""Points with two coordinates: scatter plots, and bubbles whose area shows a third value."""

from __future__ import annotations

from functools import partial

from handlers.render.plots.charts.points import draw_points
from handlers.render.plots.data.frame import ColumnType, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.drawn.drawn_data import bound_series, find_points
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.forms.terminal import lines as terminal
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import LONGEST, range_words
from handlers.render.plots.shown.native_chart import native_points
from handlers.words.language import say

DAYS = '; the first column, "{}", holds days: a line or bars run along them'


def _describe_places(frame: Frame, unit: str, *, sized: bool) -> list[str]:
    """Return the range on each axis, and the largest circle."""
    columns = point_columns(frame, sized=sized)
    if columns is None or not columns.spots:
        return []
    spots = columns.spots
    across = range_words([spot.x for spot in spots], "")
    upward = range_words([spot.y for spot in spots], unit)
    named = columns.upward[0].name[:LONGEST] if len(columns.upward) == 1 else say("value")
    sentences = [f"{columns.across.name[:LONGEST]} {across}", f"{named} {upward}"]
    amounts = [spot for spot in spots if spot.amount is not None]
    top = max(amounts, key=lambda spot: spot.amount or 0.0) if amounts else max(spots, key=lambda s: s.y)
    name = f"{top.name[:LONGEST]} " if top.name else ""
    if amounts:
        known = top.name[:LONGEST], alone(top.amount)
        return [*sentences, say("largest %s with %s") % known if name else say("largest %s") % known[1]]
    return [*sentences, say("greatest %s") % f"{name}{alone(top.y, unit)}" + say(" at %s") % alone(top.x)]


def _count(frame: Frame, *, sized: bool) -> int:
    """Return the number of drawn series."""
    columns = point_columns(frame, sized=sized)
    return len(columns.series) if columns else 0


def _lacking(frame: Frame) -> str:
    if spots_of(frame, sized=False):
        return ""
    first = frame.columns[0]
    days = DAYS.format(first.name[:LONGEST]) if first.type is ColumnType.DATE else ""
    return f"two columns of numbers{days}"


def _points(word: str, noun: str, title: str, order: float) -> PlotType:
    """Return one type of points."""
    sized = word == "bubble"
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        rows=False,
        example="place,east,up,people\nOslo,1,20,100\nBergen,2,40,400\nTromsø,4,10,900\n",
        draw=partial(draw_points, sized=sized),
        terminal=partial(terminal.draw_points, sized=sized),
        describes=partial(_describe_places, sized=sized),
        native=native_points,
        counts=partial(_count, sized=sized),
        reads=frozenset(("axis", "axis/ticks", "legend", "notes", "split", "trend")),
        steps=(bound_series, partial(find_points, sized=sized)),
        lacks=_lacking,
        years="always",
        units="free",
        log=True,
        points=True,
        sized=sized,
    )


TYPES = (
    _points("scatter", "scatter plot", "Scatter plot", 3.1),
    _points("bubble", "bubble chart", "Bubbles", 3.2),
)
