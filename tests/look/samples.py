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
FIELDS = """field,yield,low,high
Clover,6.8,4.9,8.4
Rye,5.4,4.8,6
Oats,4.9,4.1,5.6
Barley,4.4,4,4.9
Potatoes,3.1,2.2,4.3
"""
SEA = "year,level,low,high\n" + "".join(
    f"{2000 + at},{(at * at * 0.08 + at * 2.1):.1f},{(at * at * 0.06 + at * 1.6 - 3):.1f},"
    f"{(at * at * 0.1 + at * 2.6 + 3):.1f}\n"
    for at in range(26)
)
WORKS = """task,start,end,team,done
Survey of the ground,2026-01-12,2026-02-06,Planning,100 %
Plans and permits,2026-02-02,2026-04-24,Planning,100 %
Piles,2026-04-20,2026-06-12,Building,80 %
Steel and deck,2026-06-08,2026-09-11,Building,10 %
Railings,2026-08-31,2026-10-09,Building,0 %
Lights,2026-09-14,2026-10-16,Power,0 %
Opening,2026-11-02,,Planning,
"""
LAND = """kind,use,hectares
Built,Dwellings,2410
Built,Streets and squares,1260
Built,Trade and industry,840
Built,Railways,210
Green,Woods,1320
Green,Fields,910
Green,Parks and gardens,480
Green,Allotments,95
Water,Lakes,610
Water,Rivers,130
Water,Harbour,45
"""
WAITS = "day,minutes\n" + "".join(
    f"{day},{8 + at * 3 + (run * run * 7 + at * 13) % 29 + (run % 7 == 0) * 14}\n"
    for at, day in enumerate(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"))
    for run in range(38)
)
STEPS = """step,people
Visited the page,18400
Read an article,9650
Began to subscribe,3120
Chose a way to pay,2080
Subscribed,1530
"""
AGES = "age,women,men\n" + "".join(
    f"{low} to {low + 9},{women},{men}\n"
    for low, women, men in zip(
        range(0, 100, 10), (9.1, 9.8, 12.4, 13.6, 12.9, 14.8, 13.1, 9.9, 6.2, 1.4),
        (9.6, 10.3, 12.9, 13.9, 12.7, 14.1, 12, 8.4, 4.1, 0.5), strict=True,
    )
)  # fmt: skip
WIND = """iso,wind
DK,57 %
DE,29 %
NL,27 %
GB,30 %
IE,34 %
ES,23 %
PT,28 %
SE,25 %
FI,24 %
NO,9 %
PL,14 %
FR,10 %
IT,8 %
BE,19 %
AT,12 %
GRC,21 %
LUX,6 %
"""
WORLD = "country,people\nUSA,340\nBR,212\nIND,1450\nChina,1410\nNGA,230\nAustralia,27\nSingapore,6\nDEU,84\n"
PORTS = """name,lat,lon,goods
Rotterdam,51.95,4.14,436
Antwerp,51.27,4.32,278
Hamburg,53.54,9.97,114
Algeciras,36.13,-5.44,107
Marseille,43.31,5.36,71
Piraeus,37.94,23.62,53
Gdansk,54.4,18.67,81
Trieste,45.64,13.76,56
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
    Sample(
        "errorbar", FIELDS, "Clover yields most, and is least certain", "Tonnes per hectare",
        beside={"layer": [marked("rule", x=number("low"), x2={"field": "high"}, y=words("field")),
                          marked("point", x=number("yield"), y=words("field"))]},
    ),
    Sample(
        "band", SEA, "The sea rises faster", "Mean sea level against 2000, mm, with the uncertainty",
        beside={"layer": [marked({"type": "area", "opacity": 0.3}, x=number("year"), y=number("low"),
                                 y2={"field": "high"}),
                          marked("line", x=number("year"), y=number("level"))]},
    ),
    Sample(
        "gantt", WORKS, "The bridge opens in November", "Works at the harbour, 2026",
        beside=marked("bar", x={"field": "start", "type": "temporal"}, x2={"field": "end"}, y=words("task"),
                      color=words("team")),
    ),
    Sample(
        "treemap", LAND, "Half of the city is built upon", "Use of the ground, hectares",
        beside=marked("bar", x=number("hectares"), y=words("use"), color=words("kind")),
    ),
    Sample(
        "strip", WAITS, "Thursday's patients waited longest", "Minutes from call to doctor",
        beside=marked("tick", x=number("minutes"), y=words("day")),
    ),
    Sample(
        "funnel", STEPS, "Every twelfth visitor subscribes", "Visitors in October",
        beside=marked("bar", x=number("people"), y=words("step")),
    ),
    Sample(
        "pyramid", AGES, "The town grows older", "Thousands of inhabitants by age, 2025",
        beside={"transform": [{"fold": ["women", "men"]}],
                **marked("bar", x=number("value"), y=words("age"), color=words("key"))},
    ),
    Sample("choropleth", WIND, "Denmark has the most wind", "Share of power from wind, 2025"),
    Sample(
        "choropleth", WORLD, "Eight countries on four continents", "People, millions",
        config={"colors/theme": "plum"},
    ),
    Sample("symbolmap", PORTS, "Most of it goes through Rotterdam", "Goods, million tonnes"),
)  # fmt: skip
