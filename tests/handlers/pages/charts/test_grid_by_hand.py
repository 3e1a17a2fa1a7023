"""A grid is edited by hand: boxes get plots, borders are moved, rows and columns are added, and undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from chains.language import layout, mapping
from chains.language.layout_edits import cells
from handlers.pages.charts.grid_edits import ACTS, edit, shape_of
from handlers.pages.examples import kind_example, patterns
from handlers.pages.forms import SentForm
from handlers.pages.visuals.grid_page import LOWEST, WINDOWS, height_of
from handlers.pages.visuals.pictures import Window
from handlers.rendering.interface import PixelCells, grid_look, read_grid
from handlers.trees.visuals.grids import KIND as GRID
from tests.handlers.pages.painter import ROWS, Painter
from tests.handlers.pages.web_user import WebUser
from vfs.errors import Invalid

PAIR = """\
+---------+---------+
|         |         |
|   {A}   |   {B}   |
|         |         |
+---------+---------+
"""
DRAWINGS = st.sampled_from([PAIR, "", *(one["drawing"] for one in patterns().values())])


@pytest.fixture
def grid(painter: Painter) -> str:
    """A grid of two boxes and two plots of the owner; the address of its editor."""
    for name in ("sales", "staff"):
        painter.make(f"plots/{name}", data=ROWS, name=f"The {name}")
    return painter.make("grids/board", layout=PAIR) + "/edit"


def written(page: Page) -> tuple[str, str]:
    return page.input_value("[name='text.layout']"), page.input_value("[name='text.mapping']")


def awaited(page: Page, does: Callable[[], object]) -> tuple[str, str]:
    """Return the texts after a change by hand."""
    before = written(page)
    does()
    page.wait_for_function(
        "before => ['layout', 'mapping'].some((name, at) => "
        "document.querySelector(`[name='text.${name}']`).value !== before[at])",
        arg=list(before),
    )
    return written(page)


def drag(page: Page, by: int) -> None:
    """Drag the first upright border to the right."""
    box = page.locator(".border.upright").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=4)
    page.mouse.up()


def test_a_grid_is_made_with_the_mouse(painter: Painter, grid: str, window: Callable[..., WebUser]) -> None:
    web_user = window()
    page = web_user.page
    web_user.sign_in(painter.name)
    web_user.open(grid)
    page.click("[aria-label='Choose a plot for box A']")
    page.fill("dialog input", "staff")
    expect(page.locator("[role=option]")).to_have_count(1)
    assert awaited(page, lambda: page.click("[role=option]")) == (PAIR, "A => /p/staff, h=t\n")
    board = page.locator(".board").bounding_box()
    assert board is not None
    narrow = awaited(page, lambda: drag(page, -round(3 * board["width"] / 20)))[0]
    assert narrow.startswith("+------+------------+\n")
    lines = awaited(page, lambda: page.click("text=+ Row"))[0].splitlines()
    assert lines[0] == lines[4] and "{C}" in lines[6] and len(lines) == 9
    page.hover(".board .choose >> nth=0")
    page.click("[aria-label='More about box A']")
    assert awaited(page, lambda: page.click("text=Show its title"))[1] == "A => /p/staff\n"
    page.keyboard.press("Escape")
    page.click("[aria-label='More about box B']")
    assert "{B}" not in awaited(page, lambda: page.click("text=Remove the box"))[0]
    assert "{B}" in awaited(page, lambda: page.click("button:text-is('Undo')"))[0]
    expect(page.locator(".state")).to_contain_text("kept in this browser")
    with page.expect_navigation():
        page.keyboard.press("Control+s")
    assert painter.vis("GET", "grids/board/layout") == "\n".join(lines) + "\n"


def test_a_grid_is_made_with_keys_and_follows_its_text(
    painter: Painter, grid: str, window: Callable[..., WebUser]
) -> None:
    web_user = window()
    page = web_user.page
    web_user.sign_in(painter.name)
    web_user.open(grid)
    page.focus("[role=separator]")
    assert page.get_attribute("[role=separator]", "aria-label") == "Border between A and B"
    assert awaited(page, lambda: page.keyboard.press("ArrowRight"))[0].startswith("+----------+--------+\n")
    assert page.get_attribute("[role=separator]:focus", "aria-valuenow") == "11"
    page.focus("[aria-label='Choose a plot for box B']")
    page.keyboard.press("Enter")
    expect(page.locator("[role=option]").nth(1)).to_be_visible()
    page.keyboard.type("/p/sales")
    expect(page.locator("[role=option]").first).to_have_attribute("data-ref", "/p/sales")
    assert awaited(page, lambda: page.keyboard.press("Enter"))[1] == "B => /p/sales, h=t\n"
    assert page.evaluate("document.activeElement.ariaLabel") == "The sales, in box B: choose another plot"
    page.fill("[name='text.layout']", "+---+\n|{X}|\n+---+\n")
    expect(page.locator("[aria-label='Choose a plot for box X']")).to_have_count(1)
    page.fill("[name='text.layout']", "")
    page.click(".beginnings button >> nth=1")
    expect(page.locator(".board .choose")).to_have_count(2)
    page.fill("[name='text.layout']", "+---+\n|{X}\n+---+\n")
    expect(page.locator(".board .choose")).to_have_count(0)
    expect(page.locator(".preview-said")).to_contain_text("column")


def test_a_border_is_dragged_with_a_finger(
    painter: Painter, grid: str, window: Callable[..., WebUser]
) -> None:
    web_user = window(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800})
    page = web_user.page
    web_user.sign_in(painter.name)
    web_user.open(grid)
    page.locator(".border").scroll_into_view_if_needed()
    box = page.locator(".border").bounding_box()
    assert box is not None and box["width"] >= 24
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def swipe() -> None:
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for step in range(1, 7):
            points = [{"x": x + 10 * step, "y": y}]
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    after = layout.parse(awaited(page, swipe)[0])
    assert after is not None and after.children[0].width > after.children[1].width
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@given(
    DRAWINGS,
    st.sampled_from(["", "A => /p/a, h=t\nB => /p/b\n", "no line", "D => /p/d"]),
    st.sampled_from(ACTS),
    st.dictionaries(
        st.sampled_from(["box", "border", "by", "ref", "titled", "pattern"]),
        st.one_of(
            st.integers(-3, 8).map(str), st.sampled_from(["", "/p/new", "on", "pair", "x\ny", "9" * 99])
        ),
    ),
)
def test_any_form_leaves_texts_that_can_be_read(
    drawing: str, bound: str, act: str, fields: dict[str, str]
) -> None:
    before = {"layout": drawing, "mapping": bound}
    try:
        after = edit(before, SentForm({**fields, "do": act}))
    except Invalid:
        return
    root = layout.parse(after["layout"])
    shape = shape_of(after)
    if root is None or shape is None:
        assert root is shape is None
        return
    assert len(shape["boxes"]) == len(cells(root))
    if bound == "no line":
        return
    lost = {label for label in mapping.parse(bound) if label in drawing} - mapping.parse(
        after["mapping"]
    ).keys()
    assert act in ("remove", "put") or not lost


def test_a_drawing_that_cannot_be_read_stays_as_it_is() -> None:
    with pytest.raises(Invalid, match="cannot be read, so nothing was changed"):
        edit({"layout": "+---\n", "mapping": ""}, SentForm({"do": "row"}))
    assert shape_of({"layout": "+---\n", "mapping": ""}) is None


@pytest.mark.parametrize(
    "drawing", [*(one["drawing"] for one in patterns().values()), kind_example(GRID)["layout"]]
)
def test_new_grids_begin_with_three_lines_a_box(drawing: str) -> None:
    root = layout.parse(drawing)
    assert root is not None and all(box.height >= 4 for box in cells(root))


@pytest.mark.parametrize("window", WINDOWS[1:])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_no_chart_on_a_page_is_lower_than_220_pixels(window: Window, columns: int) -> None:
    drawing = (
        "+"
        + "-----------+" * columns
        + "\n|"
        + "    {A}    |" * columns
        + "\n+"
        + "-----------+" * columns
        + "\n"
    )
    grid = read_grid(drawing, "A => /p/a")
    height = height_of(grid, window)
    look = grid_look("svg", {"width": window.picture, "height": height})
    natural = PixelCells(grid_look("svg", {"width": window.picture})).place(grid).height
    assert min(cell.height for cell in PixelCells(look).place(grid).cells) >= min(LOWEST, 3 * natural)
    assert height_of(grid, window, {"A"}) == -(-natural // 1)
