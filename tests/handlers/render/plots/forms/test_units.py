"""The unit of sent numbers is in every form, and a chosen format wins over it."""

import io
import re
import zipfile

import pytest
from openpyxl import load_workbook

from handlers.render.plots.types import TYPES
from handlers.rendering.forms import render_order
from handlers.rendering.port import RenderOrder
from tests.handlers.render.plots.words_of_types import MAPS, POINTS

COLUMNS = {
    **dict.fromkeys(("dumbbell", "range", "slope", "pyramid"), 2),
    **dict.fromkeys(("errorbar", "band"), 3),
    "candlestick": 4,
}
"""The number of columns of numbers that a type needs, if it is not one."""
UNITS = {"12%": "%", "$12": "$", "12 kg": "kg", "€12": "€"}


def form(name: str, text: str, word: str, **config: str) -> bytes:
    texts = {"data": text, "config/type": word}
    texts |= {f"config/{path.replace('__', '/')}": value for path, value in config.items()}
    return render_order(RenderOrder("plot", name, texts)).body


def table_of(cell: str, word: str) -> str:
    """Return data of a type with all numbers written like a cell."""
    number = re.search(r"\d+", cell)
    assert number
    wrote = [cell.replace(number[0], str(size)) for size in (12, 31, 7)]
    if word in POINTS:
        return "n,x,y,s\n" + "".join(f"r{row},{one},{one},{one}\n" for row, one in enumerate(wrote))
    if word == "sankey":
        return "from,to,v\n" + "".join(f"a,t{row},{one}\n" for row, one in enumerate(wrote))
    if word == "bullet":
        return "n,value,target\n" + "".join(f"t{row},{one},{one}\n" for row, one in enumerate(wrote))
    if word == "gantt":
        return f"task,start,end\na,{wrote[2]},{wrote[0]}\nb,{wrote[0]},{wrote[1]}\n"
    days, countries = ["2026-01-05", "2026-01-06", "2026-01-07"], ["Norway", "Sweden", "Italy"]
    first = days if word == "calendar" else countries if word in MAPS else ["a", "b", "c"]
    count = COLUMNS.get(word, 1)
    heads = ["n", "value", "low", "high", "close"][: count + 1]
    rows = ([name, *(wrote[(row + at) % 3] for at in range(count))] for row, name in enumerate(first))
    return "".join(",".join(row) + "\n" for row in (heads, *rows))


@pytest.mark.parametrize("word", TYPES)
@pytest.mark.parametrize("cell", UNITS)
def test_every_type_shows_the_unit(cell: str, word: str) -> None:
    text = table_of(cell, word)
    assert UNITS[cell] in "".join(re.findall(r">([^<]+)<", form("svg", text, word).decode()))
    assert UNITS[cell] in form("txt", text, word).decode()


@pytest.mark.parametrize(
    "cell,code", [("12%", "0%"), ("12.5%", "0.0%"), ("$12", '"$"#,##0'), ("12 kg", '#,##0" kg"')]
)
@pytest.mark.parametrize("word", ["bar", "line", "scatter", "table"])
def test_numbers_of_a_workbook_have_the_unit_as_their_format(cell: str, code: str, word: str) -> None:
    sheet = load_workbook(io.BytesIO(form("xlsx", f"n,v,w\na,{cell},{cell}\n", word)))["data"]
    shown = sheet["B2"]
    assert shown.value == pytest.approx(0.12 if cell == "12%" else 0.125 if "%" in cell else 12)
    assert shown.number_format in (code, code.replace("#,##", ""))


@pytest.mark.parametrize("cell,code", [("12%", "0%"), ("$12", '"$"#,##0'), ("12 kg", '#,##0" kg"')])
@pytest.mark.parametrize("word", ["bar", "hbar", "line", "area", "scatter"])
def test_a_native_chart_of_a_slide_has_the_unit(cell: str, code: str, word: str) -> None:
    deck = zipfile.ZipFile(io.BytesIO(form("pptx", table_of(cell, word), word)))
    (chart,) = (name for name in deck.namelist() if re.fullmatch(r"ppt/charts/chart[^/]*\.xml", name))
    assert code in deck.read(chart).decode().replace("&quot;", '"').replace("\u00a0", " ")


def test_a_chosen_format_wins_over_the_unit() -> None:
    shown = form("txt", "n,v\na,12%\nb,31%\n", "bar", axis__labels="y .2f").decode()
    assert "0.12" in shown
    assert "%" not in shown
    assert "12.0%" in form("txt", "n,v\na,12%\n", "table", table__cell__format="1: 1 .1%").decode()
    assert "12%" in form("txt", "n,v\na,12%\nb,31%\n", "bar", axis__labels="y .0%").decode()


def test_the_unit_of_the_data_wins_over_that_of_the_subtitle() -> None:
    assert "12%" in form("txt", "n,v\na,12%\nb,31%\n", "bar", subtitle="Share, %").decode()
    assert "12%" in form("txt", "n,v\na,12\nb,31\n", "bar", subtitle="Share, %").decode()


def test_cells_come_back_as_they_were_sent() -> None:
    assert form("csv", "n;v\na;(1.200)\nb;12,5%\n", "bar").decode() == 'n,v\na,(1.200)\nb,"12,5%"\n'


@pytest.mark.parametrize("head,written", [("Year built", "1987"), ("year", "1987"), ("people", "1,987")])
def test_columns_that_are_called_years_have_no_groups(head: str, written: str) -> None:
    text = f"house,{head}\nA,1987\nB,2004\n"
    for name in ("svg", "txt"):
        assert re.search(rf"(?<![\d,]){written}(?![\d,])", form(name, text, "dot").decode())


@pytest.mark.parametrize("size", ["million", "Thousands of", "in bn", "Mio.", "k"])
def test_a_unit_behind_a_size_is_in_the_subtitle_alone(size: str) -> None:
    for name in ("svg", "txt"):
        shown = form(
            name, "year,profit\n2024,12.4\n2025,14.1\n", "bar", subtitle=f"Profit, {size} €"
        ).decode()
        assert ">12.4<" in shown or " 12.4" in shown
        assert "€12" not in shown


@pytest.mark.parametrize("word", POINTS)
def test_a_unit_of_the_subtitle_is_on_neither_axis_of_points(word: str) -> None:
    data = "land,income,life,people\nA,16,77,9\nB,7,70,5\n"
    shown = form("svg", data, word, subtitle="Income a head, $").decode()
    assert not re.search(r">[^<]*\$\d", shown)
