"""Edits of a layout's boxes: borders moved, boxes divided, added and removed, and the text redrawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chains.language.drawing import column_width
from chains.language.layout import BoxKind, Instruction, LayoutBox, parse, walk
from chains.language.mistake import Mistake

LEAST = 2
"""Smallest distance of two borders."""
NEW_HEIGHT = 4
"""Smallest height of a new box: three lines between its borders."""
LARGEST = 60_000
MOST_TRIES = 4


class NoEdit(Exception):
    """An edit that cannot be drawn; `str()` is the reason."""


class BoxBorder(NamedTuple):
    """A line between the children `at` and `at + 1` of a box: upright in a ROW, else level."""

    parent: LayoutBox
    at: int

    @property
    def upright(self) -> bool:
        """Whether it has boxes on its left and right."""
        return self.parent.kind is BoxKind.ROW

    @property
    def sides(self) -> tuple[LayoutBox, LayoutBox]:
        """The boxes before and after it."""
        return self.parent.children[self.at], self.parent.children[self.at + 1]

    @property
    def room(self) -> tuple[int, int]:
        """The distances by which it may move left or up, and right or down, in characters."""
        before, after = self.sides
        return _room(before, upright=self.upright, last=True), _room(after, upright=self.upright, last=False)


class BoxPlace(NamedTuple):
    """A box with the place of its upper left corner."""

    box: LayoutBox
    top: int
    left: int


def areas(root: LayoutBox) -> Iterator[BoxPlace]:
    """Yield all boxes with their places, in reading order."""
    waiting = [BoxPlace(root, 0, 0)]
    while waiting:
        area = waiting.pop()
        yield area
        waiting.extend(reversed(_inner(area)))


def cells(root: LayoutBox) -> list[LayoutBox]:
    """Return the cells in reading order."""
    return [box for box in walk(root) if not box.children]


def borders(root: LayoutBox) -> list[BoxBorder]:
    """Return the lines between boxes, those of outer boxes first."""
    return [BoxBorder(box, at) for box in walk(root) for at in range(len(box.children) - 1)]


def move(border: BoxBorder, by: int) -> None:
    """Move a border by a number of characters, or as far as possible."""
    least, most = border.room
    step = max(-least, min(by, most))
    for box, change, last in zip(border.sides, (step, -step), (True, False), strict=True):
        _resize(box, change, upright=border.upright, last=last)


def divide(root: LayoutBox, cell: LayoutBox, label: str, *, upright: bool) -> None:
    """Put a new cell beside a cell (`upright`) or below it, in half of its area."""
    while _size(cell, upright=upright) < (2 * LEAST if upright else 2 * NEW_HEIGHT):
        _scale(root, upright=upright)
    size = _size(cell, upright=upright)
    kind = BoxKind.ROW if upright else BoxKind.COLUMN
    parent = _parent(root, cell)
    if parent is None or parent.kind is not kind:
        parent, cell = _wrapped(cell, kind)
    new = _new_cell(cell.width, cell.height, label)
    parent.children.insert(_index(parent, cell) + 1, new)
    _resize(cell, size // 2 - size, upright=upright, last=True)
    _resize(new, -(size // 2), upright=upright, last=True)


def extend(root: LayoutBox, label: str, *, upright: bool) -> None:
    """Add a column at the right (`upright`) or a row at the bottom, with the usual size of the others."""
    kind = BoxKind.ROW if upright else BoxKind.COLUMN
    if root.kind is not kind:
        _wrapped(root, kind)
    usual = _size(root, upright=upright) // len(root.children)
    size = max(usual, LEAST if upright else NEW_HEIGHT)
    new = _new_cell(*((size, root.height) if upright else (root.width, size)), label)
    root.children.append(new)
    _grow(root, size, upright=upright)


def remove(root: LayoutBox, cell: LayoutBox) -> None:
    """Remove a cell. The box before it, or else the one after it, gets its area. Raises NoEdit."""
    parent = _parent(root, cell)
    if parent is None:
        raise NoEdit("this is the only box of the grid")
    upright, at = parent.kind is BoxKind.ROW, _index(parent, cell)
    heir = parent.children[at - 1 if at else 1]
    _resize(heir, _size(cell, upright=upright), upright=upright, last=at > 0)
    del parent.children[at]
    if len(parent.children) > 1:
        return
    above = _parent(root, parent)
    _become(parent, heir)
    if above is not None and parent.children and parent.kind is above.kind:
        place = _index(above, parent)
        above.children[place : place + 1] = parent.children


def draw_boxes(root: LayoutBox) -> str:
    """Return the drawing of boxes, with twice their size if the text of a cell has no room. Raises NoEdit.

    It is read back as the same cells, though lines that meet may be read as one line.
    """
    text = None
    for _ in range(MOST_TRIES):
        if (root.width + 2) * (root.height + 1) > LARGEST:
            raise NoEdit("the drawing would become too large")
        if (text := _draw(root)) is not None:
            break
        _scale(root, upright=True)
        _scale(root, upright=False)
    try:
        again = parse(text or "")
    except Mistake:
        again = None
    if text is None or again is None or _places(again) != _places(root):
        raise NoEdit("lines of other boxes are in its way: move one of them first, or change the text")
    return text


def _draw(root: LayoutBox) -> str | None:
    """Return the drawing; None if the text of a cell has no room."""
    rows = [[" "] * (root.width + 1) for _ in range(root.height + 1)]
    placed = [area for area in areas(root) if not area.box.children]
    for box, top, left in placed:
        for row in rows[top : top + box.height + 1]:
            row[left] = row[left + box.width] = "|"
        for row in (rows[top], rows[top + box.height]):
            row[left + 1 : left + box.width] = "-" * (box.width - 1)
    for box, top, left in placed:
        for row in (rows[top], rows[top + box.height]):
            row[left] = row[left + box.width] = "+"
    for area in areas(root):
        for part in _inner(area)[1:] if area.box.floating else ():
            rows[part.top][part.left] = rows[part.top][part.left + area.box.width] = "|"
    if not all(_write(rows, area) for area in placed):
        return None
    return "".join(f"{''.join(row)}\n" for row in rows)


def _write(rows: list[list[str]], area: BoxPlace) -> bool:
    """Write the text of a cell into its middle; return whether there is room."""
    width, height = area.box.width - 1, area.box.height - 1
    lines: list[list[str]] = [[]]
    room = width
    for character in area.box.said:
        if (wide := column_width(character)) > room:
            lines.append([])
            room = width
        lines[-1] += [character, *[""] * (wide - 1)] if wide else [character]
        room -= wide
    if len(lines) > height or any(len(line) > width for line in lines):
        return False
    top = area.top + 1 + (height - len(lines)) // 2
    left = area.left + 1 + (width - len(lines[0])) // 2
    for at, line in enumerate(lines):
        rows[top + at][left : left + len(line)] = line
    return True


def _places(root: LayoutBox) -> list[tuple[int, int, int, int, str]]:
    found = [
        (top, left, box.height, box.width, box.said) for box, top, left in areas(root) if not box.children
    ]
    return sorted(found)


def _inner(area: BoxPlace) -> list[BoxPlace]:
    """Return the boxes in a box with their places."""
    box, top, left = area
    found = []
    for child in box.children:
        found.append(BoxPlace(child, top, left))
        top, left = (top, left + child.width) if box.kind is BoxKind.ROW else (top + child.height, left)
    return found


def _size(box: LayoutBox, *, upright: bool) -> int:
    return box.width if upright else box.height


def _grow(box: LayoutBox, by: int, *, upright: bool) -> None:
    if upright:
        box.width += by
    else:
        box.height += by


def _resize(box: LayoutBox, by: int, *, upright: bool, last: bool) -> None:
    """Move the last or first edge of a box, and of the boxes in it that end there."""
    for one in _at_edge(box, upright=upright, last=last):
        _grow(one, by, upright=upright)


def _room(box: LayoutBox, *, upright: bool, last: bool) -> int:
    """Return the number of characters by which a box may shrink at its last or first edge."""
    return min(_size(one, upright=upright) - LEAST for one in _at_edge(box, upright=upright, last=last))


def _at_edge(box: LayoutBox, *, upright: bool, last: bool) -> Iterator[LayoutBox]:
    """Yield a box and all boxes in it that end at its last or first edge."""
    waiting = [box]
    while waiting:
        one = waiting.pop()
        yield one
        if one.children:
            is_along = (one.kind is BoxKind.ROW) is upright
            waiting += one.children[-1:] if is_along and last else one.children[: 1 if is_along else None]


def _scale(root: LayoutBox, *, upright: bool) -> None:
    """Double the width or height of all boxes. Their proportions stay."""
    for box in walk(root):
        _grow(box, _size(box, upright=upright), upright=upright)


def _new_cell(width: int, height: int, label: str) -> LayoutBox:
    return LayoutBox(BoxKind.CELL, width, height, instruction=Instruction(label), said=f"{{{label}}}")


def _parent(root: LayoutBox, box: LayoutBox) -> LayoutBox | None:
    return next((one for one in walk(root) if any(child is box for child in one.children)), None)


def _index(parent: LayoutBox, box: LayoutBox) -> int:
    return next(at for at, child in enumerate(parent.children) if child is box)


def _wrapped(box: LayoutBox, kind: BoxKind) -> tuple[LayoutBox, LayoutBox]:
    """Make a box the container of a copy of itself; return the box and the copy."""
    inner = LayoutBox(kind, box.width, box.height)
    _become(inner, box)
    _become(box, LayoutBox(kind, box.width, box.height, children=[inner]))
    return box, inner


def _become(box: LayoutBox, other: LayoutBox) -> None:
    """Give a box the content of another one. Its parent still contains it."""
    for slot in ("kind", "width", "height", "floating", "instruction", "children", "said"):
        setattr(box, slot, getattr(other, slot))
