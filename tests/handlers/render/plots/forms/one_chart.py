"""All forms of a generated table, and the checks that several tests share."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pypdfium2
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from handlers.render.documents.pdf.paper import drawing_pdf
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.drawing import Look, Picture, draw
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.workbook import xlsx
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader, read_label
from tests.handlers.render.plots.forms.chart_readers import (
    ReadChart,
    chart_of_slide,
    chart_of_workbook,
    charts,
)
from tests.kit.counting.amount import points

NEAR = 1.2
SERIAL = datetime(1899, 12, 30)  # noqa: DTZ001
FIRST = datetime(2024, 1, 1)  # noqa: DTZ001
NUMBER = re.compile(r"[−+]?\d[\d,]*(?:\.\d+)?")
usual = settings(max_examples=points(3), deadline=None, suppress_health_check=list(HealthCheck))


@dataclass
class Table:
    """A table: the names or days of its rows, its series, and the settings of the plot."""

    along: list[str]
    series: dict[str, list[float | None]]
    config: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The data as they are sent."""
        rows = zip(self.along, *self.series.values(), strict=True)
        lines = [",".join(("name", *self.series)), *(",".join(map(_cell, row)) for row in rows)]
        return "\n".join(lines) + "\n"

    def plot(self, type_: str) -> Plot:
        """The plot of a type."""
        return Plot(self.text, {"type": type_, "title": "Twelve curlews", **self.config}, "n")


def _cell(value: str | float | None) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:g}"


@dataclass
class Forms:
    """All forms of a plot."""

    plot: Plot

    def __post_init__(self) -> None:
        frame = read_frame(self.plot.data)
        self.picture: Picture = draw(self.plot, Look())
        self.svg = PictureReader(self.picture.svg)
        self.slide = chart_of_slide(pptx(self.plot, frame))
        self.workbook = chart_of_workbook(xlsx(self.plot, frame))
        self.lines = terminal_chart(self.plot, 100, 60, colored=False).splitlines()
        page = fragment(self.plot, frame, Look(), "p1")
        assert [
            shape.points
            for shape in PictureReader(page[page.index("<svg") : page.index("</svg>") + 6]).shapes
        ] == [shape.points for shape in self.svg.shapes]
        assert self.lines[0] == "Twelve curlews"
        assert "Twelve curlews" in self.svg.words

    def native(self, form: str) -> list[ReadChart]:
        """The charts of slide and workbook, which both are of that kind."""
        found = list(charts(self.slide, self.workbook))
        assert len(found) == 2
        assert {one.kind for one in found} == {form}
        return found

    def printed(self) -> str:
        """Return the letters of the printed picture without spaces, which depend on the setting."""
        with pypdfium2.PdfDocument(drawing_pdf(self.picture.svg, "")) as opened:
            return "".join(opened[0].get_textpage().get_text_range().split())


values = st.integers(1, 900).flatmap(lambda size: st.sampled_from([float(size), -float(size)]))
amounts = st.integers(1, 900).map(float)
NAMES = ("ash", "birch", "cedar", "dogwood", "elm", "fir")


@st.composite
def named(
    draw_: st.DrawFn,
    cell: st.SearchStrategy[float | None],
    first: st.SearchStrategy[float],
    most: int = 3,
    least: int = 2,
) -> Table:
    """Draw a table over names, in which each series has a number."""
    names = draw_(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True))
    count = draw_(st.integers(least, most))
    series = {f"s{at}": [draw_(first), *(draw_(cell) for _ in names[1:])] for at in range(count)}
    return Table(list(names), series)


@st.composite
def dated(draw_: st.DrawFn, cell: st.SearchStrategy[float | None], most: int = 3) -> Table:
    """Draw a table over days in any order, some far from each other."""
    days = draw_(st.lists(st.integers(0, 700), min_size=3, max_size=8, unique=True))
    count = draw_(st.integers(1, most))
    series = {f"s{at}": [draw_(cell) for _ in days] for at in range(count)}
    return Table([f"{FIRST + timedelta(days=day):%Y-%m-%d}" for day in days], series)


def sorted_table(table: Table) -> Table:
    order = sorted(range(len(table.along)), key=table.along.__getitem__)
    return Table(
        [table.along[at] for at in order],
        {name: [numbers[at] for at in order] for name, numbers in table.series.items()},
        table.config,
    )


def same(read: Sequence[float | None], wanted: Sequence[float | None]) -> None:
    assert len(read) == len(wanted)
    for one, other in zip(read, wanted, strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert math.isclose(one, other, rel_tol=1e-9)


def serial(day: str) -> float:
    return float((datetime.fromisoformat(day) - SERIAL).days)


def holds(chart: ReadChart, low: float, high: float) -> None:
    """The ends of the native axis are those of the drawing, up to a step."""
    assert chart.upward.low is not None and chart.upward.high is not None
    room = (high - low) * 0.35
    assert abs(chart.upward.low - low) <= room and abs(chart.upward.high - high) <= room
    assert chart.upward.base is None


def ticks_of(forms: Forms) -> list[tuple[int, float]]:
    """The rows of a terminal with the numbers of its axis."""
    labels = [(row, line.split("┤")[0].strip()) for row, line in enumerate(forms.lines) if "┤" in line]
    return [(row, read_label(label)) for row, label in labels if label]


def check_lines(forms: Forms, table: Table, *, log: bool = False) -> None:
    """The rows in which lines are highest and lowest, by the labels of the axis; names at their ends."""
    (top, high), *_, (bottom, low) = ticks_of(forms)
    drawn = [row for row, line in enumerate(forms.lines) if re.search("[\u2801-\u28ff]", line)]
    numbers = [value for one in table.series.values() for value in one if value is not None]
    for row, value in ((min(drawn), max(numbers)), (max(drawn), min(numbers))):
        share = math.log(high / value) / math.log(high / low) if log else (high - value) / (high - low)
        assert abs(row - top - share * (bottom - top)) <= 1.5
    if len(table.series) > 1:
        ends = [line.split()[-1] for line in forms.lines if re.search(r" s\d$", line)]
        assert sorted(ends) == sorted(table.series)
