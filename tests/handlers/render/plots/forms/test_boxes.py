"""A plot in a box of any size: no two texts touch, none leaves it, none is smaller than its medium allows."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from handlers.render.plots.charts.plot_types import TYPES
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.look.style import LEAST_LETTER
from handlers.render.plots.plot import Plot
from tests.handlers.render.plots.golden_charts import DATA, SERIES, WORDS
from tests.handlers.render.plots.text_boxes import text_boxes, text_faults

WIDTHS, HEIGHTS = (240, 300, 390, 560, 900, 1400), (120, 170, 260, 400, 620)
NAMES = (
    "Construction", "Leisure and hospitality", "Agriculture", "Business services", "Manufacturing",
    "Wholesale and retail trade", "Information", "Mining and extraction", "Self-employed",
    "Education and health", "Transport and utilities", "Government",
)  # fmt: skip
SIZES = [(width, height) for width in WIDTHS for height in HEIGHTS if height <= 2.2 * width]


def of_years(series: int, rows: int) -> str:
    """A table of years and as many series of made-up numbers."""
    dice = random.Random(series * 100 + rows)
    head = ",".join(("year", *NAMES[:series]))
    lines = (
        f"{2000 + row}," + ",".join(f"{dice.uniform(1, 90):.1f}" for _ in range(series))
        for row in range(rows)
    )
    return "\n".join((head, *lines, ""))


def of_names(rows: int) -> str:
    """A row for each name, with one made-up number."""
    dice = random.Random(rows)
    return "what,n\n" + "".join(
        f"{NAMES[row % 12]} {row // 12 or ''},{dice.randint(1, 5000)}\n" for row in range(rows)
    )


CASES: Mapping[str, tuple[str, str]] = {
    **{type_: (type_, DATA.get(type_, SERIES)) for type_ in (*TYPES, "table")},
    "12 lines": ("line", of_years(12, 20)),
    "4 lines": ("line", of_years(4, 9)),
    "6 areas": ("sarea", of_years(6, 12)),
    "5 stacks": ("sbar", of_years(5, 12)),
    "5 lying stacks": ("hsbar", of_years(5, 6)),
    "3 groups": ("gbar", of_years(3, 10)),
    "12 bars": ("hbar", of_names(12)),
    "40 bars": ("bar", of_names(40)),
    "12 parts": ("donut", of_names(12)),
    "wide heat map": ("heatmap", of_years(12, 8)),
    "wide table": ("table", of_years(12, 20)),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES)
def test_no_texts_of_a_box_touch_and_none_is_small(case: str) -> None:
    type_, data = CASES[case]
    plot = Plot(data, {"type": type_, **WORDS})
    for width, height in SIZES:
        svg = draw(plot, Look(width=width, height=height)).svg
        assert not text_faults(svg), f"{case} at {width} x {height}"
        least = min((box.size for box in text_boxes(svg)), default=LEAST_LETTER)
        assert least >= LEAST_LETTER - 0.05, f"{case} at {width} x {height} has letters of {least:.1f}"


def test_a_chart_of_few_rows_keeps_its_words_in_a_box_that_it_does_not_fill() -> None:
    config = {"type": "waterfall", "title": "Result", "subtitle": "Thousands", "caption": "Source: us"}
    plot = Plot("part,sum\nSales,100\nCost,-40\nTax,-12\n", config)
    for height in range(220, 700, 40):
        drawn = draw(plot, Look(width=760, height=height))
        assert not drawn.notes
        assert "Source: us" in drawn.svg and "takes away" in drawn.svg
