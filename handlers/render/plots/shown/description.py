"""Descriptions of charts for screen readers: the type, the range, and the most important value."""

from __future__ import annotations

from collections.abc import Sequence

from handlers.render.plots.data.frame import Column, Frame
from handlers.render.plots.data.numbers import alone, quantile
from handlers.render.plots.plot_type import PlotType
from handlers.words.language import from_to, say

LONGEST = 40


def chart_words(kind: PlotType, sent: Frame, frame: Frame, unit: str = "") -> str:
    """Return the description of a chart: the number of rows `sent`, and the content of the drawn `frame`."""
    rows = sent.height
    said = say(f"{rows:,} {'row' if rows == 1 else 'rows'}")
    series = kind.counts(frame) if kind.counts is not None else max(len(sent.series), len(frame.series))
    if kind.dated and frame.height:
        size = ", ".join([say(kind.noun), *([say(f"{series} series")] if series else []), said])
        return "; ".join([size, *(kind.describes(frame, unit) if kind.describes is not None else ())])
    size = ", ".join([say(kind.noun), say(f"{series} series"), said])
    if kind.describes is None or not rows or frame.blank:
        return size
    return "; ".join([size + _span(kind, frame), *kind.describes(frame, unit)])


def line_words(column: Column) -> str:
    """Return the name of a line over bars, with its first and last value."""
    known = [value for value in column.numbers if value is not None]
    ends = ""
    if known:
        ends = " " + say("from %s to %s") % (alone(known[0], column.unit), alone(known[-1], column.unit))
    return f"{column.name[:LONGEST]}{ends}"


def _span(kind: PlotType, frame: Frame) -> str:
    """Return the lowest and the highest position along the chart; for names the first and the last."""
    axis = frame.axis
    if axis is None or frame.height < 2 or not kind.along:
        return ""
    texts = [text[:LONGEST] for text in frame.sorted_along().categories]
    return f", {from_to(texts[0], texts[-1])}"


def _place(frame: Frame, column: Column, row: int) -> str:
    """Return the words for the place of a value: its series, if there are several, and its row."""
    series = say(" of %s") % column.name[:LONGEST] if len(frame.series) > 1 else ""
    return series + (say(" at %s") % frame.categories[row][:LONGEST] if frame.axis is not None else "")


def range_words(values: Sequence[float], unit: str) -> str:
    """Return a text with the lowest and the highest value."""
    low, high = alone(min(values), unit), alone(max(values), unit)
    return low if low == high else from_to(low, high)


def tell_values(frame: Frame, unit: str) -> list[str]:
    """Return the range of the values."""
    return [say("values %s") % range_words([value for value in frame.values if value is not None], unit)]


def describe_greatest(frame: Frame, unit: str) -> list[str]:
    """Return the range, and the highest value with its position."""
    known = (
        (value, column, row)
        for column in frame.series
        for row, value in enumerate(column.numbers)
        if value is not None
    )
    value, column, row = max(known, key=lambda one: one[0])
    greatest = alone(value, unit) + _place(frame, column, row)
    return [*tell_values(frame, unit), say("greatest %s") % greatest]


def describe_last(frame: Frame, unit: str) -> list[str]:
    """Return the range, and the last values of the first series with their positions."""
    frame = frame.sorted_along()
    ends = []
    for column in frame.series[:3]:
        known = [(value, row) for row, value in enumerate(column.numbers) if value is not None]
        if known:
            value, row = known[-1]
            ends.append(say("last %s") % (alone(value, unit) + _place(frame, column, row)))
    return [*tell_values(frame, unit), *ends]


def describe_medians(frame: Frame, unit: str) -> list[str]:
    """Return the range and the median of each of the first sets."""
    sentences = []
    for column in frame.series[:4]:
        ordered = sorted(value for value in column.numbers if value is not None)
        if ordered:
            median = say("median %s") % alone(quantile(ordered, 0.5), unit)
            sentences.append(f"{column.name[:LONGEST]} {range_words(ordered, unit)}, {median}")
    return sentences
