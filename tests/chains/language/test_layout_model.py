"""Random drawings, read by the parser and by a model written apart."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from chains.language.layout import LayoutBox, parse
from chains.language.mistake import Mistake
from tests.chains.grid_model import Broken, model

WIDEST, TALLEST = 9, 3
LABELS = st.sampled_from(["A", "b", "C3", "Sales", "漢字", "Ø", "글"])
POSITIONS = {
    "": "middle",
    ":": "middle",
    ":-": "middle",
    ":^": "top",
    ":v": "bottom",
    ":x": None,
    ":漢": None,
}


def plain(box: LayoutBox | None) -> Any:
    """Boxes in the shape of the model."""
    if box is None:
        return None
    said = None if box.instruction is None else tuple(box.instruction)
    return (box.kind.value, box.width, box.height, box.floating, said, [plain(one) for one in box.children])


def read(text: str) -> Any:
    try:
        return plain(parse(text))
    except Mistake as mistake:
        return Broken if mistake.line and mistake.column else mistake


def modelled(text: str) -> Any:
    try:
        return model(text)
    except Broken:
        return Broken


@dataclass
class Plan:
    """A box that is to be drawn: what divides it, and where, as fractions of the whole drawing."""

    kind: str
    floating: bool
    cuts: list[float]
    children: list[Plan]
    said: tuple[str, str]


@st.composite
def plans(draw: Any, kind: str = "any", depth: int = 3) -> Plan:
    """Boxes in boxes. No two dividers meet, as each stands at a different fraction."""
    kinds = {
        "any": ["cell", "row", "column", "floating"],
        "row": ["cell", "column", "floating"],
        "column": ["cell", "row", "floating"],
        "floating": ["cell", "row"],
    }[kind]
    chosen = draw(st.sampled_from(kinds)) if depth else "cell"
    if chosen == "cell":
        return Plan("cell", False, [], [], (draw(LABELS), draw(st.sampled_from(sorted(POSITIONS)))))
    cuts = [cut / 1e6 for cut in sorted(draw(st.sets(st.integers(1, 999_999), min_size=1, max_size=3)))]
    children = [draw(plans(chosen, depth - 1)) for _ in range(len(cuts) + 1)]
    return Plan("row" if chosen == "row" else "column", chosen == "floating", cuts, children, ("", ""))


Area = tuple[float, float, float, float]
WHOLE = (0.0, 0.0, 1.0, 1.0)


def placed(plan: Plan, area: Area) -> list[tuple[Plan, Area, list[float]]]:
    """Each box with the area that it takes, and where in the drawing it is divided."""
    top, left, bottom, right = area
    start, stop = (left, right) if plan.kind == "row" else (top, bottom)
    cuts = [start + (stop - start) * cut for cut in plan.cuts]
    found = [(plan, area, cuts)]
    for child, (begin, end) in zip(plan.children, pairwise([start, *cuts, stop]), strict=False):
        found += placed(child, (top, begin, bottom, end) if plan.kind == "row" else (begin, left, end, right))
    return found


def grid_lines(boxes: list[tuple[Plan, Area, list[float]]], kind: str, room: list[int]) -> dict[float, int]:
    """The column (or row) at which each divider stands, far enough from the one before."""
    lines = sorted({0.0, 1.0} | {cut for plan, _, cuts in boxes if plan.kind == kind for cut in cuts})
    at, found = 0, {}
    for number, line in enumerate(lines):
        found[line] = at
        at += room[number % len(room)]
    return found


def drawing(plan: Plan, widths: list[int], heights: list[int]) -> tuple[list[list[str]], Any]:
    """A plan drawn, and the boxes that are to be read of it."""
    boxes = placed(plan, WHOLE)
    across, down = grid_lines(boxes, "row", widths), grid_lines(boxes, "column", heights)
    canvas = [[" "] * (across[1.0] + 1) for _ in range(down[1.0] + 1)]
    for x in (0, across[1.0]):
        line_down(canvas, x, 0, down[1.0])
    for y in (0, down[1.0]):
        line_across(canvas, y, 0, across[1.0], "+")
    for box, (top, left, bottom, right), cuts in boxes:
        for cut in cuts:
            if box.kind == "row":
                line_down(canvas, across[cut], down[top], down[bottom])
            else:
                line_across(canvas, down[cut], across[left], across[right], "|" if box.floating else "+")
        if box.kind == "cell":
            write(canvas, down[top] + 1, across[left] + 1, "".join(("{", *box.said, "}")))
    return canvas, expected(boxes, across, down)


def line_across(canvas: list[list[str]], y: int, left: int, right: int, end: str) -> None:
    for x in range(left, right + 1):
        crossed = canvas[y][x] in "|+" and x not in (left, right)
        canvas[y][x] = end if x in (left, right) else "+" if crossed else "-"


def line_down(canvas: list[list[str]], x: int, top: int, bottom: int) -> None:
    for y in range(top, bottom + 1):
        canvas[y][x] = "+" if y in (top, bottom) else "|"


def write(canvas: list[list[str]], y: int, x: int, said: str) -> None:
    for character in said:
        canvas[y][x] = character
        x += 1
        if unicodedata.east_asian_width(character) == "W":
            canvas[y][x] = ""
            x += 1


def expected(
    boxes: list[tuple[Plan, Area, list[float]]], across: dict[float, int], down: dict[float, int]
) -> Any:
    plan, (top, left, bottom, right), _ = boxes.pop(0)
    size = (across[right] - across[left], down[bottom] - down[top])
    if plan.kind == "cell":
        position = POSITIONS[plan.said[1]]
        return ("cell", *size, False, position and (plan.said[0], position), [])
    children = [expected(boxes, across, down) for _ in plan.children]
    return (plan.kind, *size, plan.floating, None, children)


WIDTHS = st.lists(st.integers(12, 17), min_size=1, max_size=4)
HEIGHTS = st.lists(st.integers(2, 4), min_size=1, max_size=4)


def tabbed(row: list[str]) -> str:
    """A row with tabs for the blanks before each eighth column."""
    blocks = ["".join(row[at : at + 8]) for at in range(0, len(row), 8)]
    full = [len(row[at : at + 8]) == 8 for at in range(0, len(row), 8)]
    return "".join(
        block.rstrip(" ") + "\t" if whole and block.endswith("  ") else block
        for block, whole in zip(blocks, full, strict=True)
    )


@st.composite
def texts(draw: Any) -> tuple[str, Any]:
    """A drawing as somebody may have typed it: margins, tabs, line ends, blanks at the ends of lines."""
    plan = draw(plans())
    for kind in ("row", "column"):
        cuts = [cut for box, _, cuts in placed(plan, WHOLE) if box.kind == kind for cut in cuts]
        assume(len(set(cuts)) == len(cuts))
    canvas, boxes = drawing(plan, draw(WIDTHS), draw(HEIGHTS))
    margin = draw(st.integers(0, 9))
    rows = [[" "] * margin + row + [" "] * draw(st.integers(0, 3)) for row in canvas]
    lines = [tabbed(row) if draw(st.booleans()) else "".join(row) for row in rows]
    blank = st.lists(st.sampled_from(["", " ", "\t", "　"]), max_size=2)
    return draw(st.sampled_from(["\n", "\r\n", "\r"])).join(draw(blank) + lines + draw(blank)), boxes


@given(texts())
def test_what_was_drawn_is_read(drawn):
    text, boxes = drawn
    assert read(text) == boxes
    assert model(text) == boxes


@given(texts(), st.data())
def test_a_drawing_that_somebody_spoiled_reads_alike(drawn, data):
    spoiled = list(drawn[0])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(spoiled) - 1))
        spoiled[at] = data.draw(
            st.sampled_from(["+", "-", "|", " ", "{", "}", "x", "漢", "", "\u200b", "\u0301"])
        )
    assert read("".join(spoiled)) == modelled("".join(spoiled))


SMALL = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from("+-|+-|  A"), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@given(SMALL, st.text("-+", min_size=20, max_size=20), st.text("|+", min_size=20, max_size=20))
@example([["-", "+", "-"], [" ", "|", " "]], "-" * 20, "|" * 20)
def test_any_lines_in_a_frame_read_alike(inner, across, down):
    """However ambiguous: crossings, lines side by side, lines of one character."""
    width = len(inner[0])
    rows = [f"{down[at]}{''.join(row)}{down[at - 10]}" for at, row in enumerate(inner)]
    text = "\n".join([f"+{across[:width]}+", *rows, f"+{across[10 : 10 + width]}+"])
    text = text.replace("A", "x") if width < 3 else text.replace(" A ", "{A}").replace("A", " ")
    assert read(text) == modelled(text)


@given(st.text("+-| {}A:^v\n\t", max_size=80) | st.text(max_size=40))
def test_any_text_reads_alike(text):
    assert read(text) == modelled(text)
