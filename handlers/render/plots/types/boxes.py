"""Distributions in rows: the box of the middle half of each set, or a strip with a dot for each number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from handlers.render.plots.charts.bar_rows import Rows
from handlers.render.plots.charts.chart import Chart, KeyEntry, spread_labels
from handlers.render.plots.charts.marks.canvas import Canvas, Place
from handlers.render.plots.charts.marks.row_box import (
    RowBox,
    RowRoom,
    draw_axis,
    draw_rows,
    fit_sets,
    measure_rows,
)
from handlers.render.plots.charts.value_axis import ValueAxis, value_axis
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import quantile, spread_of
from handlers.render.plots.drawn.data_steps import bound_series, measure_sets, names_first
from handlers.render.plots.drawn.left_out import count_words
from handlers.render.plots.drawn.measured import MOST_BOXES
from handlers.render.plots.drawn.tips import tip_of
from handlers.render.plots.forms.terminal.screen import Screen, more_rows
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import mix
from handlers.render.plots.look.style import Style
from handlers.render.plots.look.type_metrics import cut
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import tell_medians
from handlers.words.language import from_to, say

WHISKER = 1.5
MOST_OUTLIERS = 2_000
OUTLIER = 1.9
"""Radius of an outlier, in pixels."""
MOST_DOTS = 4_000
ROW = 2.6
"""Height of a row, in lines."""
REACH = 1.5
DENSITY = "·:▒█"
"""Signs of few to many values in one place."""
SETS = (names_first, bound_series)


def draw_boxes(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """For every group the middle half, the median, whiskers of 1.5 times the box, and what lies outside."""
    groups = groups_of(frame)[:MOST_BOXES]
    most = len(groups) if box is None else max(2, int((box - style.line - 6) // (style.label * 1.2)))
    shown = groups[:most]
    names = [name for name, _ in shown]
    above = box is None and style.narrow and style.widest(names) > style.inner * 0.3
    row = round(style.label * 2.9) + (style.line if above else 0)
    if box is not None:
        row = max(round(style.label * 1.2), int(min(row * 1.6, (box - style.line - 6) / max(1, len(names)))))
    column = 0.0 if above else min(style.widest(names), style.inner * 0.34)
    left = math.ceil(column) + 14 if column else 0
    axis = value_axis(
        [value for _, values in shown for value in values],
        max(2, min(9, round((style.inner - left) / 95))),
        options.unit,
        zero=False,
        wishes=options.values,
    )
    right = math.ceil(style.text(axis.labels[-1]) / 2) + 2
    left = left or math.ceil(style.text(axis.labels[0]) / 2)
    width, top = style.inner - left - right, style.line + 6.0
    lines = tuple([cut(name, style.label, style.inner if above else column + 1)] for name in names)
    bar = row * (0.28 if above else 0.4)
    rows = Rows(lines, math.ceil(column), row, bar, style.line * 0.5 if above else 0.0)
    area = RowBox(rows, left, left + width, top, len(shown), spread_labels(style, axis, width))
    canvas = Canvas()
    draw_axis(canvas, style, area)
    outside = _draw_boxes(canvas, style, shown, area, options.write)
    draw_rows(canvas, style, area, axis=False)
    more = outside - MOST_OUTLIERS
    notes = (f"{more:,} more outliers are in the data.",) if more > 0 else ()
    lost = len(groups) - len(shown)
    notes = (*notes, *((f"{count_words(lost, 'more group')} in the data.",) if lost else ()))
    wants, tall = style.line * 1.6 * len(groups) + style.line + 6, float(row * len(shown))
    return Chart(top + tall, canvas.svg(), key=_key(style), notes=notes, wants=wants, marks=tall)


def _key(style: Style) -> tuple[KeyEntry, ...]:
    """The key to the parts of a box."""
    palette = style.palette
    return (
        KeyEntry("square", style.category(0), say("middle half")),
        KeyEntry("bar", palette.ink, say("median")),
        KeyEntry("line", palette.quiet, say("within 1.5 × box")),
        KeyEntry("dot", palette.quiet, say("outlier")),
    )


def groups_of(frame: Frame) -> list[tuple[str, list[float]]]:
    """The values of each group: rows of one name where names repeat, else the series."""
    if frame.axis is not None and len(set(frame.categories)) < frame.height and len(frame.series) == 1:
        groups: dict[str, list[float]] = {}
        for name, value in zip(frame.categories, frame.series[0].numbers, strict=True):
            if value is not None:
                groups.setdefault(name, []).append(value)
        return [(name, sorted(values)) for name, values in groups.items()]
    columns = [(column.name, sorted(v for v in column.numbers if v is not None)) for column in frame.series]
    return [(name, values) for name, values in columns if values]


def _draw_boxes(
    canvas: Canvas, style: Style, groups: Sequence[tuple[str, list[float]]], area: RowBox, write: Writer
) -> int:
    """Draw the boxes and what lies outside, and return the number of outliers."""
    outside, palette, color, half = list[Place](), style.palette, style.category(0), area.rows.bar / 2
    tone = mix(palette.paper, color, 0.45)
    for row, (name, values) in enumerate(groups):
        y = area.y(row)
        low, middle, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
        reach = WHISKER * (high - low)
        inside = [value for value in values if low - reach <= value <= high + reach] or [middle]
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


def draw_strips(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """A row for each set; where dots are dense they are pressed together, and none is left out of it."""
    sets = groups_of(frame)[:MOST_BOXES]
    count = sum(len(values) for _, values in sets)
    step = max(1, -(-count // MOST_DOTS))
    radius = (3.4 if count <= 120 else 2.6 if count <= 600 else 1.8) * style.closer
    names = Frame((Column("set", ColumnType.TEXT, tuple(name for name, _ in sets)),))
    bars = 2 if len(sets) <= 12 else 1
    values = [value for _, some in sets for value in some]
    area = measure_rows(style, names, box, values, options, RowRoom(radius, radius, bars=bars))
    canvas = Canvas()
    draw_rows(canvas, style, area)
    drawn = 0
    for row, (name, some) in enumerate(sets):
        shown = sorted({*some[::step], some[0], some[-1]}) if step > 1 else some
        drawn += len(shown)
        _draw_set(canvas, style, area, row, name, shown, radius, options)
    for row, (_, some) in enumerate(sets):
        x, half = area.x(quantile(some, 0.5)), area.rows.bar / 2
        y = area.y(row)
        canvas.line((x, y - half), (x, y + half), style.palette.ink, 2)
    told = (f"{count:,} values drawn as {drawn:,}.",) if step > 1 else ()
    key = (KeyEntry("bar", style.palette.ink, say("median")),)
    return Chart(area.height, svg=canvas.svg(), key=key, told=told)


def _draw_set(
    canvas: Canvas, style: Style, area: RowBox, row: int, name: str, values: Sequence[float], radius: float,
    options: ChartOptions,
) -> None:  # fmt: skip
    tone, opacity = style.category(0), 0.75 if len(values) <= 200 else 0.5
    offsets = _apart([area.x(value) for value in values], radius * 2.1)
    deepest = max((abs(offset) for offset in offsets), default=0)
    step = min(radius * 2.1, (area.rows.bar / 2 - radius) / deepest) if deepest else 0.0
    for value, offset in zip(values, offsets, strict=True):
        tip = f"{name}: {options.exact(value)}"
        canvas.circle(area.x(value), area.y(row) + offset * step, radius, tone, tip=tip, opacity=opacity)


def _apart(places: Sequence[float], gap: float) -> list[int]:
    """For rising places the number of steps by which each is moved: 0, then in turn up and down."""
    last: dict[int, float] = {}
    moved = list[int]()
    for place in places:
        for step in _steps():
            if place - last.get(step, -1e9) >= gap or abs(step) >= 12:
                last[step] = place
                moved.append(step)
                break
    return moved


def _steps() -> Iterator[int]:
    yield 0
    for step in range(1, 13):
        yield step
        yield -step


def write_boxes(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """For every group its whiskers, its middle half and its median, over the ends of their scale."""
    return _write_sets(screen, frame, options, _box_signs)


def write_strips(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """For every group its values, denser where there are more, and its median."""
    return _write_sets(screen, frame, options, _strip_signs)


def _write_sets(
    screen: Screen, frame: Frame, options: ChartOptions,
    draw: Callable[[ValueAxis, Sequence[float], int], str],
) -> list[str]:  # fmt: skip
    """A line for every group, over the ends of their scale."""
    groups = groups_of(frame)
    shown = groups[: max(1, screen.rows - 2)]
    names = [screen.name(name, screen.columns // 3) for name, _ in shown]
    label = max(map(signs, names))
    values = [value for _, values in shown for value in values]
    axis = box_axis(values, options)
    room = max(8, screen.columns - label - 1)
    lines = [
        f"{place_line(name, label, 'right')} {screen.paint(draw(axis, values, room), screen.tone(0))}"
        for name, (_, values) in zip(names, shown, strict=True)
    ]
    low, high = (options.write(end) for end in axis.domain)
    ends = low + high.rjust(room - len(low))
    return [*lines, " " * (label + 1) + ends, *more_rows(len(groups) - len(shown))]


def box_axis(values: Sequence[float], options: ChartOptions) -> ValueAxis:
    """The axis from the least value to the greatest, or further where it is wished."""
    low, high = spread_of([*values, *(end for end in (options.values.low, options.values.high))])
    log = options.values.log and low > 0
    return ValueAxis((low, high), ("", ""), (low, high if high > low else low + 1), log)


def _strip_signs(axis: ValueAxis, values: Sequence[float], room: int) -> str:
    """The line of one strip: how many values lie in each place, and the median."""
    counts = [0] * room
    for value in values:
        counts[round(axis.position(value, room - 1))] += 1
    most = max(counts)
    drawn = [DENSITY[min(3, (count * 4 - 1) // most)] if count else " " for count in counts]
    drawn[round(axis.position(quantile(values, 0.5), room - 1))] = "┃"
    return "".join(drawn).rstrip()


def _box_signs(axis: ValueAxis, values: Sequence[float], room: int) -> str:
    """The line of one box."""

    def at(value: float) -> int:
        return round(axis.position(value, room - 1))

    first, middle, third = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = REACH * (third - first)
    inside = [value for value in values if first - reach <= value <= third + reach] or [middle]
    drawn = [" "] * room
    for value in values:
        drawn[at(value)] = "·"
    drawn[at(inside[0]) : at(inside[-1]) + 1] = "─" * (at(inside[-1]) - at(inside[0]) + 1)
    drawn[at(first) : at(third) + 1] = "▒" * (at(third) - at(first) + 1)
    drawn[at(middle)] = "┃"
    return "".join(drawn).rstrip()


NUMBERS = "height\n" + "".join(f"{at * at % 97}\n" for at in range(1, 31))


GROUPS = "tree,height\n" + "".join(f"{'ash' if at % 3 else 'elm'},{at * at % 97}\n" for at in range(1, 31))


AXES = frozenset(("axis", "axis/ticks"))


TYPES = (
    PlotType(
        word="box",
        noun="box plot",
        title="Boxes",
        order=4.2,
        example=GROUPS,
        draw=draw_boxes,
        terminal=write_boxes,
        tells=tell_medians,
        reads=AXES | {"axis/sort", "legend"},
        steps=(*SETS, partial(measure_sets, most=MOST_BOXES)),
        years="unless",
        sorted="sets",
        log=True,
        across=True,
        rows=True,
    ),
    PlotType(
        word="strip",
        noun="strip plot",
        title="Strips",
        order=4.3,
        example=GROUPS,
        drawing=(
            '<g class="p1"><circle cx="8" cy="7" r="1.7"/><circle cx="12" cy="7" r="1.7"/><circle'
            ' cx="14" cy="5" r="1.7"/><circle cx="14" cy="9" r="1.7"/><circle'
            ' cx="17" cy="7" r="1.7"/><circle cx="23" cy="7" r="1.7"/><circle'
            ' cx="31" cy="7" r="1.7"/><circle cx="11" cy="21" r="1.7"/><circle'
            ' cx="18" cy="21" r="1.7"/><circle cx="20" cy="19" r="1.7"/><circle'
            ' cx="20" cy="23" r="1.7"/><circle cx="23" cy="21" r="1.7"/><circle'
            ' cx="25" cy="19" r="1.7"/><circle cx="25" cy="23" r="1.7"/><circle'
            ' cx="29" cy="21" r="1.7"/></g>'
        ),
        draw=fit_sets(draw_strips),
        terminal=write_strips,
        tells=tell_medians,
        reads=AXES | {"axis/sort", "legend"},
        steps=(*SETS, partial(measure_sets, most=MOST_BOXES)),
        years="unless",
        sorted="sets",
        log=True,
        across=True,
        rows=True,
    ),
)
