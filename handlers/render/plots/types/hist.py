"""Histograms: the counts of numbers in round bins, with a panel for each set."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from handlers.render.plots.charts.chart import Chart, Panel
from handlers.render.plots.charts.marks.canvas import Canvas, draw_along, draw_grid, draw_zero, name_along
from handlers.render.plots.charts.value_axis import Plane, ValueAxis, tick_labels, ticks_over, value_axis
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, quantile, round_ticks
from handlers.render.plots.drawn.drawn_data import (
    MOST_PANELS,
    bound_series,
    measure_sets,
    names_first,
    sets_of,
)
from handlers.render.plots.forms.terminal.screen import Screen, place_line, signs
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.style import Style
from handlers.render.plots.plot_type import PlotType
from handlers.render.plots.shown.description import describe_medians
from handlers.words.language import from_to, say, write_count

TAIL = 0.995
"""Share of the values that a histogram with a long tail shows."""
LEAST, MOST = 8, 25
"""Bins that any set may have, and most bins if each whole number, or each half, has a separate one."""
STEPS, FINEST, LARGEST = (1.0, 0.5, 0.1, 0.01, 0.001), 3, 1e9
"""Possible steps of values, their most decimals, and the size of values from which steps are unknown."""


@dataclass(frozen=True, slots=True)
class Bins:
    """Edges of equally wide bins, the number of values in each, and of values above all bins.

    `step` is the step that all values are multiples of, 0 if unknown.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    beyond: int
    step: float

    @property
    def shift(self) -> float:
        """The distance of the first possible value in a bin from its lower edge."""
        return self.step / 2 if self.step and not _is_multiple(self.edges[0], self.step) else 0.0

    @property
    def end(self) -> float:
        """The lowest possible value above all bins."""
        return self._round(self.edges[-1] + self.shift)

    def words(self, at: int, write: Callable[[float], str]) -> str:
        """Return the only value of a bin as text, or its first and its last value."""
        first, last = self._round(self.edges[at] + self.shift), self.edges[at + 1] - self.shift
        last = self._round(last - 1 if self.step == 1 and not self.shift else last)
        return write(first) if first == last else from_to(write(first), write(last))

    def at_most(self, most: int) -> Bins:
        """Return at most a number of bins, by joining adjacent ones."""
        each = math.ceil(len(self.counts) / max(1, most))
        starts = range(0, len(self.counts), each)
        counts = tuple(sum(self.counts[at : at + each]) for at in starts)
        return Bins((*(self.edges[at] for at in starts), self.edges[-1]), counts, self.beyond, self.step)

    def _round(self, value: float) -> float:
        return round(value, FINEST) if self.step else value


def usual_count(ordered: Sequence[float]) -> int:
    """Return the approximate number of bins of a set with too many different values for a bin each."""
    return max(LEAST, min(MOST, round(math.sqrt(len(ordered)))))


def bin_edges(ordered: Sequence[float], most: int) -> list[float]:
    """Return the edges of about `most` bins of round width; a long tail is left out."""
    low, high, step = ordered[0], ordered[-1], value_step(ordered)
    if step >= 0.5 and (high - low) / step < MOST:
        return _edges_around(low, high, step)
    usual = quantile(ordered, TAIL)
    far = len(ordered) > 2 * MOST and high - low > 1.6 * (usual - low) > 0
    top = usual if far else high
    if step >= 0.5 and (top - low) / step < MOST:
        return _edges_around(low, math.floor(top / step) * step, step)
    if low == high:
        return _edges_around(low, low, step or (10.0 ** math.floor(math.log10(abs(low))) if low else 1.0))
    edges = round_ticks(low, top, most)
    while step and most > 1 and not _is_multiple(edges[1] - edges[0], step):
        most -= 1
        edges = round_ticks(low, top, most)
    width = edges[1] - edges[0]
    if step and width < step * 1.5:
        return _edges_around(low, math.floor(top / step + 1e-6) * step, step)
    # Bins do not include their upper edge, so values on the last edge need another bin.
    return (
        edges if edges[-1] > top else [*edges, round(edges[-1] + width, 12 - math.floor(math.log10(width)))]
    )


