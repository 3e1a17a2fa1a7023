"""The picture of a grid is read back: boxes to the unit, backgrounds, reasons, and unique ids."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.render.grids.cell_plots import PixelCells
from handlers.render.grids.picture import describe_grid, grid_html, grid_svg
from handlers.render.grids.placement import NO_LAYOUT, GridLook, GridParts, grid_look, read_grid
from handlers.render.plots.look.palette import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
BOARD = """
+-------------+--------+
|             |  {B:^} |
|     {A}     +--------+
|             |  {C:v} |
+-------------+--------+
"""
BOUND = "A => /p/a\nB => /p/b\nC => /p/c\n"
WIDE = 2300
"""Pixels of a picture with exactly a hundred for each drawn column of BOARD."""


def part(width: int, height: int, body: str = "") -> str:
    """The picture of a plot."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>a plot</title>{body}</svg>'
    )


def picture(
    layout: str = BOARD, mapping: str = BOUND, parts: GridParts | None = None, **options: int | str | bool
) -> ET.Element:
    grid = read_grid(layout, mapping)
    return ET.fromstring(
        grid_svg(grid, parts or GridParts(), grid_look("svg", {"width": WIDE, **options}), "board")
    )


def box(element: ET.Element) -> tuple[float, ...]:
    return tuple(float(element.attrib[side]) for side in ("x", "y", "width", "height"))


def cell(root: ET.Element, number: int) -> ET.Element:
    (found,) = [one for one in root.iter(f"{SVG}svg") if one.get("id") == f"cell{number}"]
    return found


def plot(root: ET.Element, number: int) -> ET.Element:
    (found,) = cell(root, number).findall(f"{SVG}svg")
    return found


def test_cells_are_where_they_were_drawn_to_the_unit() -> None:
    root = picture(parts=GridParts({0: part(300, 200), 1: part(9, 9), 2: part(9, 9)}))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("2300", "800", "0 0 2300 800")
    assert box(cell(root, 0)) == (0, 0, 1400, 800)
    assert box(cell(root, 1)) == (1400, 0, 900, 400)
    assert box(cell(root, 2)) == (1400, 400, 900, 400)


def test_a_plot_of_the_size_that_was_ordered_fills_its_cell_but_for_the_air() -> None:
    grid, cells = read_grid(BOARD, BOUND), PixelCells(GridLook(width=WIDE))
    for placed in cells.place(grid).cells:
        width, height = cells.order(placed, grid.options(placed.label))
        root = picture(parts=GridParts({placed.number: part(width, height)}))
        x, y, wide, high = box(plot(root, placed.number))
        assert (x, y, wide, high) == (placed.x + 8, placed.y + 8, placed.width - 16, placed.height - 16)


@pytest.mark.parametrize("number,top", [(0, 50), (1, 8), (2, 692)])
def test_a_lower_plot_is_at_the_position_of_its_cell(number: int, top: float) -> None:
    size = {0: (1384, 700), 1: (884, 100), 2: (884, 100)}[number]
    root = picture(parts=GridParts({number: part(*size)}))
    assert box(plot(root, number)) == (8 if number == 0 else 1408, top, *size)


def test_a_higher_plot_is_reduced_and_never_cut() -> None:
    root = picture(parts=GridParts({1: part(884, 768)}))
    assert box(plot(root, 1)) == (1408, 8, 442, 384)
    assert plot(root, 1).get("viewBox") == "0 0 884 768"


STACK = "+----------+\n|   {A}    |\n|----------|\n|   {B}    |\n|          |\n|          |\n+----------+"


def test_a_floating_stack_is_packed_as_its_plots_need_it() -> None:
    root = picture(
        STACK, "A=>/p/a\nB=>/p/b", GridParts({0: part(9, 9), 1: part(9, 9)}, needs={0: 300}), width=1100
    )
    assert (box(cell(root, 0)), box(cell(root, 1))) == ((0, 0, 1100, 300), (0, 300, 1100, 900))


def test_no_id_of_a_plot_meets_one_of_another() -> None:
    body = (
        '<defs><clipPath id="clip0"/></defs><g clip-path="url(#clip0)"><a href="#clip0"/></g>'
        '<text>id="clip0" url(#clip0)</text>'
    )
    root = picture(parts=GridParts({0: part(9, 9, body), 1: part(9, 9, body)}))
    ids = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert sorted(ids) == ["cell0", "cell0-clip0", "cell1", "cell1-clip0"]
    for number in (0, 1):
        texts = ET.tostring(cell(root, number), encoding="unicode")
        assert f'clip-path="url(#cell{number}-clip0)"' in texts and f'href="#cell{number}-clip0"' in texts
        assert 'id="clip0" url(#clip0)' in "".join(cell(root, number).itertext())


def test_a_cell_without_a_plot_is_a_grey_box_with_the_reason() -> None:
    reason = "No plot /p/a <script> & that ann may see."
    shown = cell(picture(parts=GridParts(reasons={0: reason})), 0)
    (rect,) = shown.findall(f"{SVG}rect")
    assert (rect.get("fill"), box(rect)) == (LIGHT.panel, (8, 8, 1384, 784))
    assert " ".join(one.text or "" for one in shown.findall(f"{SVG}text")) == reason
    assert shown.findtext(f"{SVG}title") == reason


def test_a_reason_without_room_is_shown_to_a_pointer() -> None:
    layout = "+--+" + "-" * 40 + "+\n|A |".replace("A", " ") + " " * 40 + "|\n+--+" + "-" * 40 + "+"
    shown = cell(picture(layout, "", GridParts(reasons={0: "No such plot."}), width=600), 0)
    assert not shown.findall(f"{SVG}text") and shown.findtext(f"{SVG}title") == "No such plot."


