"""Tips: what a pointer that rests on a mark is told, in drawings that are a part of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handlers.render.plots.data.date_words import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.look.options import ChartOptions

MOST = 2_000
"""Marks of a layer beyond which none has a tip, as the drawing would be twice as large."""
LONGEST = 120
TIP = "tip"


def with_tips(rows: Sequence[dict[str, Any]], frame: Frame, options: ChartOptions) -> list[dict[str, Any]]:
    """Rows of marks with a row, a series and a value, each with its tip."""
    names, several = row_names(frame), len(frame.series) > 1
    return [
        {
            **row,
            TIP: tip_of(
                names[int(row["row"])], row["series"] if several else "", options.write(row["value"])
            ),
        }
        for row in rows
    ]


def tip_of(name: str, series: str, value: str) -> str:
    """The name of a mark, its series if there are several, and its value."""
    return f"{name[:LONGEST]}: {f'{series[:LONGEST]} ' if series else ''}{value}"


def add_tips(layer: dict[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A layer of Vega-Lite whose marks carry the tips of their rows, as far as there are not too many.

    Vega writes them as labels, of which the sheet makes the titles that browsers show.
    """
    if not rows or len(rows) > MOST:
        return layer
    encoding = {**layer["encoding"], "description": {"field": TIP}}
    return {**layer, "mark": {**layer["mark"], "aria": True}, "encoding": encoding}
