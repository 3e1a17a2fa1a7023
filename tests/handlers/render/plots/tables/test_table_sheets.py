"""A table's workbook, opened again, has its numbers, formats, looks, merges, widths and bars."""

import io
import time

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from handlers.render.plots.data.number_formats import parse_number_format
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.forms.workbook import csv_text, xlsx
from handlers.render.plots.tables.spreadsheet_codes import code_as_shown, number_code
from handlers.words.plot import Plot
from tests.handlers.render.plots.tables.test_table_pictures import BANKS, CRAZY, GROUPS, HOSTILE

# The reader does not know the part of the file in which newer programs find the ends of bars.
pytestmark = pytest.mark.filterwarnings("ignore:.* extension is not supported")


def book(data: str = BANKS, **files: str) -> Workbook:
    config = {f"table/cell/{name}": text for name, text in files.items() if name not in ("colors", "index")}
    config |= {"colors/colors": files.get("colors", ""), "table/index": files.get("index", "")}
    made = xlsx(Plot(data, {"type": "table", **config}), read_frame(data))
    return openpyxl.load_workbook(io.BytesIO(made))


def sheet(data: str = BANKS, **files: str) -> Worksheet:
    return book(data, **files)["data"]


def test_cells_are_typed_and_look_as_in_other_forms() -> None:
    cells = sheet()
    assert [cell.value for cell in cells[3]] == ["Sweden", "007", 12, 1204.5, -0.1234]
    assert [cell.number_format for cell in cells[3]] == ["General", "General", "0.0", "#,##0.0", "0.0000"]
    assert [cell.value for cell in cells[1]] == ["country", None, "2023", "2025", "change"]
    assert cells["A1"].font.b and cells["A1"].border.bottom.style == "thin"
    assert cells["C2"].alignment.horizontal == "right"
    assert cells.freeze_panes == "B2"


def test_digits_that_name_things_stay_text() -> None:
    cells = sheet("id,card,n\n007,1,5\n012,4929123456789012,6\n")
    assert [cell.value for cell in cells["A"]] == ["id", "007", "012"]
    assert [cell.value for cell in cells["B"]] == ["card", "1", "4929123456789012"]
    assert [cell.value for cell in cells["C"]] == ["n", 5, 6]


def test_formats_are_those_of_the_spreadsheet() -> None:
    cells = sheet(
        "day,a,b\n2026-11-05,0.5,7\n2026-11-06,1234.5,-2\n", format="1: 0 %d %b %Y\n1: 1 +,.1%\n2 2 $2m"
    )
    assert cells["A2"].number_format == "dd mmm yyyy"
    assert cells["A2"].is_date
    assert (cells["B2"].value, cells["B2"].number_format) == (0.5, "+#,##0.0%;-#,##0.0%;#,##0.0%")
    assert cells["C3"].number_format == '"$"#,##0.00'


@pytest.mark.parametrize(
    "format_,value,code",
    [
        (",.2f", 1.0, "#,##0.00"), (".1%", 1.0, "0.0%"), (".2~f", 1.0, "0.##"), ("d", 1.0, "0"),
        ("05d", 7.0, "00000"), ("(,.0f", 1.0, "#,##0_);(#,##0)"), (".2e", 1.0, "0.00E+00"),
        (".4m$", 1.0, '#,##0.0000"$"'), (",", 12.0, "#,##0"), (",", 1.5, "#,##0.0#####"),
        ("s", 1.0, "General"), ("x", 1.0, "General"), ("~", 1.0, "General"), (".1p", 1.0, "0.0%"),
    ],
)  # fmt: skip
def test_a_format_in_the_language_of_spreadsheets(format_: str, value: float, code: str) -> None:
    assert number_code(parse_number_format(format_), value) == code


@pytest.mark.parametrize(
    "text,code",
    [
        ("12", "General"),
        ("4.10", "0.00"),
        ("1,204.5", "#,##0.0"),
        ("−1,204.50", "#,##0.00"),
        ("(1,204)", "#,##0;(#,##0)"),
        ("12.5 %", "0.0 %"),
        ("$3", '"$"0'),
        ("5%", "0%"),
        ("1e5", "General"),
    ],
)
def test_a_number_as_it_is_shown_in_the_language_of_spreadsheets(text: str, code: str) -> None:
    assert code_as_shown(text) == code


