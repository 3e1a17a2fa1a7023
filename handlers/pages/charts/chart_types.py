"""The types of plots that are picked by their drawings, and the words for all of them."""

from __future__ import annotations

from typing import NamedTuple

from handlers.render.plots.vocabulary import CUSTOM, DRAWN, TABLES

OTHER = "other"
"""The choice beside the drawings, for a type that is written as a word."""


class ChartType(NamedTuple):
    """A type that is picked: its word, and what it is called. Its drawing stands in the template."""

    word: str
    title: str


PICKED = (
    ChartType("bar", "Bars"),
    ChartType("sbar", "Stacked"),
    ChartType("hbar", "Lying"),
    ChartType("line", "Lines"),
    ChartType("area", "Areas"),
    ChartType("scatter", "Points"),
    ChartType("pie", "Pie"),
    ChartType("donut", "Ring"),
    ChartType("hist", "How often"),
    ChartType("heatmap", "Heat map"),
    ChartType("dot", "Dots"),
    ChartType("lollipop", "Sticks"),
    ChartType("dumbbell", "Dumbbells"),
    ChartType("range", "Ranges"),
    ChartType("slope", "Slopes"),
    ChartType("errorbar", "Error bars"),
    ChartType("band", "Band"),
    ChartType("strip", "Strips"),
    ChartType("waterfall", "Waterfall"),
    ChartType("treemap", "Tiles"),
    ChartType("funnel", "Funnel"),
    ChartType("pyramid", "Pyramid"),
    ChartType("gantt", "Tasks"),
    ChartType("choropleth", "Map"),
    ChartType("symbolmap", "Map, circles"),
    ChartType("value", "Figure"),
    ChartType("table", "Table"),
)
PICKED_WORDS = frozenset(one.word for one in PICKED)
FURTHER = tuple(word for word in (*DRAWN, *TABLES, CUSTOM) if word not in PICKED_WORDS)
"""Words that are suggested for the field."""