def count_in(edges: Sequence[float], ordered: Sequence[float]) -> Bins:
    """Return bins with the number of values in each, and above the last."""
    found = Counter(bisect_right(edges, value) - 1 for value in ordered)
    counts = tuple(found[at] for at in range(len(edges) - 1))
    return Bins(tuple(edges), counts, len(ordered) - sum(counts), value_step(ordered))


def value_step(ordered: Sequence[float]) -> float:
    """Return 1 for whole numbers, 0.5 for halves, 0.1 for one decimal, and so on; 0 for others."""
    if max(map(abs, ordered)) >= LARGEST:
        return 0.0
    return next((step for step in STEPS if all(_is_multiple(value, step) for value in ordered)), 0.0)


def _edges_around(low: float, high: float, step: float) -> list[float]:
    """Return the edges of bins around each step from `low` to `high`."""
    return [low + (at - 0.5) * step for at in range(round((high - low) / step) + 2)]


def _is_multiple(value: float, step: float) -> bool:
    return abs(value / step - round(value / step)) < 1e-6


ALIKE = 2.5
"""Greatest ratio of the range of all sets to that of the narrowest set for which they share bins."""
GAP = 14
RIGHT = 10
"""Pixels at the right of a panel."""
LEAST_PANEL = 150
LOW_BOX = 100.0
"""Height in pixels below which the axis of counts has no name."""
COUNTED = "how many"
"""Name of the axis of counts."""


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A set of numbers: its name, its sorted values, their bins, and the colour of its bars."""

    name: str
    ordered: tuple[float, ...]
    bins: Bins
    color: str = ""


def draw_histogram(style: Style, frame: Frame, box: float | None, options: ChartOptions) -> Chart:
    """Draw the counts of a series in round bins, with its median; several series are in panels."""
    sets, shared = measured_sets(frame)
    tones = style.tones([one.name for one in sets])
    sets = [replace(one, color=tone) for one, tone in zip(sets, tones, strict=True)]
    if len(sets) == 1:
        height = box or style.height()
        chart = _panel(style, sets[0], (style.inner, height), options, _counts(sets, height, options))
    else:
        measured = frame.axis.name if frame.axis is not None else ""
        chart = _panels(style, sets, box, options, shared=shared, measured=measured)
    most, wanted = max(max(one.bins.counts) for one in sets), options.values.high
    cut = wanted is not None and most > wanted
    logged = (f"config/axis/domains: y goes on to {alone(most)}, so that no value is cut off",) if cut else ()
    return replace(chart, notes=tuple(_tails(sets, options)), logged=logged)


def measured_sets(frame: Frame) -> tuple[list[MeasuredSet], bool]:
    """Return the sets of a frame, and whether they share their bins because their ranges are similar."""
    columns = sets_of(frame)
    everything = sorted(value for _, ordered in columns for value in ordered)
    span = everything[-1] - everything[0]
    narrowest = min(ordered[-1] - ordered[0] for _, ordered in columns)
    shared = len(columns) > 1 and 0 < span <= ALIKE * narrowest
    most = max(usual_count(ordered) for _, ordered in columns)
    edges = bin_edges(everything, min(MOST, round(most * span / narrowest))) if shared else None
    sets = list[MeasuredSet]()
    for name, ordered in columns:
        bins = count_in(edges or bin_edges(ordered, usual_count(ordered)), ordered)
        sets.append(MeasuredSet(name, tuple(ordered), bins))
    return sets, shared


def _counts(sets: Sequence[MeasuredSet], height: float, options: ChartOptions) -> ValueAxis:
    """Return the axis of the counts, with ticks at whole numbers only."""
    counts = [count for one in sets for count in one.bins.counts]
    axis = value_axis(counts, ticks_over(height - 70), settings=options.values)
    ticks = tuple(tick for tick in axis.ticks if tick.is_integer() or options.values.at)
    return replace(axis, ticks=ticks, labels=tick_labels(ticks, "", options.values))


def _panels(
    style: Style,
    sets: Sequence[MeasuredSet],
    box: float | None,
    options: ChartOptions,
    *,
    shared: bool,
    measured: str,
) -> Chart:
    """Draw a panel for each set: one below the other if they share bins, else side by side if they fit.

    The name of the quantity is below the last panel.
    """
    columns = 1 if shared or style.narrow else 2
    rows = math.ceil(len(sets) / columns)
    height = max(box or 0.0, 60.0 * rows) if box else max(style.height(), LEAST_PANEL * rows)
    wide = (style.inner - GAP * 2 * (columns - 1)) / columns
    tall = (height - GAP * (rows - 1)) / rows
    panels = []
    for number, one in enumerate(sets):
        axis = _counts(sets if shared else [one], tall, options)
        end = number == len(sets) - 1
        below = measured if end and (shared or columns == 1) else ""
        chart = _panel(
            style, one, (wide, tall), options, axis, named=True, last=end or not shared, below=below
        )
        place = (number % columns) * (wide + 2 * GAP), (number // columns) * (tall + GAP)
        panels.append(Panel(*place, chart))
    return Chart(height, panels=tuple(panels))


def _panel(
    style: Style,
    one: MeasuredSet,
    size: tuple[float, float],
    options: ChartOptions,
    axis: ValueAxis,
    *,
    named: bool = False,
    last: bool = True,
    below: str = "",
) -> Chart:
    """Draw the bars of a set over their axes, with its name if `named`, and numbers along them if `last`.

    Below the numbers is the name of the axis, or of the quantity (`below`), or of the only set.
    """
    wide, height = size
    title = "" if options.along.name or height < LOW_BOX else below if named else one.name
    left = math.ceil(style.widest(axis.labels)) + 10
    counted = "" if named or options.values.name or height <= LEAST_PANEL else COUNTED
    top = style.label + 8 + style.line * ((named or height > LEAST_PANEL) + bool(counted))
    bottom = (style.line * 2 + 14 if title else style.line + 10) if last else 6
    bins = ValueAxis((), (), _ends(one.bins.edges, options))
    box = Plane(left, top, wide - left - RIGHT, max(16.0, height - top - bottom), axis, bins)
    canvas = Canvas(style)
    draw_grid(canvas, box)
    most = len(one.bins.counts) if one.bins.shift else MOST
    along = ((box.x(at), lines) for at, lines in _ticks(bins.domain, box.width, options, most, last=last))
    draw_along(canvas, box, along, signs=options.along.ticks, reach=RIGHT)
    if title:
        name_along(canvas, title[:80], box.right, box.bottom + 13 + style.label * 1.55)
    _draw_counts(canvas, one, box, options)
    draw_zero(canvas, box)
    _draw_median(canvas, box, quantile(one.ordered, 0.5), options)
    color = style.palette.readable(one.color) if named else style.palette.quiet
    said, weight = (one.name[:80], 600) if named else (say(counted), 400)
    canvas.text(0, style.label * 0.5, said, color, weight=weight)
    return Chart(box.bottom + bottom, canvas.svg(), marks=box.height)


def _draw_counts(canvas: Canvas, one: MeasuredSet, box: Plane, options: ChartOptions) -> None:
    """Draw a bar for each bin, with a pixel between bars."""
    bins, y = one.bins, box.y(0.0)
    for at, count in enumerate(bins.counts):
        start, end = box.x(bins.edges[at]), box.x(bins.edges[at + 1])
        tip = f"{bins.words(at, options.exact)}: {write_count(count)}"
        canvas.rect(start + 0.5, y, end - start - 1, box.y(count) - y, one.color, tip=tip)


def _tails(sets: Sequence[MeasuredSet], options: ChartOptions) -> Iterator[str]:
    """Yield sentences about the values beyond the last bin."""
    said = say("%s of %s values are not shown: they are above %s, up to %s.")
    for one in sets:
        if one.bins.beyond:
            counts = write_count(one.bins.beyond), write_count(len(one.ordered))
            ends = alone(one.bins.end, options.unit), alone(one.ordered[-1], options.unit)
            name = f"{one.name[:40]}: " if len(sets) > 1 else ""
            yield name + said % (*counts, *ends)


def _ends(edges: Sequence[float], options: ChartOptions) -> tuple[float, float]:
    """Return the ends of the axis along the bins, widened by settings."""
    low, high = options.along.low, options.along.high
    low = edges[0] if low is None else min(edges[0], low)
    return low, edges[-1] if high is None else max(edges[-1], high)


def _ticks(
    ends: tuple[float, float], width: float, options: ChartOptions, most: int, *, last: bool
) -> list[tuple[float, tuple[str]]]:
    """Return the ticks along the bins; only the `last` panel has labels."""
    (low, high), along = ends, options.along
    wanted = along.at or round_ticks(low, high, along.count or min(most, max(2, round(width / 90))))
    ticks = [tick for tick in wanted if low <= tick <= high] or [low, high]
    labels = tick_labels(ticks, options.unit, along) if last else ("",) * len(ticks)
    return [(tick, (label,)) for tick, label in zip(ticks, labels, strict=True)]


def _draw_median(canvas: Canvas, box: Plane, median: float, options: ChartOptions) -> None:
    """Draw a line at the median, with its value at the side with more space."""
    style = canvas.style
    x, text = box.x(median), say("median %s") % options.write(median)
    text = text[:1].upper() + text[1:]
    if not box.left <= x <= box.right:
        return
    ink, above = style.palette.ink, box.top - style.line
    canvas.line((x, above), (x, box.bottom), ink, 1.5)
    rightward = (x - box.left) / box.width < 0.75
    at, anchor = x + (6 if rightward else -6), "start" if rightward else "end"
    canvas.text(at, above + style.label * 0.5, text, ink, weight=600, anchor=anchor)


def write_counts(screen: Screen, frame: Frame, options: ChartOptions) -> list[str]:
    """Return a line with the count of each bin, and above them the name of the set if there are several."""
    sets, _ = measured_sets(frame)
    room = max(4, screen.rows // len(sets)) - (len(sets) > 1)
    lines = []
    for index, one in enumerate(sets):
        drawn = _count_lines(screen, one.bins, room, index, options.write)
        lines += [screen.name(one.name, screen.columns), *drawn] if len(sets) > 1 else drawn
    return lines


def _count_lines(screen: Screen, bins: Bins, room: int, index: int, write: Writer) -> list[str]:
    """Return the bins of a set in at most a number of lines."""
    beyond = [f"({bins.beyond:,} of {write(bins.end)} and more)"] if bins.beyond else []
    bins = bins.at_most(room - len(beyond))
    names = [bins.words(at, write) for at in range(len(bins.counts))]
    label = max(map(signs, names))
    each = max(4, screen.columns - label - 10) / (max(bins.counts) or 1)
    lines = [
        f"{place_line(name, label, 'right')} {screen.bar(count * each, index)} {write_count(count)}"
        for name, count in zip(names, bins.counts, strict=True)
    ]
    return [*lines, *beyond]


TYPES = (
    PlotType(
        word="hist",
        noun="histogram",
        title="Histogram",
        order=4.1,
        example="height\n" + "".join(f"{at * at % 97}\n" for at in range(1, 31)),
        draw=draw_histogram,
        terminal=write_counts,
        describes=describe_medians,
        reads=frozenset(("axis", "axis/ticks")),
        steps=(names_first, bound_series, partial(measure_sets, most=MOST_PANELS, few_groups=True)),
        years="unless",
        binned=True,
    ),
)
