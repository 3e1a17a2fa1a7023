"""Grids as a browser lays them out: every box where it was drawn, one below the other on narrow pages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Browser

from handlers.render.grids.cell_plots import PixelCells
from handlers.render.grids.drawn_grid import GridLook, GridParts, read_grid
from handlers.render.grids.picture import grid_html

LAYOUT = """
+-------------+-----+-----+
|             | {B} | {C} |
|     {A}     +-----+-----+
|             |   {D:^}   |
|             |           |
+------+------+-----------+
| {E}  | {F}  |   {A:v}   |
+------+------+-----------+
"""
MAPPING = "A => /p/a\nB => /p/b\nC => /p/c\nD => /p/d\nE => /p/e\nF => /p/f\n"
MEASURE = """(cells) => cells.map(one => {
    const box = one.getBoundingClientRect();
    return [box.x, box.y, box.width, box.height];
})"""


@pytest.mark.parametrize("width", [640, 1371])
def test_every_box_stands_where_it_was_drawn(browser: Browser, width: int) -> None:
    grid, look = read_grid(LAYOUT, MAPPING), GridLook(width=1000)
    parts = GridParts(dict.fromkeys(range(6), '<svg width="9" height="9"></svg>'), {6: "not there"})
    measured = measure(browser, grid_html(grid, parts, look, "board", "g"), width)
    cells = PixelCells(look)
    boxes = [cells.plot_box(cell) for cell in cells.place(grid).cells]
    assert len(measured) == 7
    for found, box in zip(measured, boxes, strict=True):
        assert found == pytest.approx([side * width / 1000 for side in box], abs=0.05)


def test_boxes_stand_below_each_other_on_a_narrow_page(browser: Browser) -> None:
    grid, look = read_grid(LAYOUT, MAPPING), GridLook(width=1000)
    parts = GridParts(dict.fromkeys(range(7), '<svg width="300" height="200"></svg>'))
    measured = measure(browser, grid_html(grid, parts, look, "board", "g"), 390)
    assert {(x, width) for x, _, width, _ in measured} == {(4, 382)}
    for (_, y, _, height), (_, below, _, _) in pairwise(measured):
        assert below >= y + height >= y + 250


def measure(browser: Browser, html: str, width: int) -> list[list[float]]:
    """Place and size of the boxes of a fragment in a window of that width."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_content(f"<!doctype html><body style='margin:0'>{html}")
    measured: list[list[float]] = page.eval_on_selector_all("figure>div>div", MEASURE)
    page.close()
    return measured
