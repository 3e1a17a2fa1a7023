"""A plot in a box of any size: no two texts touch, none leaves it, none is smaller than its medium allows."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

import pytest

from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.look.style import LEAST_LETTER
from handlers.render.plots.plot_type import type_of
from handlers.render.plots.types import TYPES
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader
from tests.handlers.render.plots.golden_charts import WORDS
from tests.handlers.render.plots.text_boxes import text_boxes, text_faults
from tests.handlers.render.plots.words_of_types import BARS, DOTS, FIGURES, SHARES

WIDTHS, HEIGHTS = (160, 240, 360, 600, 900, 1600), (120, 170, 260, 400, 620)
NAMES = (
    "Construction", "Leisure and hospitality", "Agriculture", "Business services", "Manufacturing",
    "Wholesale and retail trade", "Information", "Mining and extraction", "Self-employed",
    "Education and health", "Transport and utilities", "Government",
)  # fmt: skip
SIZES = [(width, height) for width in WIDTHS for height in HEIGHTS if height <= 2.2 * width]


def of_years(series: int, rows: int) -> str:
    """Return a table of years and a number of series with made-up values."""
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


def of_long_words(rows: int = 9) -> str:
    """A row for each of some words that no line holds, with two made-up numbers."""
    dice = random.Random(rows)
    words = ("Donaudampfschifffahrtsgesellschaft", "Rindfleischetikettierung", "Kraftfahrzeughaftpflicht")
    return "what,n,m\n" + "".join(
        f"{words[row % 3]}{row},{dice.randint(1, 5000)},{dice.randint(1, 900)}\n" for row in range(rows)
    )


def of_rows(head: str, row: Callable[[int, random.Random], str], rows: int = 12) -> str:
    """A head, and a row for each number, of made-up figures."""
    dice = random.Random(head)
    return "\n".join((head, *(row(at, dice) for at in range(rows)), ""))


def two(at: int, dice: random.Random) -> str:
    """A name and two numbers."""
    return f"{NAMES[at % 12]} {at // 12 or ''},{dice.randint(1, 90)},{dice.randint(1, 90)}"


def task(at: int, dice: random.Random) -> str:
    """A task of a team."""
    return f"{NAMES[at]},2026-{at % 9 + 1:02}-03,2026-{at % 9 + 2:02}-20,{'AB'[at % 2]}"


COUNTRIES = [
    "DK",
    "DE",
    "NL",
    "GB",
    "IE",
    "ES",
    "PT",
    "SE",
    "FI",
    "NO",
    "PL",
    "FR",
    "IT",
    "BE",
    "AT",
    "GR",
    "LU",
]
MANY: Mapping[str, tuple[str, str]] = {
    "12 dots": ("dot", of_names(12)),
    "12 lollipops": ("lollipop", of_rows("n,v", lambda at, dice: f"{NAMES[at]},{dice.randint(-300, 900)}")),
    **{f"12 {word}s": (word, of_rows("n,before,after", two)) for word in ("dumbbell", "range", "slope")},
    "12 errors": (
        "errorbar",
        of_rows("n,value,low,high", lambda at, dice: f"{NAMES[at]},{50 + at},9,99"),
    ),
    "12 tasks": ("gantt", of_rows("task,start,end,team", task)),
    "12 sums": (
        "waterfall",
        of_rows("n,v", lambda at, dice: f"{NAMES[at]},{dice.randint(-400, 900)}") + "Total,\n",
    ),
    "9 steps": ("funnel", of_rows("n,v", lambda at, dice: f"{NAMES[at]},{9000 // (at + 1)}", 9)),
    "20 ages": ("pyramid", of_rows("age,women,men", two, 20)),
    **{
        f"12 {word}": (word, of_rows("n,v", lambda at, dice: f"{NAMES[at % 12]},{dice.randint(1, 900)}", 90))
        for word in ("strip", "box")
    },
    "24 tiles": ("treemap", of_rows("g,n,v", lambda at, dice: f"{NAMES[at % 4]},{two(at, dice)}", 24)),
    **{
        f"17 of {word}": (
            word,
            of_rows("iso,v", lambda at, dice: f"{COUNTRIES[at]},{dice.randint(1, 90)}", 17),
        )
        for word in ("choropleth", "symbolmap")
    },
}
CASES: Mapping[str, tuple[str, str]] = {
    **{type_: (type_, type_of(type_).example) for type_ in (*TYPES, "table")},
    "12 lines": ("line", of_years(12, 20)),
    "4 lines": ("line", of_years(4, 9)),
    "6 areas": ("sarea", of_years(6, 12)),
    "5 stacks": ("sbar", of_years(5, 12)),
    "5 lying stacks": ("hsbar", of_years(5, 6)),
    "3 groups": ("gbar", of_years(3, 10)),
    "12 bars": ("hbar", of_names(12)),
    "40 bars": ("bar", of_names(40)),
    "30 stacks": ("sbar", of_rows("n,before,after", two, 30)),
    **{f"long words on {word}s": (word, of_long_words()) for word in ("bar", "gbar", "sbar", "ibar")},
    "12 parts": ("donut", of_names(12)),
    "wide heat map": ("heatmap", of_years(12, 8)),
    "wide table": ("table", of_years(12, 20)),
    **MANY,
}


LYING = "Drawn as horizontal bars, so that names fit."
LISTS = {
    *(word for word in BARS if word.startswith(("h", "ih"))), *DOTS, *SHARES, *FIGURES, "errorbar", "gantt",
    "strip", "box", "waterfall", "funnel", "pyramid", "heatmap", "calendar", "table", "bullet",
}  # fmt: skip
"""Types with rows of the height of a line, whose pictures end after their last row."""


@pytest.mark.repeats
@pytest.mark.parametrize("case", CASES)
def test_no_texts_of_a_box_touch_and_none_is_small(case: str) -> None:
    type_, data = CASES[case]
    plot = Plot(data, {"type": type_, **WORDS})
    for width, height in SIZES:
        svg = draw(plot, Look(width=width, height=height)).svg
        assert not text_faults(svg), f"{case} at {width} x {height}"
        least = min((box.size for box in text_boxes(svg)), default=LEAST_LETTER)
        assert least >= LEAST_LETTER - 0.1, f"{case} at {width} x {height} has letters of {least:.1f}"


def test_a_chart_of_few_rows_keeps_its_words_in_a_box_that_it_does_not_fill() -> None:
    config = {"type": "waterfall", "title": "Result", "subtitle": "Thousands", "caption": "Source: us"}
    plot = Plot("part,sum\nSales,100\nCost,-40\nTax,-12\n", config)
    for height in range(260, 700, 40):
        drawn = draw(plot, Look(width=760, height=height))
        assert not drawn.notes
        assert "Source: us" in drawn.svg and "takes away" in drawn.svg


@pytest.mark.repeats
@pytest.mark.parametrize("case", [case for case, (type_, _) in CASES.items() if type_ not in LISTS])
def test_marks_have_two_fifths_of_a_box(case: str) -> None:
    """In boxes of 120 pixels three eighths are enough; horizontal bars are as many as have room."""
    type_, data = CASES[case]
    plot = Plot(data, {"type": type_, **WORDS})
    for width, height in SIZES:
        if width >= 240:
            drawn = draw(plot, Look(width=width, height=height))
            if LYING in drawn.notes:
                continue
            area = plot_area(drawn.svg)
            least = (0.375 if height < 160 else 0.385) * height
            assert area >= least - 1.5, f"{case} at {width} x {height}: {area:.0f} of {least:.0f}"


def plot_area(svg: str) -> float:
    """The height of the box of a plot's marks: of a map, or around the marks and the grid."""
    found = re.search(r'<clipPath id="map"><rect width="[\d.]+" height="([\d.]+)"', svg)
    if found:
        return float(found[1])
    picture = PictureReader(svg)
    boxes = [shape.box for shape in (*picture.shapes, *picture.grid) if shape.points]
    return max(bottom for *_, bottom in boxes) - min(top for _, top, *_ in boxes)


ONE_EACH, TWO_EACH = of_names(40), of_rows("what,a,b", two, rows=40)
MANY_LINES = "\n".join(",".join(map(str, (row, *range(row, row + 99)))) for row in range(2000, 2004))
LACKING = {
    **dict.fromkeys(("hbar", "dot", "lollipop"), ONE_EACH),
    **dict.fromkeys(("dumbbell", "range"), TWO_EACH),
    **dict.fromkeys(("line", "sarea", "scatter"), MANY_LINES),
}


@pytest.mark.parametrize("type_", LACKING)
def test_data_without_room_are_named_in_the_picture(type_: str) -> None:
    words = {"type": type_, "title": "A title", "subtitle": "Of it", "caption": "From here"}
    lacking = 0
    for width, height in SIZES:
        drawn = draw(Plot(LACKING[type_], words), Look(width=width, height=height))
        read = re.sub("<[^>]*>", " ", " ".join(re.findall("<text.*?</text>", drawn.svg, re.DOTALL)))
        said = [note for note in drawn.notes if note.endswith("in the data.")]
        lacking += len(said)
        assert all(note in " ".join(read.split()) for note in said), (width, height)
    assert lacking > 0
