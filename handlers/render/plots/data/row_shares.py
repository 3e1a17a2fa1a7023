"""Shares of rows: what each series has of the sum of its row, 0 to 1."""

from __future__ import annotations

import math
from dataclasses import replace

from handlers.render.plots.data.frame import Column, Frame


def share_rows(frame: Frame) -> tuple[Frame, int]:
    """The frame with shares of rows in place of values, and the number of rows without anything to share.

    Values are 0 or above.
    """
    wholes = [math.fsum(column.numbers[row] or 0.0 for column in frame.series) for row in range(frame.height)]
    series = {id(column) for column in frame.series}
    columns = tuple(_shares(column, wholes) if id(column) in series else column for column in frame.columns)
    return replace(frame, columns=columns), sum(not whole for whole in wholes)


def _shares(column: Column, wholes: list[float]) -> Column:
    numbers = tuple(
        None if value is None or not whole else value / whole
        for value, whole in zip(column.numbers, wholes, strict=True)
    )
    texts = tuple("" if number is None else f"{number:.4g}" for number in numbers)
    return replace(column, numbers=numbers, texts=texts, unit="")
