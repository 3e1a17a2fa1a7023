"""Lines and points in a terminal, by plotext, with round ticks and names at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import plotext

from handlers.render.plots.charts.calendar_ticks import TickRoom
from handlers.render.plots.charts.chart import spread_apart
from handlers.render.plots.charts.line_box import LineKind, moment_ticks, places_of
from handlers.render.plots.charts.names import last_values
from handlers.render.plots.charts.value_axis import (
    ValueAxis,
    along_line,
    dashed_from,
    value_axis,
)
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import alone
from handlers.render.plots.data.series import runs, stack_bands, totals
from handlers.render.plots.drawn.point_series import point_columns, thin_points
from handlers.render.plots.forms.terminal.screen import ESCAPE, Screen, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import channels

MOST_SERIES = 16
POINT_MARKS, POINT_SIGNS = ("dot", "x", "+", "*"), "•x+*"
MOST_POINTS = 5_000
LEAST_ROWS = 5
FRAME = 3
"""Rows of a frame and its labels."""
DAY, TINY = 864e5, 1e-9
MARGIN = 10
"""Columns beside the lines for value labels."""
AIR, LEAST_STEP, LONGEST_NAME = 2, 5.0, 16
"""Columns between labels along the lines and between their ticks, and columns of the longest name."""
ROUNDED = 1
"""Columns by which labels may be moved or be closer together, because positions are rounded."""
TICK = "┬"
Spot = tuple[float, float]


def draw_lines(screen: Screen, frame: Frame, options: ChartOptions, kind: LineKind) -> list[str]:
    """Return the series as lines of dots, with names at their ends."""
    frame = frame.sorted_along()
    shown = frame.series[:MOST_SERIES]
    names = [column.name for column in shown]
    stacked = kind is LineKind.STACKED
    values = totals(frame) if stacked else [one for column in shown for one in column.numbers]
    ends = [screen.name(name, screen.columns // 4) for name in names] if len(names) > 1 else []
    if options.figure.labels:
        texts = last_values(frame, options)[:MOST_SERIES]
        ends = [f"{name} {one}" for name, one in zip(ends, texts, strict=True)] if ends else texts
    width = screen.columns - max((signs(name) + 1 for name in ends), default=0)
    axis = _begin(width, max(LEAST_ROWS + 1, screen.rows), values, options, zero=kind.from_zero)
    log = options.along.log
    places = [place / DAY if frame.moments else _at(place, log=log) for place in places_of(frame)]
    drawn = _paths(shown, places, kind)
    dashed = _first_dashed(frame, places, options)
    for index, spots in drawn:
        first = next((at for at, (place, _) in enumerate(spots) if place >= dashed), len(spots))
        for part, marker in ((spots[:first], "braille"), (spots[max(0, first - 1) :], "dot")):
            if part and (len(part) > 1 or first == len(spots)):
                at, heights = zip(*((place, _at(value, log=axis.log)) for place, value in part), strict=True)
                plotext.plot(at, heights, color=channels(screen.tone(index)), marker=marker)
    ticks = _ticks_along(screen, frame, places, width, options)
    low, high = min(places), max(places)
    air = 0.0 if low < high else max(1.0, abs(low) / 100)
    plotext.xlim(low - air, high + air)
    plotext.xticks([place for place, _ in ticks], ["."] * len(ticks))
    lines = _with_labels(_figure_lines(), [label for _, label in ticks])
    last = {index: spots[-1][1] for index, spots in reversed(drawn)}
    last |= {index: spots[-1][1] for index, spots in drawn if stacked and spots[-1][1] < 0}
    return _with_ends(screen, lines, axis, last, ends) if ends else lines


def _paths(shown: Sequence[Column], places: Sequence[float], kind: LineKind) -> list[tuple[int, list[Spot]]]:
    """Return the points of each line with the number of its series; for stacked areas their upper edges."""
    if kind is LineKind.STACKED:
        bands = stack_bands(places, [[value or 0.0 for value in column.numbers] for column in shown])
        return [(band.series, list(zip(band.places, band.ends, strict=True))) for band in bands]
    return [
        (index, _steps(stretch) if kind is LineKind.STEP else stretch)
        for index, column in enumerate(shown)
        for stretch in runs(zip(places, column.numbers, strict=True))
    ]


def _first_dashed(frame: Frame, places: Sequence[float], options: ChartOptions) -> float:
    """Return the position of the first row that dashed lines lead to; infinity without any."""
    sent, log = places_of(frame), options.along.log
    ends = (min(sent), max(sent))
    if ends[0] == ends[1]:
        return math.inf
    axis = ValueAxis((), (), ends, log)
    start = dashed_from(along_line(frame, axis, 1.0), options.annotations)
    rows = zip(places, sent, strict=True)
    return next((place for place, one in rows if axis.position(one, 1.0) > start - TINY), math.inf)


def _at(value: float, *, log: bool) -> float:
    """Return the position of a value: its logarithm on a logarithmic axis, else the value."""
    return math.log10(value) if log else value


def draw_points(screen: Screen, frame: Frame, options: ChartOptions, *, sized: bool) -> list[str]:
    """Return the points at their positions, with the names of the axes below."""
    columns = point_columns(frame, sized=sized)
    if columns is None:
        return []
    spots = columns.spots
    height = max(LEAST_ROWS, screen.rows - 1 - (len(columns.series) > 1))
    options = replace(options, unit=columns.unit or options.unit)
    upward = _begin(screen.columns, height, [spot.y for spot in spots], options, zero=False)
    count, unit = max(2, screen.columns // 14), columns.across.unit
    across = value_axis([spot.x for spot in spots], count, unit, zero=False, settings=options.along)
    _set_ends(across, plotext.xlim, plotext.xticks)
    shown = thin_points(spots, MOST_POINTS)
    for index in range(len(columns.series)):
        some = [spot for spot in shown if spot.series == index]
        if some:
            tone, mark = channels(screen.tone(index)), POINT_MARKS[index % len(POINT_MARKS)]
            xs = [_at(spot.x, log=across.log) for spot in some]
            ys = [_at(spot.y, log=upward.log) for spot in some]
            plotext.scatter(xs, ys, color=tone, marker=mark)
    only = columns.upward[0].name if len(columns.upward) == 1 else ""
    names = screen.axis_names(options.along.name or columns.across.name, options.values.name or only)
    lines = [*_figure_lines(), names]
    if len(columns.series) > 1:
        lines += screen.keys(columns.series, POINT_SIGNS)
    return lines


def _begin(
    width: int, height: int, values: Sequence[float | None], options: ChartOptions, *, zero: bool
) -> ValueAxis:
    """Begin a figure of a size. Return its value axis."""
    axis = value_axis(values, max(2, min(6, height // 4)), options.unit, zero=zero, settings=options.values)
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, height)
    _set_ends(axis, plotext.ylim, plotext.yticks)
    return axis


def _set_ends(axis: ValueAxis, set_ends: Callable[..., Any], set_ticks: Callable[..., Any]) -> None:
    """Set the ends and ticks of an axis; on a logarithmic one powers are evenly spaced."""
    set_ends(*(_at(end, log=axis.log) for end in axis.domain))
    set_ticks([_at(tick, log=axis.log) for tick in axis.ticks], axis.labels)


def _figure_lines() -> list[str]:
    """Return the lines of the figure."""
    return str(plotext.build()).rstrip("\n").split("\n")


def _steps(stretch: Sequence[Spot]) -> list[Spot]:
    """Return points with the corners of steps between them."""
    corners: list[Spot] = []
    for place, number in stretch:
        if corners:
            corners.append((place, corners[-1][1]))
        corners.append((place, number))
    return corners


def _ticks_along(
    screen: Screen, frame: Frame, places: Sequence[float], width: int, options: ChartOptions
) -> list[tuple[float, str]]:
    """Return positions along the lines with labels: round days, times and numbers, or names of rows."""
    along = options.along
    if frame.moments is not None:
        room = TickRoom(float(width - MARGIN), signs, AIR, LEAST_STEP, one_line=True)
        moments = places_of(frame)
        ticks = moment_ticks(frame, (min(moments), max(moments)), room, along)
        return [(tick.at / DAY, " ".join(tick.lines)) for tick in ticks]
    numbers = frame.numbers_along
    if numbers is not None:
        unit = frame.axis.unit if frame.axis is not None else ""
        axis = value_axis(numbers, max(2, width // 14), unit, zero=False, settings=along)
        inside = [
            (_at(tick, log=along.log), label)
            for tick, label in zip(axis.ticks, axis.labels, strict=True)
            if min(numbers) <= tick <= max(numbers)
        ]
        if len(inside) > 1:
            return inside
        ends = dict.fromkeys((min(numbers), max(numbers)))
        return [(_at(end, log=along.log), alone(end, unit)) for end in ends]
    names = [screen.name(name, LONGEST_NAME) for name in row_names(frame)]
    most = max(1, (width - MARGIN) // (max(map(signs, names)) + AIR))
    every = max(1, -(-len(names) // most))
    return list(zip(places[::every], names[::every], strict=True))


def _with_labels(lines: list[str], labels: Sequence[str]) -> list[str]:
    """Return the figure with labels below its ticks; of two labels that touch, the later one is dropped."""
    marks = [at for at, sign in enumerate(ESCAPE.sub("", lines[-2])) if sign == TICK]
    width, line = signs(lines[-2]), ""
    for at, label in zip(marks, labels, strict=False):
        end, last = signs(line), width - signs(label)
        start = max(0, min(at - signs(label) // 2, last))
        if line:
            start = min(max(start, min(start + ROUNDED, end + AIR)), last)
        if label and (not line or start >= end + AIR - ROUNDED):
            line += " " * (start - end) + label
    return [*lines[:-1], line]


def _with_ends(
    screen: Screen, lines: list[str], axis: ValueAxis, last: Mapping[int, float], names: Sequence[str]
) -> list[str]:
    """Return the lines with the names of the series beside the rows in which they end."""
    lowest = len(lines) - FRAME - 1
    wanted = [lowest - axis.position(last[index], lowest) for index in sorted(last)]
    for index, row in zip(sorted(last), spread_apart(wanted, 1, 0, lowest), strict=True):
        at = 1 + min(max(0, round(row)), lowest)
        lines[at] += f" {screen.paint(names[index], screen.tone(index))}"
    return lines