def test_numbers_of_other_notations_have_their_groups_and_decimals() -> None:
    assert code_as_shown("1.204,50", comma=True) == "#,##0.00"
    assert code_as_shown("1 204 567") == code_as_shown("12", grouped=True) == "#,##0"
    cells = sheet("name;amount;Kundennummer\na;1204,5;10442\nb;-7;10443\n")
    assert [cell.value for cell in cells["B"]] == ["amount", 1204.5, -7]
    assert [cell.number_format for cell in cells["B"]][1:] == ["#,##0.0", "#,##0.0"]
    assert [(cell.value, cell.number_format) for cell in cells["C"]][1:] == [
        (10442, "General"), (10443, "General"),
    ]  # fmt: skip


def test_looks_colours_lines_and_widths() -> None:
    cells = sheet(
        align="1 0 -^", text="-1 : bi lg\n1 0 us mono\n2 2 -", colors="1 0 bg #102030\n1 2 fg #aa0000",
        border="1 0 b 3 #123456", padding="2 0 l 3", width=": 0 f 210", overflow="1 1 w",
    )  # fmt: skip
    norway = cells["A2"]
    assert (norway.alignment.horizontal, norway.alignment.vertical) == ("center", "top")
    assert (norway.font.u, norway.font.strike, norway.font.name) == ("single", True, "Courier New")
    assert norway.fill.fgColor.rgb == "FF102030"
    assert (norway.border.bottom.style, norway.border.bottom.color.rgb) == ("medium", "FF123456")
    assert cells["C2"].font.color.rgb == "FFAA0000"
    assert cells["A5"].font.b and cells["A5"].font.i and cells["A5"].font.sz == pytest.approx(13.2)
    assert cells["A3"].alignment.indent == 3
    assert cells["B2"].alignment.wrap_text
    assert (cells["C3"].value, cells["C3"].number_format) == (12, ";;;")
    assert cells.column_dimensions["A"].width == pytest.approx(29.3, abs=1)


def test_merged_cells_and_the_heads_above_them_stay_in_sight() -> None:
    cells = sheet(GROUPS, merge="0 1:2 a\n0 3:4 b\n0:1 0 c", index="1")
    assert {str(one) for one in cells.merged_cells.ranges} == {"B1:C1", "D1:E1", "A1:A2"}
    assert (cells["B1"].value, cells["A1"].value) == ("2024", "region")
    assert cells.freeze_panes == "B3"


def test_bars_are_the_spreadsheets_own() -> None:
    rules = sheet(chart="1:-2 2 hbar (0,20)\n1,3 3 hbar l").conditional_formatting
    assert {str(one.sqref) for one in rules} == {"C2:C4", "D2", "D4"}
    bar = next(one for one in rules if str(one.sqref) == "C2:C4").rules[0].dataBar
    assert [float(end.val) for end in bar.cfvo] == [0, 20]


@pytest.mark.parametrize("config", [{}, CRAZY])
def test_no_cell_is_a_formula_and_hostile_tables_are_bounded(config: dict[str, str]) -> None:
    began = time.thread_time()
    wide = ",".join(f"c{n}" for n in range(10_000))
    evil = "\n".join(f'"{sign}1+1",{sign}1+cmd' for sign in "=+-@")
    for data in (f'"{HOSTILE}",b\n{evil}\n', f"{wide}\n{wide}\n", f'"{"x" * 32_767}",b\ny,1e300\n'):
        cells = sheet(data, **config)
        if "cmd" in data:
            assert not [one for row in cells.iter_rows() for one in row if one.data_type == "f"]
    assert time.thread_time() - began < 20


def test_the_csv_of_a_table_is_the_text_that_was_sent() -> None:
    assert csv_text(read_frame(BANKS)) == BANKS
    assert csv_text(read_frame("a,a,\n007,=1+1,-x\n")) == "a,a,\n007,'=1+1,'-x\n"
