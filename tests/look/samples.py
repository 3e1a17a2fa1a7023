"""Samples for contact sheets: data and texts of each type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from handlers.words.plot import Plot


@dataclass(frozen=True)
class Sample:
    """A plot of a type: its data, its words and its settings."""

    type: str
    data: str
    title: str
    subtitle: str = ""
    caption: str = "Invented figures"
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def plot(self) -> Plot:
        """The plot."""
        words = {"title": self.title, "subtitle": self.subtitle, "caption": self.caption}
        return Plot(self.data, {"type": self.type, **words, **self.config}, self.type)


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
SAMPLES: tuple[Sample, ...] = (
    Sample(
        "dot", BY_TOWN, "Trondheim cycles most", "Share of ways by bicycle, 2025",
            ),
    Sample(
        "lollipop", BY_TOWN, "Trondheim cycles most", "Share of ways by bicycle, 2025",
            ),
    Sample(
        "dumbbell", TOWNS, "Five towns recycle far more than in 2010", "Recycled share of household waste, %",
            ),
    Sample(
        "range", MONTHS, "Summers are mild", "Mean low and high of the month, °C",
            ),
    Sample(
        "slope", TOWNS, "Only Kristiansand fell back", "Recycled share of household waste, %",
            ),
    Sample(
        "waterfall", RESULT, "A quarter of the sales stays as the result", "Thousands of €, 2025",
            ),
    Sample(
        "errorbar", FIELDS, "Clover yields most, and is least certain", "Tonnes per hectare",
            ),
    Sample(
        "band", SEA, "The sea rises faster", "Mean sea level against 2000, mm, with the uncertainty",
            ),
    Sample(
        "gantt", WORKS, "The bridge opens in November", "Works at the harbour, 2026",
            ),
    Sample(
        "treemap", LAND, "Half of the city is built upon", "Use of the ground, hectares",
            ),
    Sample(
        "strip", WAITS, "Thursday's patients waited longest", "Minutes from call to doctor",
            ),
    Sample(
        "funnel", STEPS, "Every twelfth visitor subscribes", "Visitors in October",
            ),
    Sample(
        "pyramid", AGES, "The town grows older", "Thousands of inhabitants by age, 2025",
            ),
    Sample("choropleth", WIND, "Denmark has the most wind", "Share of power from wind, 2025"),
    Sample(
        "choropleth", WORLD, "Eight countries on four continents", "People, millions",
        config={"colors/theme": "plum"},
    ),
    Sample("symbolmap", PORTS, "Most of it goes through Rotterdam", "Goods, million tonnes"),
)  # fmt: skip
