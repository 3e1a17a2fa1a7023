"""Samples of bars, lines, points, shares and cells."""

from __future__ import annotations

import math
import random

from tests.look.samples import Sample

DICE = random.Random(43)
SECTORS = """sector,jobs
Education and health,4210
Wholesale and retail trade,3870
Manufacturing,2940
Business services,2510
Construction,1630
Leisure and hospitality,1480
Transport,1120
Information,640
"""
QUARTERS = """quarter,Bikes,Trams,Buses,Trains
Q1,12.4,18.2,22.1,9.4
Q2,19.8,17.6,20.3,10.1
Q3,22.5,16.9,18.8,11.7
Q4,10.2,19.1,23.6,10.6
"""
RESULTS = "year,profit\n" + "".join(
    f"{2016 + at},{value}\n" for at, value in enumerate((12.4, 14.1, -3.2, 8.8, -11.5, 4.2, 17.9, 21.3, 19.6))
)
ANSWERS = """question,strongly disagree,disagree,neither,agree,strongly agree
The tram comes often enough,8,17,21,36,18
Tickets are easy to buy,5,9,15,41,30
I feel safe at night,14,22,25,26,13
Bicycles have enough room,31,28,16,17,8
"""
PRICES = "month,Oslo,Bergen,Trondheim\n" + "".join(
    f"{2019 + at // 12}-{at % 12 + 1:02},{100 + at * 1.4 + 6 * math.sin(at / 4):.1f},"
    f"{100 + at * 0.9 + 4 * math.cos(at / 5):.1f},{100 + at * 0.5 + 5 * math.sin(at / 3 + 2):.1f}\n"
    for at in range(72)
)
RATES = (
    "day,rate\n2022-03-17,0.75\n2022-06-16,1.25\n2022-09-22,2.25\n2022-12-15,2.75\n2023-05-04,3.25\n"
    "2023-08-17,4\n2023-12-14,4.5\n2024-09-19,4.5\n2025-06-19,4.25\n"
)
POWER = "year,Wind,Water,Sun,Gas,Coal,Other\n" + "".join(
    f"{2010 + at},{4 + at * 1.9:.1f},{28 + 2 * math.sin(at):.1f},{0.4 + at * at * 0.09:.1f},"
    f"{22 - at * 0.5:.1f},{24 - at * 1.4:.1f},{5 + at * 0.1:.1f}\n"
    for at in range(15)
)
PENGUINS = "flipper,mass,kind\n" + "".join(
    f"{base + DICE.gauss(0, 6):.0f},{mass + DICE.gauss(0, 300):.0f},{kind}\n"
    for kind, base, mass in (("Adelie", 190, 3700), ("Chinstrap", 196, 3730), ("Gentoo", 217, 5080))
    for _ in range(34)
)
LANDS = """land,income,life,people
Norway,62.1,83.2,5.5
Germany,52.3,80.9,84
India,6.6,67.7,1400
China,16.4,78.2,1410
Brazil,14.6,75.3,212
Nigeria,4.9,53.6,218
Japan,40.8,84.8,125
Ethiopia,2.3,66.2,123
United States,63.7,77.2,333
Mexico,19.1,74.8,127
"""
SPEEDS = "speed\n" + "".join(f"{DICE.gauss(47, 7):.1f}\n" for _ in range(400))
TREES = "tree,height\n" + "".join(
    f"{tree},{DICE.gauss(mean, spread):.1f}\n"
    for tree, mean, spread in (("Oak", 21, 4), ("Ash", 24, 5), ("Birch", 15, 3), ("Elm", 19, 6))
    for _ in range(40)
)
VOTES = (
    "party,votes\nLabour,31.4\nConservatives,24.2\nCentre,13.1\nGreens,11.6\n"
    "Left,9.3\nLiberals,6.1\nOthers,4.3\n"
)


def _near(hour: int) -> float:
    """Return how near an hour is to one of the two peaks."""
    return sum(math.exp(-((hour - peak) ** 2) / 3) for peak in (8, 17))


