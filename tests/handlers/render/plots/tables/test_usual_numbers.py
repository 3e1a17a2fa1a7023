"""Numbers of tables are written alike by column; codes, years and words stay as they were sent."""

import io

import openpyxl
import pytest

from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.data.type_columns import is_year_name
from handlers.render.plots.forms.drawing import Look
from handlers.render.plots.forms.fragment import fragment
from handlers.render.plots.forms.workbook import xlsx
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.render.plots.tables.usual_numbers import is_code_name
from handlers.words.plot import Plot


def shown(head: str, *cells: str, **files: str) -> list[str]:
    """A column of cells behind one of names, as tables show it."""
    data = f"name\t{head}\n" + "".join(f"row\t{cell}\n" for cell in cells)
    table = StyledTable(read_frame(data), {f"table/cell/{name}": text for name, text in files.items()})
    return [table.text(row, 1) for row in range(1, table.rows)]


@pytest.mark.parametrize(
    "sent,wanted",
    [
        (["1376048943", "999", "-1204"], ["1,376,048,943", "999", "−1,204"]),
        (["61.33", "76.9", "80"], ["61.33", "76.90", "80.00"]),
        (["99.5", "100"], ["99.5", "100.0"]),
        (["10", "12.5", "15", "20"], ["10.0", "12.5", "15.0", "20.0"]),
        (["1.5", "0.25", "12", "1204.5"], ["1.50", "0.25", "12.00", "1,204.50"]),
        (["99.25", "100", "98", "97"], ["99.25", "100.00", "98.00", "97.00"]),
        (["12345", "12.5", "1204", "1.23"], ["12,345", "12.5", "1,204", "1.23"]),
        (["$1204.5", "$12"], ["$1,204.5", "$12.0"]),
        (["12 %", "5.25 %"], ["12.00 %", "5.25 %"]),
        (["(1830)", "690", "+12"], ["(1,830)", "690", "+12"]),
        (["−1830", "- 5"], ["−1,830", "− 5"]),
        (["1,204", "12345", "7"], ["1,204", "12,345", "7"]),
        (["1 204 567", "12345"], ["1 204 567", "12 345"]),
        (["1'204'567", "12345"], ["1'204'567", "12'345"]),
        (["12,34,567", "999"], ["12,34,567", "999"]),
        (["0.8378378378378378", "0.5", "1204.333333333333"], ["0.8378", "0.5000", "1,204.3333"]),
        (["0.000012345678", "1204"], ["0.000012345678", "1,204"]),
        (["0.123456", "1.5"], ["0.123456", "1.500000"]),
        (["1e5", "12345", "7"], ["1e5", "12,345", "7"]),
        (["9.99999999", "1.25"], ["10.000", "1.250"]),
        ([".5", "1.25"], ["0.50", "1.25"]),
        (["12345", "", "n/a", "-"], ["12,345", "–", "n/a", "-"]),
        (["1950", "2024", "1899"], ["1,950", "2,024", "1,899"]),
    ],
)
def test_numbers_have_groups_and_as_many_decimals(sent: list[str], wanted: list[str]) -> None:
    assert shown("amount", *sent) == wanted


@pytest.mark.parametrize(
    "head,sent",
    [
        ("opened in", ["1950", "2024"]),
        ("zip", ["90210", "10001"]),
        ("article", ["007", "12345"]),
        ("card", ["4929123456789012", "12"]),
        ("founded", ["1066", "1789"]),
        ("Year of birth", ["1850", "12000"]),
        ("customerId", ["10442", "10443"]),
        ("order no.", ["10442", "10443"]),
        ("version", ["1.2", "1.10"]),
        ("note", ["12345", "see below", "as before"]),
        ("day", ["2026-11-05", "2026-11-06"]),
    ],
)
def test_codes_years_words_and_days_stay_as_they_were_sent(head: str, sent: list[str]) -> None:
    assert shown(head, *sent) == sent


def test_names_that_count_are_not_codes() -> None:
    codes = ["ID", "id_client", "Customer ID", "PLZ", "Kundennummer", "Year", "Code postal", "Phone", "Nr."]
    assert [name for name in codes if not is_code_name(name)] == []
    counts = [
        "Number of visits", "No. of orders", "Paid", "Market cap", "Revenue per account", "Visits by year",
        "Units built", "Total", "", "2024", "VAT", "Zip file size", "# visits",
    ]  # fmt: skip
    assert [name for name in counts if is_code_name(name)] == []
    assert [is_year_name(name) for name in ("Founded", "Year founded", "Founding year", "Units built")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_file_decides_on_the_decimal_mark() -> None:
    table = StyledTable(read_frame("name;a;b\nx;12345,5;12345\ny;-7,25;1.204\n"), {})
    assert [table.text(row, 1) for row in (1, 2)] == ["12.345,50", "−7,25"]
    assert [table.text(row, 2) for row in (1, 2)] == ["12.345", "1.204"]


def test_a_format_overrules_and_st_shows_the_text_that_was_sent() -> None:
    assert shown("amount", "12345.5", "7", format="1 1 st") == ["12345.5", "7.0"]
    assert shown("amount", "12345.5", "7", format=": : .0f") == ["12346", "7"]


def test_names_of_rows_and_heads_stay_as_they_were_sent() -> None:
    table = StyledTable(read_frame("bin,count\n10000,12345\n20000,7\n"), {})
    assert [table.text(1, column) for column in (0, 1)] == ["10000", "12,345"]
    alone = StyledTable(read_frame("count\n12345\n7\n"), {})
    assert alone.text(1, 0) == "12,345"
    counted = StyledTable(read_frame("bin,count\n10000,12345\n20000,7\n"), {"table/index": "no"})
    assert counted.text(1, 0) == "10,000"
    heads = {"table/cell/merge": "0:1 0 names"}
    headed = StyledTable(read_frame("name,amount\n,2000\na,12345\nb,7.5\n"), heads)
    assert [headed.text(row, 1) for row in range(4)] == ["amount", "2000", "12,345.0", "7.5"]
    figures = StyledTable(read_frame("figure,2025\nRevenue,12345\nYear founded,1987\nFounded,1987\n"), {})
    assert [figures.text(row, 1) for row in (1, 2, 3)] == ["12,345", "1987", "1987"]


def test_the_data_below_a_chart_and_in_its_workbook_look_the_same() -> None:
    data = "town,people,founded\nOslo,717710,1048\nBergen,291940.5,1070\n"
    plot, frame = Plot(data, {"type": "bar"}), read_frame(data)
    page = fragment(plot, frame, Look(), "n")
    assert all(f">{text}</td>" in page for text in ("717,710.0", "291,940.5", "1048"))
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx(plot, frame)))["data"]
    assert [(cell.value, cell.number_format) for cell in sheet[3]] == [
        ("Bergen", "General"), (291940.5, "#,##0.0"), (1070, "0"),
    ]  # fmt: skip


def test_a_rounded_number_is_shown_whole_to_a_pointer() -> None:
    data = "name,share\na,0.83783783783\nb,0.5\n"
    page = fragment(Plot(data, {"type": "table"}), read_frame(data), Look(), "n")
    assert 'title="0.83783783783"' in page and ">0.8378</td>" in page
    assert page.count(" title=") == 1
