"""Lines and points in a terminal, by plotext, with round ticks and names at the ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotext

from handlers.render.plots.charts.chart import spread_apart
from handlers.render.plots.charts.line_box import LineKind, places_of
from handlers.render.plots.charts.points import spots_of
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.series import totals
from handlers.render.plots.forms.terminal_screen import Screen
from handlers.render.plots.forms.terminal_text import plain_line, signs
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.palette import channels

MOST_SERIES = 8
MOST_POINTS = 5_000
LEAST_ROWS = 5
FRAME = 3
"""Rows of a frame and its labels."""
Spot = tuple[float, float]


def draw_lines(screen: Screen, frame: Frame, options: ChartOptions, kind: LineKind) -> list[str]:
    """The series as lines of dots, each with its name at its end."""
    frame = frame.sorted_by_date()
    series = [column.numbers for column in frame.series[:MOST_SERIES]]
    names = [column.name for column in frame.series[:MOST_SERIES]]
    if kind is LineKind.STACKED:
        sums = [0.0] * frame.height
        for index, numbers in enumerate(series):
            sums = [before + (number or 0.0) for before, number in zip(sums, numbers, strict=True)]
            series[index] = tuple(sums)
    values = totals(frame) if kind is LineKind.STACKED else [one for numbers in series for one in numbers]
    ends = [screen.name(name, screen.columns // 4) for name in names] if len(names) > 1 else []
    width = screen.columns - max((signs(name) + 1 for name in ends), default=0)
    height = max(LEAST_ROWS + 1, screen.rows)
    axis = _begin(width, height, values, options, zero=kind.from_zero)
    places = [place / 864e5 if frame.moments else place for place in places_of(frame)]
    for index, numbers in enumerate(series):
        for stretch in _stretches(places, numbers):
            at, drawn = zip(*(_steps(stretch) if kind is LineKind.STEP else stretch), strict=True)
            plotext.plot(at, drawn, color=channels(screen.tone(index)), marker="braille")
    _name_rows(frame, places, width)
    lines = _figure_lines()
    return _with_ends(screen, lines, axis, series, ends) if ends else lines


def draw_points(screen: Screen, frame: Frame, options: ChartOptions, *, sized: bool) -> list[str]:
    """The points at their places, with the names of the axes below."""
    spots, columns = spots_of(frame, sized=sized)
    height = max(LEAST_ROWS + 1, screen.rows - 1)
    _begin(
        screen.columns, height, [spot.y for spot in spots], replace(options, unit=columns[1].unit), zero=False
    )
    across = value_axis([spot.x for spot in spots], max(2, screen.columns // 14), columns[0].unit, zero=False)
    plotext.xlim(*across.domain)
    plotext.xticks(across.ticks, across.labels)
    shown = spots[:MOST_POINTS]
    tone = channels(screen.tone(0))
    plotext.scatter([spot.x for spot in shown], [spot.y for spot in shown], color=tone, marker="dot")
    names = [screen.name(column.name, screen.columns // 2 - 3) for column in columns[:2]]
    below = f"{names[0]} →".rjust(max(0, screen.columns - signs(names[1]) - 2))
    return [*_figure_lines(), f"↑ {names[1]}{below}"]


def _begin(
    width: int, height: int, values: Sequence[float | None], options: ChartOptions, *, zero: bool
) -> ValueAxis:
    """A figure of that size with its axis of values."""
    axis = value_axis(values, max(2, min(6, height // 4)), options.unit, zero=zero, wishes=options.values)
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, height)
    if axis.log:
        plotext.yscale("log")
    plotext.ylim(*axis.domain)
    plotext.yticks(axis.ticks, axis.labels)
    return axis


def _figure_lines() -> list[str]:
    """The lines of the figure."""
    return str(plotext.build()).rstrip("\n").split("\n")


def _stretches(places: Sequence[float], numbers: Sequence[float | None]) -> list[list[Spot]]:
    """The points of a series between its gaps."""
    stretches: list[list[Spot]] = [[]]
    for place, number in zip(places, numbers, strict=True):
        if number is None:
            stretches.append([])
        else:
            stretches[-1].append((place, number))
    return [stretch for stretch in stretches if stretch]


def _steps(stretch: Sequence[Spot]) -> list[Spot]:
    """Points with the corners of steps between them."""
    corners: list[Spot] = []
    for place, number in stretch:
        if corners:
            corners.append((place, corners[-1][1]))
        corners.append((place, number))
    return corners


def _name_rows(frame: Frame, places: Sequence[float], width: int) -> None:
    """The names of as many rows as find room."""
    names = [plain_line(name)[:16] for name in row_names(frame)]
    room = max(1, (width - 10) // (max(map(len, names)) + 2))
    every = max(1, -(-len(names) // room))
    plotext.xticks(places[::every], names[::every])


def _with_ends(
    screen: Screen,
    lines: list[str],
    axis: ValueAxis,
    series: Sequence[Sequence[float | None]],
    names: Sequence[str],
) -> list[str]:
    """The lines with the names of the series beside the rows in which they end."""
    inside = len(lines) - FRAME
    last = [next((one for one in reversed(numbers) if one is not None), None) for numbers in series]
    wanted = [
        (index, (inside - 1) - axis.position(value, inside - 1))
        for index, value in enumerate(last)
        if value is not None
    ]
    placed = spread_apart([row for _, row in wanted], 1, 0, inside - 1)
    for (index, _), row in zip(wanted, placed, strict=True):
        at = 1 + min(max(0, round(row)), inside - 1)
        lines[at] += f" {screen.paint(names[index], screen.tone(index))}"
    return lines
