"""Bars in a terminal: lying, side by side or stacked, on both sides of zero; shares, counts and boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from handlers.render.plots.charts.distributions import groups_of
from handlers.render.plots.charts.histograms import count_bins
from handlers.render.plots.charts.shares import WholePart, parts_of
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import quantile, spread_of
from handlers.render.plots.data.series import totals
from handlers.render.plots.forms.terminal.screen import Screen, more_rows, more_series
from handlers.render.plots.forms.terminal.text import place_line, signs
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.style import style_of

WHISKER = 1.5
TOTAL = "total"
DENSITY = "·:▒█"
"""Signs of few to many values in one place."""


def draw_bars(screen: Screen, frame: Frame, options: ChartOptions, *, stacked: bool) -> list[str]:
    """A line for each bar, or for each stack; rows and series that find no room are counted."""
    stacked = stacked and len(frame.series) > 1
    series = frame.series if stacked else frame.series[: max(1, screen.rows - 3)]
    key = screen.keys([column.name for column in series]) if len(series) > 1 else []
    lines_each = 1 if stacked or len(series) == 1 else len(series)
    unnamed = len(frame.series) - len(series)
    room = screen.rows - len(key) - bool(unnamed)
    most = frame.height if lines_each * frame.height <= room else max(1, (room - 1) // lines_each)
    names = row_names(frame)[:most]
    values = [value for column in frame.series for value in column.numbers]
    ends = totals(frame) if stacked else values
    written = options.writer(ends)
    low, high = spread_of([0.0, *ends, options.values.low, options.values.high, *options.values.reach])
    scale = _Scale(screen, [*map(screen.name, names, [screen.columns // 3] * len(names))], low, high,
                   max(signs(written(value)) for value in ends if value is not None))  # fmt: skip
    lines = []
    for row in range(len(names)):
        numbers = [column.numbers[row] for column in series]
        if stacked:
            total = math.fsum(number or 0.0 for number in numbers)
            text = "" if options.shares else written(total)
            lines.append(scale.stack(row, numbers, text, outward=options.colors.of_answers).rstrip())
            continue
        for index, number in enumerate(numbers):
            tone = row if screen.by_row else index
            lines.append(scale.bar(row if index == 0 else None, tone, number, written, len(series) == 1))
    return [*lines, *key, *more_series(unnamed), *more_rows(frame.height - len(names))]


class _Scale:
    """Columns of names, of bars before and after zero, and of values."""

    def __init__(self, screen: Screen, names: Sequence[str], low: float, high: float, amount: int) -> None:
        self.screen, self.names = screen, names
        self.label = max((signs(name) for name in names), default=0)
        self.amount = amount + 1
        before = self.amount if low < 0 else 0
        room = max(4, screen.columns - self.label - 1 - self.amount - before)
        span = (high - low) or 1.0
        self.each = room / span
        self.left = round(-low * self.each) + before

    def head(self, row: int | None) -> str:
        """The name of a row, to the right."""
        return place_line(self.names[row] if row is not None else "", self.label, "right") + " "

    def bar(self, row: int | None, index: int, value: float | None, written: object, single: bool) -> str:
        """One bar with its value at its end."""
        screen = self.screen
        if value is None:
            return self.head(row) + " " * self.left + "n/a"
        text = written(value) if callable(written) else ""
        if value < 0:
            whole = max(0, min(self.left - self.amount, round(-value * self.each)))
            drawn = screen.bar(whole, index, alone=single)
            return self.head(row) + place_line(text, self.left - whole - 1, "right") + " " + drawn
        drawn = screen.bar(value * self.each, index, alone=single)
        return self.head(row) + " " * self.left + drawn + " " + text

    def stack(self, row: int, values: Sequence[float | None], text: str, *, outward: bool) -> str:
        """The parts of a stack, each from the end of the one before, and their sum.

        With `outward` the first of those below zero is the farthest from it.
        """
        before = after = ""
        used = down = 0.0
        parts = [(index, value or 0.0) for index, value in enumerate(values)]
        for index, value in parts:
            end = used + max(0.0, value)
            after += self.screen.bar(round(end * self.each) - round(used * self.each), index, alone=False)
            used = end
        for index, value in reversed(parts) if outward else parts:
            end = down - min(0.0, value)
            part = round(end * self.each) - round(down * self.each)
            before = self.screen.bar(part, index, alone=False) + before
            down = end
        blank = " " * max(0, self.left - round(down * self.each))
        return f"{self.head(row)}{blank}{before}{after} {text}"


def draw_parts(screen: Screen, frame: Frame, options: ChartOptions, *, ring: bool) -> list[str]:
    """The parts of a whole, the largest first, with amounts and shares; of a ring their sum, too."""
    parts, _ = parts_of(style_of(900, "light", named=options.colors.named), frame)
    written = options.writer([part.value for part in parts])
    total = options.write(sum(part.value for part in parts)) if ring else ""
    names = [screen.name(part.name, screen.columns // 3) for part in parts]
    label = max(map(signs, [*names, *([TOTAL] if ring else [])]))
    amount = max(signs(total), *(signs(written(part.value)) for part in parts))
    room, most = screen.columns - label - amount - 7, max(part.value for part in parts)
    lines = []
    for index, (name, part) in enumerate(zip(names, parts, strict=True)):
        color = _part_color(part, options)
        bar = screen.bar(part.value / most * room, index, color=color) if room > 1 else ""
        lines.append(
            f"{place_line(name, label, 'left')} {part.share:>4} {written(part.value):>{amount}} {bar}"
        )
    sum_line = f"{place_line(TOTAL, label, 'left')} 100% {total:>{amount}}"
    return [*lines, *([sum_line] if ring and screen.rows > len(lines) else [])]


def _part_color(part: WholePart, options: ChartOptions) -> str:
    """The colour of a part whose name has one; else none."""
    named = options.colors.named
    return part.color if named.others or named.has(part.name) else ""


def draw_counts(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """The counts of histograms, a line for each bin, below the names of several sets."""
    sets = [
        (column.name, ordered)
        for column in frame.series
        if (ordered := sorted(value for value in column.numbers if value is not None))
    ]
    room = max(4, screen.rows // len(sets))
    lines = []
    for index, (name, ordered) in enumerate(sets):
        drawn = _count_lines(screen, ordered, room - (len(sets) > 1), index, options.write)
        lines += [screen.name(name, screen.columns), *drawn] if len(sets) > 1 else drawn
    return lines


def _count_lines(screen: Screen, ordered: Sequence[float], room: int, index: int, write: Writer) -> list[str]:
    """The bins of a set in so many lines."""
    bins = count_bins(ordered, min(20, max(2, room * 2 // 3)))
    most = room
    while len(bins.counts) > room and most > 1:
        most -= 1
        bins = count_bins(ordered, most)
    label = max(signs(write(edge)) for edge in bins.edges)
    each = max(4, screen.columns - label - 10) / (max(bins.counts) or 1)
    beyond = [f"({bins.beyond:,} above {write(bins.edges[-1])})"] if bins.beyond else []
    return [
        *(
            f"{place_line(write(edge), label, 'right')} {screen.bar(count * each, index)} {count:,}"
            for edge, count in zip(bins.edges, bins.counts, strict=False)
        ),
        *beyond,
    ]


def draw_boxes(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """For every group its whiskers, its middle half and its median, over the ends of their scale."""
    return _draw_sets(screen, frame, options, _box)


def draw_strips(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """For every group its values, denser where there are more, and its median."""
    return _draw_sets(screen, frame, options, _strip)


def _draw_sets(
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


def _strip(axis: ValueAxis, values: Sequence[float], room: int) -> str:
    """The line of one strip: how many values lie in each place, and the median."""
    counts = [0] * room
    for value in values:
        counts[round(axis.position(value, room - 1))] += 1
    most = max(counts)
    drawn = [DENSITY[min(3, (count * 4 - 1) // most)] if count else " " for count in counts]
    drawn[round(axis.position(quantile(values, 0.5), room - 1))] = "┃"
    return "".join(drawn).rstrip()


def _box(axis: ValueAxis, values: Sequence[float], room: int) -> str:
    """The line of one box."""

    def at(value: float) -> int:
        return round(axis.position(value, room - 1))

    first, middle, third = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = WHISKER * (third - first)
    inside = [value for value in values if first - reach <= value <= third + reach] or [middle]
    drawn = [" "] * room
    for value in values:
        drawn[at(value)] = "·"
    drawn[at(inside[0]) : at(inside[-1]) + 1] = "─" * (at(inside[-1]) - at(inside[0]) + 1)
    drawn[at(first) : at(third) + 1] = "▒" * (at(third) - at(first) + 1)
    drawn[at(middle)] = "┃"
    return "".join(drawn).rstrip()