def test_a_grid_is_described_by_its_summary_or_by_its_plots() -> None:
    parts = GridParts({0: part(9, 9).replace("a plot", "line &amp; all"), 1: part(9, 9), 2: "text"})
    assert describe_grid("board", "All sales.", parts) == "board: All sales."
    assert describe_grid("", "All sales.", parts) == "All sales."
    assert describe_grid("board", "", parts) == "board: line & all; a plot"
    assert (describe_grid("board", "", GridParts()), describe_grid("", "", GridParts())) == ("board", "grid")
    assert len(describe_grid("", "x" * 5_000, parts)) == 1_000


def test_a_cell_that_shows_nothing_draws_nothing() -> None:
    assert [one for one in picture().iter(f"{SVG}svg") if one.get("id")] == []


@pytest.mark.parametrize(
    "layout,message", [("", NO_LAYOUT), ("+-+\n|{|\n+-+", "The layout cannot be read: line 2, column 2")]
)
def test_a_grid_without_boxes_has_the_reason(layout: str, message: str) -> None:
    assert "".join(cell(picture(layout, width=1200), 0).itertext()).startswith(message)


GROUNDS = [
    ("light", False, "", None),
    ("light", False, ",m=l", None),
    ("light", False, ",m=d", DARK.paper),
    ("dark", False, ",m=l", LIGHT.paper),
    ("light", True, "", None),
    ("light", True, ",tbg=f", LIGHT.paper),
    ("light", False, ",m=d,tbg=t", None),
]


@pytest.mark.parametrize("mode,transparent,options,ground", GROUNDS)
def test_a_plot_brings_a_ground_where_it_differs_from_the_grid(
    mode: str, transparent: bool, options: str, ground: str | None
) -> None:
    root = picture(
        mapping=f"A=>/p/a{options}",
        parts=GridParts({0: part(9, 9)}),
        mode=mode,
        transparent_background=transparent,
    )
    rects = cell(root, 0).findall(f"{SVG}rect")
    assert [rect.get("fill") for rect in rects] == [ground] * (ground is not None)
    papers = [rect.get("fill") for rect in root.findall(f"{SVG}rect")]
    assert papers == ([] if transparent else [{"light": LIGHT, "dark": DARK}[mode].paper])


def test_a_scale_enlarges_all_that_a_plot_shows() -> None:
    grid, cells = read_grid(BOARD, "A => /p/a, s=2"), PixelCells(GridLook(width=WIDE))
    placed = cells.place(grid).cells[0]
    assert cells.order(placed, grid.options("A")) == (692, 392)
    root = picture(parts=GridParts({0: part(692, 392)}))
    assert box(plot(root, 0)) == (8, 8, 1384, 784)


def test_a_drawing_of_endless_height_is_pressed_together() -> None:
    layout = "+--+\n" + "|  |\n" * 9000 + "+--+"
    assert picture(layout, width=4000).get("height") == "12000"
    assert picture(BOARD, height=500).get("height") == "500"


def test_the_fragment_holds_the_same_boxes_as_shares() -> None:
    parts = GridParts({0: part(300, 200, '<g id="a"/>'), 1: part(9, 9, '<g id="a"/>')}, {2: "no <plot>"})
    grid, look = read_grid(BOARD, BOUND + "B => /p/b, m=d"), GridLook(width=WIDE)
    html = grid_html(grid, parts, look, 'a "board"', "g1")
    root = ET.fromstring(html)
    assert (root.get("id"), root.get("aria-label")) == ("g1", 'a "board"')
    whole = root.find("div")
    assert whole is not None
    styles = [dict(one.split(":", 1) for one in (child.get("style") or "").split(";")) for child in whole]
    assert float(styles[0]["width"].rstrip("%")) == pytest.approx(1384 / 2300 * 100, abs=1e-4)
    assert float(styles[2]["top"].rstrip("%")) == pytest.approx(408 / 800 * 100, abs=1e-4)
    assert [style.get("background") for style in styles] == [None, DARK.paper, None]
    assert (whole[2].get("class"), whole[2].text) == ("reason", "no <plot>")
    assert {one.get("preserveAspectRatio") for one in root.iter("svg")} == {
        "xMinYMid",
        "xMinYMin",
    }
    ids = [one.attrib["id"] for one in root.iter() if "id" in one.attrib]
    assert len(ids) == len(set(ids)) == 3


NAMES = st.lists(st.integers(3, 30), min_size=1, max_size=6)


@given(NAMES, NAMES, st.integers(120, 4000))
def test_edges_that_were_drawn_in_one_line_stay_in_one_line(
    widths: list[int], heights: list[int], width: int
) -> None:
    bar = "+" + "".join("-" * (wide - 1) + "+" for wide in widths)
    line = "|" + "".join(" " * (wide - 1) + "|" for wide in widths)
    layout = "\n".join([bar, *[one for high in heights for one in [*[line] * (high - 1), bar]]])
    placement = PixelCells(GridLook(width=width)).place(read_grid(layout, ""))
    rows = [placement.cells[at : at + len(widths)] for at in range(0, len(placement.cells), len(widths))]
    for row, high in zip(rows, heights, strict=True):
        assert len({(one.y, one.height) for one in row}) == 1
        assert row[0].height / placement.height == pytest.approx(high / sum(heights))
        for one, other in pairwise(row):
            assert one.x + one.width == pytest.approx(other.x)
    for row in rows:
        assert [one.x for one in row] == [one.x for one in rows[0]]
        for one, wide in zip(row, widths, strict=True):
            assert one.width / width == pytest.approx(wide / sum(widths))
