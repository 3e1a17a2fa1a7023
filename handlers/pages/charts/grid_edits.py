"""Edits of a grid by hand: its boxes as a page shows them, and the texts after an act on a box or border."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import count, product
from string import ascii_uppercase
from typing import Any, TypeVar

from chains.language import layout, layout_edits
from chains.language.layout import BoxKind, Instruction, LayoutBox
from chains.language.layout_edits import BoxBorder, NoEdit
from chains.language.mapping import parse as parse_mapping
from chains.language.mistake import Mistake
from handlers.pages.charts.grid_boxes import MOST_BOXES, BoxRow, bound_lines, box_rows, labels_of, with_box
from handlers.pages.examples import patterns
from handlers.pages.forms import SentForm
from vfs.errors import Invalid

LAYOUT, MAPPING = "layout", "mapping"
ACTS = ("pattern", "put", "move", "beside", "below", "remove", "row", "column")
"""What may be done by hand: the values of `do`."""
TOO_MANY = f"a grid that is edited by hand has at most {MOST_BOXES} boxes"
NEW = (32, 4)
"""Width and height of the first box."""
WHOLE = re.compile("-?[0-9]{1,5}")
Texts = Mapping[str, str]
T = TypeVar("T")


def shape_of(texts: Texts) -> dict[str, Any] | None:
    """Return the boxes and borders of a layout for the script; None if it is empty, wrong or too large."""
    try:
        root = layout.parse(texts[LAYOUT])
    except Mistake:
        return None
    if root is None or len(layout_edits.cells(root)) > MOST_BOXES:
        return None
    rows = {row.label: row for row in box_rows(texts[LAYOUT], texts[MAPPING])}
    boxes = []
    for box, top, left in layout_edits.areas(root):
        if not box.children:
            row = rows.get(box.instruction.label) if box.instruction else None
            place = {"top": top, "left": left, "width": box.width, "height": box.height}
            boxes.append({**asdict(row or BoxRow("")), **place})
    numbers = {id(cell): number for number, cell in enumerate(layout_edits.cells(root))}
    borders = [_border(border, numbers) for border in layout_edits.borders(root)]
    return {"width": root.width, "height": root.height, "boxes": boxes, "borders": borders}


def _border(border: BoxBorder, numbers: Mapping[int, int]) -> dict[str, Any]:
    """Return a border for the script: the boxes at its sides, and its place between their outer edges."""
    before, after = (side.width if border.upright else side.height for side in border.sides)
    return {
        "upright": border.upright,
        "sides": [[numbers[id(cell)] for cell in layout_edits.cells(side)] for side in border.sides],
        "now": before,
        "size": before + after,
        "room": border.room,
    }


def edit(texts: Texts, form: SentForm) -> Texts:
    """Return the texts after the act of a form. Raises Invalid."""
    if form["do"] == "pattern":
        return {**texts, LAYOUT: patterns().get(form["pattern"], {}).get("drawing", texts[LAYOUT])}
    try:
        root = layout.parse(texts[LAYOUT]) or LayoutBox(BoxKind.CELL, *NEW)
        mapping, redrawn = _put(root, texts, form) if form["do"] == "put" else (_act(root, texts, form), True)
        if len(layout_edits.cells(root)) > MOST_BOXES:
            raise NoEdit(TOO_MANY)
        return {LAYOUT: layout_edits.draw_boxes(root) if redrawn else texts[LAYOUT], MAPPING: mapping}
    except NoEdit as refusal:
        raise Invalid(str(refusal)) from None
    except Mistake as mistake:
        raise Invalid(f"the drawing cannot be read, so nothing was changed: {mistake.detail}") from None


def _put(root: LayoutBox, texts: Texts, form: SentForm) -> tuple[str, bool]:
    """Return the mapping with another plot in a cell, and whether the cell got its first letter.

    Raises NoEdit for what is no reference to a plot.
    """
    cell = _named(layout_edits.cells(root), form["box"])
    is_new = cell.instruction is None
    label = cell.instruction.label if cell.instruction else _free_label(texts)
    if is_new:
        cell.instruction, cell.said = Instruction(label), f"{{{label}}}"
    ref = form["ref"].strip()
    try:
        parse_mapping(f"{label} => {ref}" if ref else "")
    except Mistake as mistake:
        raise NoEdit(mistake.detail) from None
    return with_box(texts[MAPPING], label, ref, titled=bool(form["titled"])), is_new


def _act(root: LayoutBox, texts: Texts, form: SentForm) -> str:
    """Change the boxes; return the mapping, without the line of a letter that is gone. Raises NoEdit."""
    match form["do"]:
        case "move":
            layout_edits.move(_named(layout_edits.borders(root), form["border"]), _number(form["by"]))
        case "row" | "column" as do:
            layout_edits.extend(root, _free_label(texts), upright=do == "column")
        case "beside" | "below" as do:
            cell = _named(layout_edits.cells(root), form["box"])
            layout_edits.divide(root, cell, _free_label(texts), upright=do == "beside")
        case _:
            cell = _named(layout_edits.cells(root), form["box"])
            layout_edits.remove(root, cell)
            left = {one.instruction for one in layout_edits.cells(root)}
            if cell.instruction is not None and cell.instruction not in left:
                return with_box(texts[MAPPING], cell.instruction.label, "", titled=False)
    return texts[MAPPING]


def _named(found: Sequence[T], number: str) -> T:
    """Return the box or border of that number. Raises NoEdit if the text has none."""
    at = _number(number)
    if not 0 <= at < len(found):
        raise NoEdit("this box is not in the drawing any more: look at it again")
    return found[at]


def _number(text: str) -> int:
    """Return a number of a form. Raises NoEdit."""
    if WHOLE.fullmatch(text) is None:
        raise NoEdit("a box, a border and how far it moves are whole numbers")
    return int(text)


def _free_label(texts: Texts) -> str:
    """Return the first letter that neither the layout nor the mapping uses."""
    used = {*labels_of(texts[LAYOUT]), *(label for label, _, _ in bound_lines(texts[MAPPING]))}
    return next(label for label in _labels() if label not in used)


def _labels() -> Iterator[str]:
    """Yield A to Z, then A1 to Z1, and so on."""
    yield from ascii_uppercase
    yield from (f"{letter}{number}" for number, letter in product(count(1), ascii_uppercase))
