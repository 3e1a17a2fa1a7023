"""Lines and arrows in cells: every form has them, and other cells stay as they were sent."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.drawing import Look, draw
from handlers.render.plots.forms.fragment import table_fragment
from handlers.render.plots.forms.terminal.chart import terminal_chart
from handlers.render.plots.forms.workbook import xlsx
from handlers.render.plots.tables.cell_words import parse_bar
from handlers.render.plots.tables.instructions import BadInstruction
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.words.plot import Plot
from tests.handlers.render.plots.charts.picture_reader import PictureReader

NUMBERS = st.lists(st.integers(-500, 500), min_size=2, max_size=20)


def plot_of(cells: list[str], chart: str) -> Plot:
    rows = "".join(f"t{at},{cell}\n" for at, cell in enumerate(cells))
    return Plot(f"town,v\n{rows}", {"type": "table", "table/cell/chart": f"1: 1 {chart}"})


@pytest.mark.filterwarnings("ignore:Sparkline Group extension")
@settings(max_examples=20, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=4), st.sampled_from([" ", "|", " | "]))
def test_a_line_runs_through_the_numbers_of_a_cell(lists: list[list[int]], between: str) -> None:
    plot = plot_of(["n/a", *(between.join(map(str, one)) for one in lists)], "spark l")
    frame = plot_frame(plot)
    table = StyledTable(frame, plot.config)
    for row, numbers in enumerate(lists, 2):
        bar = table.cell(row, 1).bar
        assert bar is not None and len(bar.points) == len(numbers)
        low, high = min(numbers), max(numbers)
        shares = [0.5 if low == high else (one - low) / (high - low) for one in numbers]
        assert [y for _, y in bar.points] == pytest.approx(shares)
    assert table.cell(1, 1).bar is None and table.cell(1, 1).text == "n/a"
    assert table_fragment(plot, table, Look(), "").count("<polyline") == len(lists)
    shown = terminal_chart(plot, colored=False)
    assert sum(any(sign in line for sign in "▁▂▃▄▅▆▇█") for line in shown.splitlines()) == len(lists)
    book = load_workbook(io.BytesIO(xlsx(plot, frame)))
    sent = [[cell.value for cell in row if cell.value is not None] for row in book["sparklines"].iter_rows()]
    assert sent == lists and book["sparklines"].sheet_state == "hidden"


@given(st.lists(st.integers(-900, 900), min_size=1, max_size=6))
@settings(max_examples=15, deadline=None)
def test_arrows_show_the_sign_of_numbers(numbers: list[int]) -> None:
    plot = plot_of([str(one) for one in numbers], "arrow")
    shown = [cell for cell in PictureReader(draw(plot, Look()).svg).words if cell[0] in "▲▼="]
    assert [cell[0] for cell in shown] == ["▲" if one > 0 else "▼" if one < 0 else "=" for one in numbers]
    assert "".join(sign for sign in terminal_chart(plot, rows=99) if sign in "▲▼") == "".join(
        cell[0] for cell in shown if cell[0] != "="
    )


@pytest.mark.parametrize("text", ["spark h", "arrow l", "spark l l", "radar", ""])
def test_a_wrong_chart_of_cells_is_refused(text: str) -> None:
    with pytest.raises(BadInstruction):
        parse_bar(text)
