"""Samples that are looked at: data and words of each type, and how plain Vega-Lite draws the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handlers.render.plots.plot import Plot


@dataclass(frozen=True)
class Sample:
    """A plot of a type, and how Vega-Lite draws its rows by default: marks with their encodings."""

    type: str
    data: str
    title: str
    subtitle: str = ""
    caption: str = "Invented figures"
    config: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, Any] | None = None

    @property
    def plot(self) -> Plot:
        """The plot."""
        words = {"title": self.title, "subtitle": self.subtitle, "caption": self.caption}
        return Plot(self.data, {"type": self.type, **words, **self.config}, self.type)


def number(name: str, **more: Any) -> dict[str, Any]:
    """A channel of numbers."""
    return {"field": name, "type": "quantitative", **more}


def words(name: str, **more: Any) -> dict[str, Any]:
    """A channel of names in the order of the rows."""
    return {"field": name, "type": "nominal", "sort": None, **more}


def marked(mark: Any, **encoding: Any) -> dict[str, Any]:
    """One mark with its channels."""
    return {"mark": mark, "encoding": encoding}


TOWNS = """town,2010,2025
Oslo,58,91
Bergen,44,78
Trondheim,39,71
Stavanger,47,62
Tromsø,21,55
Ålesund,30,33
Kristiansand,41,38
"""
BY_TOWN = """town,cycled
Oslo,12.4 %
Bergen,8.1 %
Trondheim,15.2 %
Stavanger,6.4 %
Tromsø,9.9 %
A place with a rather long name by the sea,4.2 %
"""
MONTHS = """month,low,high
January,-6.8,-1
March,-2.9,4.4
May,5.7,15.7
July,12.2,21.7
September,7.6,15.6
November,-1.8,2.9
"""
RESULT = """item,thousand €,kind
Sales,1240 €,
Returns,-85 €,
Net sales,,total
Material,-410 €,
Wages,-365 €,
Rent and energy,-120 €,
Grants,60 €,
Result,,total
"""
FOLDED = {"transform": [{"fold": ["2010", "2025"]}]}
SUMMED = {
    "transform": [
        {"window": [{"op": "sum", "field": "thousand €", "as": "after"}]},
        {"calculate": "datum.after - datum['thousand €']", "as": "before"},
    ]
}
SAMPLES: tuple[Sample, ...] = (
    Sample(
        "dot", BY_TOWN, "Trondheim cycles most", "Share of ways by bicycle, 2025",
        beside=marked("point", x=number("cycled"), y=words("town")),
    ),
    Sample(
        "lollipop", BY_TOWN, "Trondheim cycles most", "Share of ways by bicycle, 2025",
        beside=marked("bar", x=number("cycled"), y=words("town")),
    ),
    Sample(
        "dumbbell", TOWNS, "Five towns recycle far more than in 2010", "Recycled share of household waste, %",
        beside=marked("bar", x=number("2010"), x2={"field": "2025"}, y=words("town")),
    ),
    Sample(
        "range", MONTHS, "Summers are mild", "Mean low and high of the month, °C",
        beside=marked("bar", x=number("low"), x2={"field": "high"}, y=words("month")),
    ),
    Sample(
        "slope", TOWNS, "Only Kristiansand fell back", "Recycled share of household waste, %",
        beside=FOLDED | marked("line", x=words("key"), y=number("value"), color=words("town")),
    ),
    Sample(
        "waterfall", RESULT, "A quarter of the sales stays as the result", "Thousands of €, 2025",
        beside=SUMMED | marked("bar", x=number("before"), x2={"field": "after"}, y=words("item")),
    ),
)  # fmt: skip
