"""Distributions in rows: a box plot for each set, or a strip with a dot for each number."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from handlers.render.plots.charts.chart import Chart, Draw, KeyEntry
from handlers.render.plots.charts.marks.canvas import Canvas, Place
from handlers.render.plots.charts.marks.row_box import (
    RowBox,
    RowRoom,
    draw_axis,
    draw_rows,
    fit_sets,
    measure_rows,
)
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import quantile
from handlers.render.plots.drawn.drawn_data import (
    MOST_BOXES,
    bound_series,
    measure_sets,
    names_first,
    sets_of,
)
from handlers.render.plots.drawn.left_out import tip_of
from handlers.render.plots.forms.terminal.screen import (
    RowMark,
    Screen,
    mark_line,
    more_rows,
    places_axis,
    write_rows,
)
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_medians
from handlers.words.language import from_to, say

WHISKER = 1.5
MOST_OUTLIERS = 2_000
OUTLIER = 1.9
"""Radius of an outlier, in pixels."""
MOST_DOTS = 4_000
FARTHEST = 12
"""Most steps by which dots are moved apart."""
ASIDE = tuple(side * step for step in range(FARTHEST) for side in (1, -1))
DENSITY = "·:▒█"
"""Characters for few to many values at one position."""


def draw_boxes(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw for each group the box of its quartiles, the median, whiskers, and the outliers."""
    groups = sets_of(frame)
    values = [value for _, values in groups for value in values]
    area = measure_rows(style, _names_of(groups), box, values, options, RowRoom(bars=2))
    canvas = Canvas(style)
    draw_axis(canvas, area)
    outside = _draw_boxes(canvas, groups, area, options.write)
    draw_rows(canvas, area, axis=False)
    more = outside - MOST_OUTLIERS
    notes = (f"{more:,} more outliers are in the data.",) if more > 0 else ()
    return Chart(area.height, canvas.svg(), key=_key(style), notes=notes)


def _names_of(sets: Sequence[tuple[str, Sequence[float]]]) -> Frame:
    """Return a frame with a row for each set."""
    return Frame((Column("set", ColumnType.TEXT, tuple(name for name, _ in sets)),))


def _key(style: Style) -> tuple[KeyEntry, ...]:
    """Return the key for the parts of a box."""
    palette = style.palette
    return (
        KeyEntry("square", style.category(0), say("middle half")),
        KeyEntry("bar", palette.ink, say("median")),
        KeyEntry("line", palette.quiet, say("within 1.5 × box")),
        KeyEntry("dot", palette.quiet, say("outlier")),
    )


def _draw_boxes(
    canvas: Canvas, groups: Sequence[tuple[str, list[float]]], area: RowBox, write: Writer
) -> int:
    """Draw the boxes and outliers. Return the number of outliers."""
    palette, color = canvas.style.palette, canvas.style.category(0)
    outside, half = list[Place](), area.rows.bar / 2
    tone = mix(palette.paper, color, 0.45)
    for row, (name, values) in enumerate(groups):
        y = area.y(row)
        low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
        inside = _within_whiskers(values)
        said = f"{say('median %s') % write(middle)}, {say('middle half')} {from_to(write(low), write(high))}"
        left, right, x = area.x(low), area.x(high), area.x(middle)
        canvas.line((area.x(inside[0]), y), (area.x(inside[-1]), y), palette.quiet, 1.5)
        canvas.rect(
            left, y - half, right - left, 2 * half, tone,
            stroke=color, tip=tip_of(name, "", said), round_end="all",
        )  # fmt: skip
        canvas.line((x, y - half), (x, y + half), palette.ink, 2.5)
        outside += [(area.x(value), y) for value in values if not inside[0] <= value <= inside[-1]]
    for spot in outside[:MOST_OUTLIERS]:
        canvas.circle(*spot, OUTLIER, palette.quiet)
    return len(outside)


def _within_whiskers(values: Sequence[float]) -> Sequence[float]:
    """Return the values within 1.5 times the box's width from the box."""
    low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = WHISKER * (high - low)
    return [value for value in values if low - reach <= value <= high + reach] or [middle]


