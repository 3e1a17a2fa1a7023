"""The slowest layouts of the largest size take little time and room in every form."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from handlers.render.grids.placement import read_grid
from handlers.rendering.forms import bounded_scale, render_order
from handlers.rendering.port import RenderOrder
from tests.kit.clocks import processor_seconds

KIB = 1024
SIDE = 127


def drawn(rows: int, columns: int, said: str) -> str:
    """Return a layout of equal boxes, each one row high."""
    bar = "+" + ("-" * len(said) + "+") * columns
    return "\n".join([bar, *[f"|{f'{said}|' * columns}", bar] * rows])


def nested(depth: int) -> str:
    """Return a layout of boxes in boxes, divided in turn side by side and one below the other."""
    width, height = 2 * depth + 2, depth + 2
    rows = [[" "] * width for _ in range(height)]
    for at in range(width):
        rows[0][at] = rows[-1][at] = "-"
    for row in rows:
        row[0] = row[-1] = "|"
    for corner in (0, width - 1):
        rows[0][corner] = rows[-1][corner] = "+"
    for level in range(2, depth, 2):
        for at in range(level - 2, height):
            rows[at][2 * level] = "+" if rows[at][2 * level] in "-+" else "|"
        for at in range(2 * level, width):
            rows[level][at] = "+" if at in (2 * level, width - 1) else "-"
    return "\n".join("".join(row) for row in rows)


LAYOUTS = {
    "a maze of the smallest boxes": drawn(SIDE, SIDE, " "),
    "as many labels as fit": drawn(90, 90, "{A}"),
    "a column of boxes": drawn(4_600, 1, "{A}"),
    "a row of boxes": drawn(1, 5_400, "{A}"),
    "boxes in boxes": nested(150),
    "a floating stack": drawn(4_600, 1, "{A}").replace("\n+---+\n", "\n|---|\n"),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("form", ["svg", "html", "ansi"])
def test_the_largest_layouts_are_drawn_in_bounded_time(layout: str, form: str) -> None:
    assert len(layout) <= 64 * KIB and not read_grid(layout, "").fault
    reasons = {f"reason/{number}": "A grid shows 64 plots." for number in range(5_000)}
    texts = {"layout": layout, "mapping": "A => /p/a", **reasons}
    parts = {str(number): '<svg width="9" height="9"></svg>' for number in range(64)}
    order = RenderOrder("grid", form, texts, {"cols": 320, "width": 1200}, parts)
    assert processor_seconds(lambda: render_order(order)) < 3
    made = render_order(order)
    assert len(made.body) < 4 << 20
    if form == "svg":
        ET.fromstring(made.body)


@pytest.mark.parametrize(
    "width,height,scale,given",
    [(1200, 800, 3, 3), (1200, 12_000, 3, 1), (2000, 2000, 3, 2), (4000, 12_000, 1, 1)],
)
def test_a_picture_of_too_many_pixels_has_fewer_than_requested(
    width: int, height: int, scale: int, given: int
) -> None:
    assert bounded_scale(f'<svg width="{width}" height="{height}">', scale) == given
