"""The words for those who do not see a chart: its type, its range, and its most telling value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from handlers.render.plots.charts.plot_types import type_of
from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.data.numbers import alone, quantile
from handlers.render.plots.drawn.intervals import interval_series
from handlers.render.plots.drawn.map_places import map_places
from handlers.render.plots.drawn.point_series import point_columns, spots_of
from handlers.render.plots.drawn.running_sums import sum_steps
from handlers.render.plots.drawn.spans import task_spans
from handlers.render.plots.drawn.tiles import tiles_of
from handlers.render.plots.vocabulary import (
    BARS,
    DISTRIBUTIONS,
    DRAWN,
    FIGURES,
    INTERVALS,
    LINES,
    MAPS,
    POINTS,
    RANGES,
    SHARES,
    SPANS,
)

LONGEST = 40


def chart_words(word: str, sent: Frame, frame: Frame, unit: str = "") -> str:
    """The description of a chart: how much was `sent`, and what the `frame` that is drawn tells."""
    rows, series = sent.height, _series_count(word, sent, frame)
    size = f"{type_of(word).noun}, {series} series, {rows:,} {'row' if rows == 1 else 'rows'}"
    if word in SPANS and frame.height:
        return "; ".join([size.replace("0 series, ", ""), *_tasks(frame)])
    if word not in DRAWN or not rows or frame.blank:
        return size
    return "; ".join([size + _span(word, frame), *TELLING[word](frame, unit)])


def line_words(column: Column) -> str:
    """The name of a line over bars, and from where to where it runs."""
    known = [value for value in column.numbers if value is not None]
    ends = f" from {alone(known[0], column.unit)} to {alone(known[-1], column.unit)}" if known else ""
    return f"{column.name[:LONGEST]}{ends}"


def _series_count(word: str, sent: Frame, frame: Frame) -> int:
    if word in POINTS:
        columns = point_columns(frame, sized=word == "bubble")
        return len(columns.series) if columns else 0
    if word in INTERVALS:
        return len(interval_series(frame))
    if word in MAPS:
        return 1
    return max(len(sent.series), len(frame.series))


def _span(word: str, frame: Frame) -> str:
    """From the least to the greatest place along the chart; of names from the first to the last."""
    axis = frame.axis
    if axis is None or frame.height < 2 or word not in ALONG:
        return ""
    places: Sequence[object] = frame.moments or frame.numbers_along or ()
    order = sorted(range(frame.height), key=places.__getitem__) if places else range(frame.height)  # type: ignore[arg-type]
    return f", {axis.texts[order[0]][:LONGEST]} to {axis.texts[order[-1]][:LONGEST]}"


def _known_values(frame: Frame) -> Iterator[tuple[float, str]]:
    """The values with the names of their rows and, of several series, theirs."""
    names = row_names(frame)
    if frame.axis is not None and frame.axis.type is not ColumnType.TEXT:
        names = frame.categories
    for column in frame.series:
        name = f" of {column.name[:LONGEST]}" if len(frame.series) > 1 else ""
        for row, value in enumerate(column.numbers):
            if value is not None:
                yield value, f"{name} at {names[row][:LONGEST]}" if frame.axis is not None else name


def _range(values: Sequence[float], unit: str) -> str:
    low, high = alone(min(values), unit), alone(max(values), unit)
    return low if low == high else f"{low} to {high}"


def _values(frame: Frame, unit: str) -> list[str]:
    """The range of the values."""
    return [f"values {_range([value for value, _ in _known_values(frame)], unit)}"]


def _greatest(frame: Frame, unit: str) -> list[str]:
    """The range, and the greatest value with its place."""
    value, place = max(_known_values(frame), key=lambda pair: pair[0])
    return [*_values(frame, unit), f"greatest {alone(value, unit)}{place}"]


def _last(frame: Frame, unit: str) -> list[str]:
    """The range, and the last value of the first series with its place."""
    frame = frame.sorted_along()
    ends = []
    for column in frame.series[:3]:
        known = [(value, row) for row, value in enumerate(column.numbers) if value is not None]
        if known:
            value, row = known[-1]
            name = f" of {column.name[:LONGEST]}" if len(frame.series) > 1 else ""
            place = f" at {frame.categories[row][:LONGEST]}" if frame.axis is not None else ""
            ends.append(f"last {alone(value, unit)}{name}{place}")
    return [*_values(frame, unit), *ends]


def _largest_share(frame: Frame, unit: str) -> list[str]:
    """The largest part and its share."""
    known = [(value, name) for value, name in zip(frame.series[0].numbers, frame.categories, strict=True)]
    parts = [(value, name) for value, name in known if value is not None and value > 0]
    if not parts:
        return []
    value, name = max(parts, key=lambda pair: pair[0])
    total = sum(part for part, _ in parts)
    values = f"values {_range([part for part, _ in parts], unit)}"
    return [values, f"largest share {name[:LONGEST]} with {value / total:.0%}"]


def _medians(frame: Frame, unit: str) -> list[str]:
    """The range and the median of each of the first sets."""
    told = []
    for column in frame.series[:4]:
        ordered = sorted(value for value in column.numbers if value is not None)
        if ordered:
            median = alone(quantile(ordered, 0.5), unit)
            told.append(f"{column.name[:LONGEST]} {_range(ordered, unit)}, median {median}")
    return told


def _intervals(frame: Frame, unit: str) -> list[str]:
    """The range of the values, and the widest interval with its place."""
    told = []
    for one in interval_series(frame)[:3]:
        known = [value for value in one.values if value is not None]
        ends = zip(one.lows, one.highs, frame.categories, strict=True)
        spans = [
            (high - low, low, high, name) for low, high, name in ends if low is not None and high is not None
        ]
        told += [f"{one.name[:LONGEST]} {_range(known, unit)}"] if known else []
        if spans:
            _, low, high, name = max(spans)
            told.append(f"widest {alone(low, unit)} to {alone(high, unit)} at {name[:LONGEST]}")
    return told


def _largest_tile(frame: Frame, unit: str) -> list[str]:
    """The whole, and its largest part with its share."""
    tiles = tiles_of(frame)
    total, top = sum(tile.value for tile in tiles), tiles[0]
    group = f" in {top.group[:LONGEST]}" if top.group else ""
    return [f"sum {alone(total, unit)}", f"largest {top.name[:LONGEST]}{group} with {top.value / total:.0%}"]


def _funnel(frame: Frame, unit: str) -> list[str]:
    """The first and the last step, and the share that comes to it."""
    known = [(value, name) for value, name in zip(frame.series[0].numbers, frame.categories, strict=True)
             if value is not None]  # fmt: skip
    (first, begin), (last, end) = known[0], known[-1]
    share = f", {last / first:.0%} of the first" if first else ""
    return [f"{alone(first, unit)} at {begin[:LONGEST]}", f"{alone(last, unit)} at {end[:LONGEST]}{share}"]


def _map_ends(frame: Frame, unit: str) -> list[str]:
    """The range of the values, and where the least and the greatest are."""
    places = sorted(map_places(frame), key=lambda place: place.value)
    least, most = places[0], places[-1]
    return [
        f"values {_range([place.value for place in places], unit)}",
        f"least {alone(least.value, unit)} in {least.name[:LONGEST]}",
        f"greatest {alone(most.value, unit)} in {most.name[:LONGEST]}",
    ]


def _tasks(frame: Frame) -> list[str]:
    """The first start, the last end, and the longest task."""
    tasks = task_spans(frame)
    first = min(tasks, key=lambda task: task.start)
    last = max(tasks, key=lambda task: task.end or task.start)
    longest = max(tasks, key=lambda task: (task.end or task.start) - task.start)
    return [
        f"first {first.name[:LONGEST]}, {first.said}",
        f"last {last.name[:LONGEST]}, {last.said}",
        f"longest {longest.name[:LONGEST]}, {longest.said}",
    ]


def _sums(frame: Frame, unit: str) -> list[str]:
    """The greatest change, and where the sum ends."""
    steps = [step for step in sum_steps(frame) if step.end is not None]
    changes = [step for step in steps if not step.total] or steps
    top = max(changes, key=lambda step: abs(step.change))
    end = steps[-1].end or 0.0
    return [
        f"greatest change {alone(top.change, unit)} at {top.name[:LONGEST]}",
        f"ends at {alone(end, unit)}",
    ]


def _places(frame: Frame, unit: str, *, sized: bool) -> list[str]:
    """The range on each axis, and the largest circle."""
    columns = point_columns(frame, sized=sized)
    spots, _ = spots_of(frame, sized=sized)
    if columns is None or not spots:
        return []
    across = _range([spot.x for spot in spots], "")
    upward = _range([spot.y for spot in spots], unit)
    named = columns.upward[0].name[:LONGEST] if len(columns.upward) == 1 else "values"
    told = [f"{columns.across.name[:LONGEST]} {across}", f"{named} {upward}"]
    amounts = [spot for spot in spots if spot.amount is not None]
    top = max(amounts, key=lambda spot: spot.amount or 0.0) if amounts else max(spots, key=lambda s: s.y)
    name = f"{top.name[:LONGEST]} " if top.name else ""
    if amounts:
        return [*told, f"largest {name}with {alone(top.amount)}"]
    return [*told, f"highest {name}{alone(top.y, unit)} at {alone(top.x)}"]


ALONG = frozenset((*BARS, *LINES, "calendar", *FIGURES, *RANGES))
TELLING: Mapping[str, Callable[[Frame, str], list[str]]] = {
    **dict.fromkeys((*BARS, "heatmap", "calendar", *RANGES), _greatest),
    **dict.fromkeys((*LINES, *FIGURES), _last),
    **dict.fromkeys(SHARES, _largest_share),
    **dict.fromkeys(DISTRIBUTIONS, _medians),
    "pyramid": _greatest,
    "treemap": _largest_tile,
    **dict.fromkeys(MAPS, _map_ends),
    "funnel": _funnel,
    **dict.fromkeys(INTERVALS, _intervals),
    "waterfall": _sums,
    "scatter": lambda frame, unit: _places(frame, unit, sized=False),
    "bubble": lambda frame, unit: _places(frame, unit, sized=True),
}
