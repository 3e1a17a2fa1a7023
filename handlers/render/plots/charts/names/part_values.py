"""Values of parts: how much a part of a bar is, written into it where it finds room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import whole_shares
from handlers.render.plots.data.series import stack_sums
from handlers.render.plots.look.options import ChartOptions
from handlers.render.plots.look.style import Style
from handlers.words.language import language

LEAST_HIGH = 1.6
"""Height of a part, in heights of its label, from which it carries one."""


@dataclass(frozen=True, slots=True)
class PartValue:
    """Share of a part: its row, the value at its middle, the text, and a colour that is read on it."""

    row: int
    middle: float
    text: str
    color: str


def part_values(
    style: Style, frame: Frame, options: ChartOptions, each: float, bar: float, *, lying: bool
) -> Iterator[PartValue]:
    """The shares that find room.

    `each` is how many pixels a whole takes, `bar` is how thick a bar is.
    """
    tones = style.tones([column.name for column in frame.series])
    least = style.label * LEAST_HIGH
    for row in range(frame.height):
        used, values = 0.0, [column.numbers[row] or 0.0 for column in frame.series]
        for value, text, tone in zip(values, _texts(values, options), tones, strict=True):
            room = value * each
            wide = style.text(text) + 6
            fits = (room >= wide and bar >= style.label) if lying else (room >= least and bar >= wide)
            if value and fits:
                yield PartValue(row, used + value / 2, text, style.palette.on(tone))
            used += value


def total_texts(frame: Frame, options: ChartOptions) -> list[str]:
    """The sums of stacks as they are written beyond their ends; none unless that is wished."""
    if not options.figure.labels or len(frame.series) < 2:
        return []
    sums = [total for _, total in stack_sums(frame)]
    written = options.writer(sums)
    return ["" if total is None else written(total) for total in sums]


def _texts(values: Sequence[float], options: ChartOptions) -> list[str]:
    """The shares of a row as texts, whole ones that add up to 100% unless a format is wished."""
    if options.values.format:
        return [options.write_formatted(value) for value in values]
    return (
        [language().percent(share / 100) for share in whole_shares(values)]
        if any(values)
        else [""] * len(values)
    )