HOURS = (
    "day,"
    + ",".join(f"{hour}:00" for hour in range(6, 22))
    + "\n"
    + "".join(
        f"{day},"
        + ",".join(f"{max(0, 40 - 30 * (at > 4) + 66 * _near(hour)):.0f}" for hour in range(6, 22))
        + "\n"
        for at, day in enumerate(("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
    )
)
WARMTH = "day,warmth\n" + "".join(
    f"2025-{month:02}-{day:02},{11 - 13 * math.cos((month * 30 + day - 20) / 58.1) + DICE.gauss(0, 2):.1f}\n"
    for month in range(1, 13)
    for day in range(1, 29)
)
USERS = "month,users\n" + "".join(
    f"2025-{at + 1:02},{value}\n" for at, value in enumerate((812, 864, 901, 987, 1043, 1120, 1098, 1204))
)
BOOKS = """line,2024,2025
Sales,1204.5,1331.2
Cost of goods,-640.1,-702.9
Wages,-301.4,-322
Result,263,306.3
"""


SERIES_SAMPLES: tuple[Sample, ...] = (
    Sample(
        "bar",
        RESULTS,
        "Two bad years, then the best ones",
        "Profit, million €",
    ),
    Sample(
        "hbar",
        SECTORS,
        "Most work in schools and hospitals",
        "Jobs, thousands",
    ),
    Sample(
        "gbar",
        QUARTERS,
        "Bikes win the summer",
        "Journeys, millions",
    ),
    Sample(
        "sbar",
        QUARTERS,
        "Bikes win the summer",
        "Journeys, millions",
    ),
    Sample(
        "hsbar",
        ANSWERS,
        "Cyclists want more room",
        "Answers, %",
        config={"colors/theme": "survey", "axis/stack": "share"},
    ),
    Sample(
        "bar",
        QUARTERS,
        "Trains fill up in the third quarter",
        "Journeys, millions",
        config={"combo/line": "Trains"},
    ),
    Sample(
        "line",
        PRICES,
        "Oslo runs away from the others",
        "Price of flats, January 2019 = 100",
        caption="Invented figures; *method* on [our page](https://example.org/prices)",
        config={"notes": '2020-03..2021-06 "closed"\ny 150 "half as much again"'},
    ),
    Sample(
        "line",
        PRICES,
        "Each town for itself",
        "Price of flats, January 2019 = 100",
        config={"split/by": "series", "trend": "linear"},
    ),
    Sample(
        "step",
        RATES,
        "Four years of dear money",
        "Rate of the central bank, %",
    ),
    Sample(
        "area",
        USERS,
        "A thousand users in May",
        "Users a month",
    ),
    Sample(
        "sarea",
        POWER,
        "Wind replaces coal",
        "Power, TWh",
    ),
    Sample(
        "scatter",
        PENGUINS,
        "Heavier penguins have longer **flippers**",
        "Three kinds",
        config={"trend": "linear"},
    ),
    Sample(
        "bubble",
        LANDS,
        "Income and length of life",
        "Income a head, thousand $",
        config={"axis/scale": "x log"},
    ),
    Sample(
        "hist",
        SPEEDS,
        "One in three drives faster than 50",
        "Speed, km/h",
    ),
    Sample(
        "box",
        TREES,
        "Ashes are the tallest",
        "Height, m",
    ),
    Sample(
        "pie",
        VOTES,
        "No majority without the Greens",
        "Votes, %",
    ),
    Sample(
        "donut",
        VOTES,
        "No majority without the Greens",
        "Votes, %",
    ),
    Sample(
        "heatmap",
        HOURS,
        "Two peaks from Monday to Friday",
        "Passengers an hour",
    ),
    Sample(
        "calendar",
        WARMTH,
        "A warm July",
        "Mean of the day, °C",
    ),
    Sample("spark", USERS, "Users"),
    Sample("value", USERS, "Users in August", "Of a month"),
    Sample("table", BOOKS, "Two years side by side", "Thousand €"),
)
