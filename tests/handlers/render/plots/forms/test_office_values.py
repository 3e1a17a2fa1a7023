"""Slides and workbooks hold the values of long, old, whole, empty and foreign data, and show each of them."""

from __future__ import annotations

import io
from datetime import date
from typing import Any

import openpyxl
import pytest
from pptx import Presentation
from pptx.util import Pt

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.slide import pptx
from handlers.render.plots.forms.workbook import xlsx
from handlers.words.plot import Plot
from tests.handlers.render.plots.forms.chart_readers import chart_of_slide, chart_of_workbook
from tests.handlers.render.plots.words_of_types import NATIVE

LONG = "A name of sixty letters, as long as those of many bodies are"
GENERATED = {
    "whole": "n,v,w\n" + "".join(f"n{row},{row % 6 + 1},{row % 4}\n" for row in range(24)),
    "rows": "n,v\n" + "".join(f"n{row},{row}\n" for row in range(1500)),
    "series": "n," + ",".join(f"s{at}" for at in range(16)) + "\nx" + ",1" * 16 + "\ny" + ",2" * 16 + "\n",
    "years": "year,v\n" + "".join(f"{year},{year % 7}\n" for year in range(1850, 2101)),
    "signs": "n,v,w\na,5,-5\nb,0,0\nc,-3,1\n",
    "one row": "n,v,w\na,5,7\n",
    "one value": "n,v,w\na,5,\nb,,7\n",
    "equal": "n,v\na,5\nb,5\nc,5\n",
    "long": f"n,v\n{LONG} 1,5\n{LONG} 2,6\n",
    "leftward": "n,v\nשלום עולם,5\nمدينة,6\n",
}  # fmt: skip


def plot_of(type_: str, data: str, **config: str) -> Plot:
    return Plot(data, {"type": type_, **config}, "sales")


def slide_of(type_: str, data: str) -> Any:
    plot = plot_of(type_, data)
    (slide,) = Presentation(io.BytesIO(pptx(plot, plot_frame(plot)))).slides
    return slide


def native_of(type_: str, data: str) -> Any:
    return next(shape.chart for shape in slide_of(type_, data).shapes if shape.has_chart)


def sheet_of(type_: str, data: str) -> Any:
    plot = plot_of(type_, data)
    return openpyxl.load_workbook(io.BytesIO(xlsx(plot, plot_frame(plot))))


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("type_", sorted(NATIVE))
def test_slide_and_workbook_hold_the_same_values(type_: str, name: str) -> None:
    plot = plot_of(type_, GENERATED[name])
    frame = plot_frame(plot)
    deck, book = chart_of_slide(pptx(plot, frame)), chart_of_workbook(xlsx(plot, frame))
    if deck is not None and book is not None:
        assert [one.values for one in deck.series] == [one.values for one in book.series]
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx(plot, frame)))["data"]
    for at, column in enumerate(frame.columns, 1):
        for row, number in enumerate(column.numbers, 2):
            assert sheet.cell(row, at).value == number


@pytest.mark.parametrize("type_", ["scatter", "bubble"])
def test_series_of_points_begin_with_the_longest(type_: str) -> None:
    data = "n,g,x,y,s\na,G,1,2,30\nb,H,2,3,4\nc,H,4,5,60\nd,H,5,2,10\ne,K,3,3,5\nf,K,3,4,5\n"
    series = native_of(type_, data if type_ == "bubble" else data.replace(",s\n", ",s\n", 1)).plots[0].series
    sizes = [len(list(one.values)) for one in series]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) >= 6


def test_bubbles_are_seen_through() -> None:
    series = native_of("bubble", "n,g,x,y,s\na,G,1,2,30\nb,H,2,3,4\n").plots[0].series
    assert all(b'<a:alpha val="65000"/>' in one._element.xml.encode() for one in series)


@pytest.mark.parametrize("type_", ["bar", "line", "table"])
def test_years_are_whole_numbers_in_every_sheet(type_: str) -> None:
    data = "year,v,born\n" + "".join(f"{year},5,{year - 30}\n" for year in range(1898, 1903))
    book = sheet_of(type_, data)
    for column, first in ((1, 1898), (3, 1868)):
        cells = [book["data"].cell(row, column) for row in range(2, 7)]
        assert [cell.value for cell in cells] == list(range(first, first + 5))
        assert {cell.number_format for cell in cells} == {"0"}
    for sheet in book.worksheets:
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            assert not cell.is_date


@pytest.mark.parametrize("type_", ["bar", "table"])
def test_days_count_from_the_first_of_1900(type_: str) -> None:
    days = ["1899-12-31", "1900-01-01", "1900-02-28", "1900-03-01", "2019-01-01"]
    plot = plot_of(type_, "day,v\n" + "".join(f"{day},1\n" for day in days))
    body = xlsx(plot, plot_frame(plot))
    raw = openpyxl.load_workbook(io.BytesIO(body))["data"]
    assert raw["A2"].value == "1899-12-31"
    from_excel = openpyxl.utils.datetime.to_excel
    cells = [raw.cell(row, 1).value for row in range(3, 7)]
    assert [round(from_excel(value)) for value in cells] == [1, 59, 61, 43466]
    assert [value.date() for value in cells][2:] == [date(1900, 3, 1), date(2019, 1, 1)]


def series_of_lone(data: str) -> list[int]:
    """The rows whose value stands between gaps."""
    values = ["", *(row.partition(",")[2] for row in data.splitlines()[1:]), ""]
    return [at for at in range(len(values) - 2) if values[at + 1] and not values[at] and not values[at + 2]]


@pytest.mark.parametrize(
    "data", ["day,v\n2024-01-01,3\n2024-01-02,\n2024-01-03,5\n2024-01-10,4\n", "y,v\n2019,3\n"]
)
def test_a_lone_value_has_a_mark(data: str) -> None:
    (series,) = native_of("line", data).plots[0].series
    assert series.points[0].marker.style is not None
    assert series.marker.style is not None
    assert [found.get("val") for found in series.points[0]._element.iter("{*}symbol")][-1] == "circle"
    plot = plot_of("line", data)
    book = io.BytesIO(xlsx(plot, plot_frame(plot)))
    (chart,) = openpyxl.load_workbook(book)["chart"]._charts
    assert chart.series[0].marker.symbol == "circle"
    unseen = {point.idx for point in chart.series[0].dPt if point.marker.graphicalProperties.noFill}
    assert unseen == set(range(len(data.splitlines()) - 1)) - set(series_of_lone(data))


@pytest.mark.parametrize(
    ("type_", "rows"), [*(("bar", rows) for rows in (2, 12, 30, 60, 144, 400)), ("hbar", 2), ("hbar", 40)]
)
def test_names_have_letters_for_which_there_is_room(type_: str, rows: int) -> None:
    chart = native_of(type_, "n,v\n" + "".join(f"Country {row},{row + 1}\n" for row in range(rows)))
    skip = [int(found.get("val")) for found in chart._chartSpace.iter("{*}tickLblSkip")]
    size = chart.category_axis.tick_labels.font.size
    room = Pt(400 if type_ == "hbar" else 850) / rows * (skip[0] if skip else 1)
    assert size <= 0.8 * room
    assert size >= Pt(6)


def test_zero_is_written_without_a_size() -> None:
    code = native_of("line", "n,v\na,0\nb,9000\n").value_axis.tick_labels.number_format
    assert code == '#,##0,"k";"−"#,##0,"k";0'
