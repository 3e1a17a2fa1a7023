"""Examples of the chapter on tables: its slices select, its formats write, its lines are read."""

import re
from importlib.resources import files

import pytest

from handlers.render.plots.data.number_formats import parse_number_format
from handlers.render.plots.data.table_text import read_frame
from handlers.render.plots.tables.instructions import parse_slice
from handlers.render.plots.tables.styled_table import StyledTable
from handlers.trees.visuals.plots import CELL

CHAPTER = (files("handlers.reference") / "text" / "tables.md").read_text()
DATA = "day,a,b,c,d\n" + "".join(f"2026-11-0{n},{n},{n * 10},{n - 3},{n}\n" for n in range(1, 7))


def table_below(heads: str) -> list[list[str]]:
    """The rows of the chapter's table with these heads."""
    rows = CHAPTER.partition(f"{heads}\n|")[2].partition("\n\n")[0].splitlines()[1:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in rows]


def blocks(name: str) -> list[str]:
    return re.findall(rf"^```{name}\n(.*?)^```$", CHAPTER, re.DOTALL | re.MULTILINE)


def test_slices_select_as_in_the_chapter() -> None:
    rows = table_below("| slice | selects |")
    assert len(rows) > 10
    for text, selects in rows:
        wanted = [] if selects == "none" else [int(index) for index in selects.split()]
        assert sorted(parse_slice(text).of(6)) == wanted, text


def test_formats_write_as_in_the_chapter() -> None:
    rows = table_below("| format | number | shows |")
    assert len(rows) > 10
    for format_, number, shows in rows:
        assert parse_number_format(format_)(float(number)) == shows, format_


def test_numbers_without_a_format_look_as_in_the_chapter() -> None:
    rows = table_below("| column | sent | shows |")
    assert len(rows) > 8
    for what, sent, shows in rows:
        cells = [cell.strip("`") for cell in sent.split(", ")]
        data = "name\tb\n" + "".join(f"x\t{cell}\n" for cell in cells)
        table = StyledTable(read_frame(data), {})
        assert [table.text(row, 1) for row in range(1, table.rows)] == shows.split(", "), what


@pytest.mark.parametrize("name", sorted(CELL))
def test_every_file_of_cells_has_an_example_that_is_understood(name: str) -> None:
    assert blocks(name)
    for block in blocks(name):
        assert StyledTable(read_frame(DATA), {f"table/cell/{name}": block}).notes == []


def test_the_example_of_colours_is_understood_and_colours() -> None:
    (block,) = blocks("colors")
    for mode in ("light", "dark"):
        table = StyledTable(read_frame(DATA), {"colors/colors": block}, mode)
        assert table.notes == []
        assert table.cell(0, 0).ground and table.cell(1, 2).ink and table.cell(2, 3).ground


def test_wrong_sizes_and_indices_are_noted() -> None:
    table = StyledTable(read_frame(DATA), {"table/size": "huge", "table/index": "some"})
    assert (table.row_heads, table.units) == (1, None)
    assert [note.partition(":")[0] for note in table.notes] == ["config/table/index", "config/table/size"]
