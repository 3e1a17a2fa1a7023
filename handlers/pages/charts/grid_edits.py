"""Boxes of a grid as its editor shows them, and edits of a box or border in the picture."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count, product
from string import ascii_uppercase
from typing import Any, TypeVar

from chains.language import layout, layout_edits, mapping
from chains.language.layout import BoxKind, Instruction, LayoutBox, walk
from chains.language.layout_edits import BoxBorder, NoEdit
from chains.language.mistake import Mistake
from handlers.pages.examples import patterns
from handlers.pages.forms import SentForm
from vfs.errors import Invalid

WAS = "was:"
"""Prefix of the name of a field with the previous value of another field."""
MOST_BOXES = 64
LABEL = re.compile(r"\{\s*([A-Za-z0-9]{1,64})")
LINE = re.compile(r"\s*([A-Za-z0-9]+)\s*=\s*>([^,]*+)(,.*)?")
HEADER = re.compile(r"\s*(h|include_header)\s*=")
HEADER_IN_QUERY = re.compile(r"[?&](h|include_header)=[^&]*")
SHOWN = "h=t"


@dataclass(frozen=True, slots=True)
class BoxRow:
    """A letter of the layout, the plot that the mapping assigns to it, and whether its title is shown."""

    label: str
    ref: str = ""
    titled: bool = False


def labels_of(drawing: str) -> Sequence[str]:
    """Return the letters of a layout in reading order, also if the layout is not valid."""
    try:
        box = layout.parse(drawing)
    except Mistake:
        found = LABEL.findall(drawing)
    else:
        found = [one.instruction.label for one in walk(box) if one.instruction is not None] if box else []
    return list(dict.fromkeys(found))[:MOST_BOXES]


def box_rows(drawing: str, bound: str) -> list[BoxRow]:
    """Return the letters of a layout with the plots that a mapping assigns to them."""
    lines = {label: (ref, options) for label, ref, options in bound_lines(bound)}
    return [
        BoxRow(label, *(read_line(*lines[label]) if label in lines else ("", False)))
        for label in labels_of(drawing)
    ]


def with_boxes(bound: str, sent: Mapping[str, str]) -> str:
    """Return the mapping with the letters that were changed in a form."""
    for name in [name for name in sent if name.startswith(f"{WAS}box-")]:
        label = name.removeprefix(f"{WAS}box-")
        before = (sent[name], sent.get(f"{WAS}head-{label}", ""))
        chosen = (sent.get(f"box-{label}", ""), sent.get(f"head-{label}", ""))
        if chosen != before and label.isalnum():
            bound = with_box(bound, label, chosen[0].strip(), titled=bool(chosen[1]))
    return bound


def with_box(bound: str, label: str, ref: str, *, titled: bool) -> str:
    """Return the mapping with a letter assigned to a plot; to none if no plot is named."""
    old = {one: options for one, _, options in bound_lines(bound)}.get(label, "")
    kept = [one.strip() for one in old.split(",")[1:] if one.strip() and not HEADER.match(one)]
    plain = HEADER_IN_QUERY.sub("", ref).replace("\n", " ")
    # Options after commas are valid only without a query.
    shown = [SHOWN] if titled and "?" not in plain else []
    plain += f"&{SHOWN}" if titled and not shown else ""
    line = ", ".join([f"{label} => {plain}", *kept, *shown])
    lines = bound.split("\n")
    places = [at for at, one in enumerate(lines) if _label(one) == label]
    for at in reversed(places[:-1] if ref else places):
        del lines[at]
    if not ref:
        return "\n".join(lines)
    if places:
        lines[places[-1] - len(places) + 1] = line
        return "\n".join(lines)
    return f"{bound}{'' if bound.endswith(chr(10)) or not bound else chr(10)}{line}\n"


def with_plot(drawing: str, bound: str, ref: str) -> str:
    """Return the mapping with the first free letter assigned to a plot; unchanged if none is free."""
    free = next((row.label for row in box_rows(drawing, bound) if not row.ref), "")
    return with_box(bound, free, ref, titled=True) if free and ref else bound


def bound_lines(bound: str) -> Iterator[tuple[str, str, str]]:
    """Yield label, reference and options of each line that assigns a plot."""
    for line in bound.split("\n"):
        if found := LINE.fullmatch(line.rstrip("\r")):
            yield found[1], found[2].strip(), found[3] or ""


def _label(line: str) -> str:
    found = LINE.fullmatch(line.rstrip("\r"))
    return found[1] if found else ""


def read_line(ref: str, options: str) -> tuple[str, bool]:
    """Return the reference of a line, and whether it shows the title."""
    try:
        (binding,) = mapping.parse(f"A => {ref}{options}").values()
    except (Mistake, ValueError):
        return ref, False
    return ref, binding.options.include_header


LAYOUT, MAPPING = "layout", "mapping"
ACTS = ("pattern", "put", "move", "beside", "below", "remove", "row", "column")
"""Edits in the picture: the values of `do`."""
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
    """Return the texts after the edit that a form requests. Raises Invalid."""
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

    Raises NoEdit if the text is not a reference to a plot.
    """
    cell = _named(layout_edits.cells(root), form["box"])
    is_new = cell.instruction is None
    label = cell.instruction.label if cell.instruction else _free_label(texts)
    if is_new:
        cell.instruction, cell.said = Instruction(label), f"{{{label}}}"
    ref = form["ref"].strip()
    try:
        mapping.parse(f"{label} => {ref}" if ref else "")
    except Mistake as mistake:
        raise NoEdit(mistake.detail) from None
    return with_box(texts[MAPPING], label, ref, titled=bool(form["titled"])), is_new


def _act(root: LayoutBox, texts: Texts, form: SentForm) -> str:
    """Change the boxes; return the mapping, without the line of a removed letter. Raises NoEdit."""
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
    """Return the box or border with this number. Raises NoEdit if there is no such number."""
    at = _number(number)
    if not 0 <= at < len(found):
        raise NoEdit("this box is no longer in the layout: reload the page")
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