def draw_strips(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw a row for each set, with dots beside each other; more than MOST_DOTS are thinned."""
    sets = sets_of(frame)
    count = sum(len(values) for _, values in sets)
    step = max(1, -(-count // MOST_DOTS))
    radius = (3.4 if count <= 120 else 2.6 if count <= 600 else 1.8) * style.closer
    bars = 2 if len(sets) <= 12 else 1
    values = [value for _, some in sets for value in some]
    area = measure_rows(style, _names_of(sets), box, values, options, RowRoom(radius, radius, bars=bars))
    canvas = Canvas(style)
    draw_rows(canvas, area)
    drawn = 0
    for row, (name, some) in enumerate(sets):
        shown = sorted({*some[::step], some[0], some[-1]}) if step > 1 else some
        drawn += len(shown)
        _draw_set(canvas, area, row, name, shown, radius, options.exact)
    for row, (_, some) in enumerate(sets):
        x, half = area.x(quantile(some, 0.5)), area.rows.bar / 2
        y = area.y(row)
        canvas.line((x, y - half), (x, y + half), style.palette.ink, 2)
    logged = (f"{count:,} values drawn as {drawn:,}.",) if step > 1 else ()
    key = (KeyEntry("bar", style.palette.ink, say("median")),)
    return Chart(area.height, svg=canvas.svg(), key=key, logged=logged)


def _draw_set(
    canvas: Canvas, area: RowBox, row: int, name: str, values: Sequence[float], radius: float, exact: Writer
) -> None:
    tone, opacity = canvas.style.category(0), 0.75 if len(values) <= 200 else 0.5
    offsets = _apart([area.x(value) for value in values], radius * 2.1)
    deepest = max((abs(offset) for offset in offsets), default=0)
    step = min(radius * 2.1, (area.rows.bar / 2 - radius) / deepest) if deepest else 0.0
    for value, offset in zip(values, offsets, strict=True):
        x, y, tip = area.x(value), area.y(row) + offset * step, f"{name}: {exact(value)}"
        canvas.circle(x, y, radius, tone, tip=tip, opacity=opacity)


def _apart(places: Sequence[float], gap: float) -> list[int]:
    """Return the number of steps by which each of the ascending positions is moved, up or down."""
    last: dict[int, float] = {}
    moved = list[int]()
    for place in places:
        step = next((one for one in ASIDE if place - last.get(one, -math.inf) >= gap), FARTHEST)
        last[step] = place
        moved.append(step)
    return moved


def write_sets(screen: Screen, frame: Frame, options: ChartOptions, *, draw: Callable[..., str]) -> list[str]:
    """Return a line for each group, and below them the ends of their scale."""
    groups = sets_of(frame)
    shown = groups[: max(1, screen.rows - 2)]
    axis = places_axis([value for _, values in shown for value in values], options, zero=False)
    low, high = (options.write(end) for end in axis.domain)

    def line(row: int, wide: int) -> str:
        if row == len(shown):
            return low + high.rjust(wide - len(low))
        return draw(screen, axis, shown[row][1], wide)

    lines = write_rows(screen, [*(name for name, _ in shown), ""], (), line)
    return [*lines, *more_rows(len(groups) - len(shown))]


def _box_line(screen: Screen, axis: ValueAxis, values: Sequence[float], wide: int) -> str:
    """Return the whiskers of a group, its box, its median, and the outliers."""
    first, middle, third = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    inside, tone = _within_whiskers(values), screen.tone(0)
    outside = (RowMark(value, value, "·", tone) for value in values if not inside[0] <= value <= inside[-1])
    ends = ((inside[0], inside[-1], "─"), (first, third, "▒"), (middle, middle, "┃"))
    return mark_line(screen, axis, [*outside, *(RowMark(*one, tone) for one in ends)], wide)


def _strip_line(screen: Screen, axis: ValueAxis, values: Sequence[float], wide: int) -> str:
    """Return the characters for the number of values at each position, and for the median."""
    counts = Counter(round(axis.position(value, wide - 1)) for value in values)
    most, tone = max(counts.values()), screen.tone(0)
    cells = {at: DENSITY[min(3, (count * 4 - 1) // most)] for at, count in counts.items()}
    cells[round(axis.position(quantile(values, 0.5), wide - 1))] = "┃"
    return screen.paint("".join(cells.get(at, " ") for at in range(wide)).rstrip(), tone)


GROUPS = "tree,height\n" + "".join(f"{'ash' if at % 3 else 'elm'},{at * at % 97}\n" for at in range(1, 31))


def _sets(word: str, noun: str, title: str, order: float, draw: Draw, line: Callable[..., str]) -> PlotType:
    """Return one type of sets in rows."""
    return PlotType(
        word=word,
        noun=noun,
        title=title,
        order=order,
        example=GROUPS,
        draw=fit_sets(draw),
        terminal=partial(write_sets, draw=line),
        describes=describe_medians,
        reads=frozenset(("axis", "axis/ticks", "axis/sort", "legend")),
        steps=(names_first, bound_series, partial(measure_sets, most=MOST_BOXES)),
        years="unless",
        sorted="sets",
        log=True,
        across=True,
    )


TYPES = (
    _sets("box", "box plot", "Box plot", 4.2, draw_boxes, _box_line),
    _sets("strip", "strip plot", "Strip plot", 4.3, draw_strips, _strip_line),
)
