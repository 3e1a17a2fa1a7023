"""The parser of a grid's layout: a drawn rectangle to a tree of boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple, NoReturn

from lark import Lark

from chains.language.drawing import Columns, DrawnLines, DrawnText, draw
from chains.language.mistake import Mistake

_BORDER = re.compile(r"\+[-+]*\+")
_DRAWN = re.compile(r"[-+|]")
_TEXT = re.compile(r"[^-+| ]")
_POSITIONS = {None: "middle", "^": "top", "v": "bottom"}
_SIGNS = {ord(sign): None for sign in "-+|"}
_WRITTEN = 'write one instruction, such as "{A}" or "{A:^}", with a label of letters and digits'


class LayoutFault(StrEnum):
    """The kinds of mistakes in a layout's text."""

    NOT_ONE_RECTANGLE = "not_one_rectangle"
    MIXED_DIVIDER = "mixed_divider"
    BROKEN_DIVIDER = "broken_divider"
    NO_ROOM = "no_room"
    SEVERAL_INSTRUCTIONS = "several_instructions"
    BAD_INSTRUCTION = "bad_instruction"


class BoxKind(StrEnum):
    """Kinds of boxes: a cell, boxes side by side, or boxes one below the other."""

    CELL = "cell"
    ROW = "row"
    COLUMN = "column"


class Instruction(NamedTuple):
    """Content of a cell: the plot that a label is bound to, and its position in the cell."""

    label: str
    position: str = "middle"


@dataclass(slots=True)
class LayoutBox:
    """A box of a layout.

    Width and height are the distances between its border characters. A cell without a valid instruction stays
    empty; `said` is its text. The parser adds the children as it finds them.
    """

    kind: BoxKind
    width: int
    height: int
    floating: bool = False
    instruction: Instruction | None = None
    children: list[LayoutBox] = field(default_factory=list)
    said: str = field(default="", compare=False)


def walk(box: LayoutBox) -> Iterator[LayoutBox]:
    """Yield a box and all boxes in it, at any depth, in reading order."""
    waiting = [box]
    while waiting:
        box = waiting.pop()
        yield box
        waiting.extend(reversed(box.children))


def parse(text: str) -> LayoutBox | None:
    """Return the boxes that a text draws, or None for an empty text. Raise Mistake for any error.

    A box is divided by the rows that run through it and end at a `+` on both sides; else by its columns; else
    by the rows that end at a `|`, which float. A box without any of these is a cell.
    """
    drawing = draw(text)
    drawn = [number for number, row in enumerate(drawing.rows) if not row.isspace() and row]
    if not drawn:
        return None
    return _LayoutReader(drawing, drawn[0], drawn[-1]).boxes()


@cache
def _pattern() -> re.Pattern[str]:
    grammar = Lark.open_from_package("chains.language", "cell.lark", ["grammar"], parser="lalr")
    return re.compile(grammar.get_terminal("CELL").pattern.to_regexp())


_Rect = tuple[int, int, int, int]


class _LayoutReader:
    """A reader of one drawing. `top` and `left` are the upper left corner of the frame in it."""

    def __init__(self, drawing: DrawnText, top: int, bottom: int) -> None:
        self.drawing = drawing
        self.top = top
        upper = drawing.rows[top]
        self.left = len(upper) - len(upper.lstrip())
        self.width = len(upper.strip())
        self.rows = [self.frame_row(row) for row in range(top, bottom + 1)]
        self.refuse_open_frame()
        self.columns = Columns("".join(self.rows), self.width)
        self.across = DrawnLines(self.rows, "-+")
        self.down = DrawnLines(self.columns, "|+")
        self.cell = _pattern()

    def frame_row(self, number: int) -> str:
        """Return a row without the blanks outside the frame. The upper border defines the frame's width."""
        row = self.drawing.rows[number].rstrip()
        start, stop = len(row) - len(row.lstrip()), len(row)
        right = self.left + self.width
        if start != self.left or stop != right:
            column = min(start, self.left) if start != self.left else min(stop, right)
            reason = (
                f"every row goes from column {self.left + 1} to {right}, as the upper border does; this one "
            )
            reason += f"goes from {start + 1} to {stop}" if row else "is blank"
            self.refuse(number - self.top, column - self.left, LayoutFault.NOT_ONE_RECTANGLE, reason)
        return row[start:]

    def refuse_open_frame(self) -> None:
        """Refuse a frame that is not closed on all four sides."""
        for row in (0, len(self.rows) - 1):
            if not _BORDER.fullmatch(self.rows[row]):
                side = "lower" if row else "upper"
                gap = re.match(r"\+?[-+]*", self.rows[row])
                column = min(gap.end() if gap else 0, self.width - 1)
                reason = f'the {side} border is a row of "-" from a "+" at one corner to a "+" at the other'
                self.refuse(row, column, LayoutFault.NOT_ONE_RECTANGLE, reason)
        for row, said in enumerate(self.rows):
            for column in (0, self.width - 1):
                if said[column] not in "|+":
                    reason = 'the border at the sides is a column of "|" from corner to corner'
                    self.refuse(row, column, LayoutFault.NOT_ONE_RECTANGLE, reason)

    def boxes(self) -> LayoutBox:
        """Return the tree of boxes. No recursion: drawings may nest deeper than Python's limit."""
        found: list[LayoutBox] = []
        waiting: list[tuple[_Rect, list[LayoutBox]]] = [((0, 0, len(self.rows) - 1, self.width - 1), found)]
        while waiting:
            rect, siblings = waiting.pop()
            box, parts = self.box(rect)
            siblings.append(box)
            if parts:
                waiting.extend([(part, box.children) for part in reversed(parts)])
        return found[0]

    def box(self, rect: _Rect) -> tuple[LayoutBox, Sequence[_Rect]]:
        """Return a box without its children, and the rectangles of the children."""
        top, left, bottom, right = rect
        height, width = bottom - top, right - left
        if height < 2 or width < 2:
            reason = "there is no room between these lines: leave at least one blank, or draw one line"
            self.refuse(bottom, right, LayoutFault.NO_ROOM, reason)
        rows = self.across.through(self.columns[left + 1], top + 1, bottom, left + 1, right)
        fixed = [at for at in rows if self.rows[at][left] == "+" == self.rows[at][right]] if rows else rows
        if not fixed:
            columns = self.down.through(self.rows[top + 1], left + 1, right, top + 1, bottom)
            if columns:
                parts = [(top, start, bottom, stop) for start, stop in pairwise([left, *columns, right])]
                return LayoutBox(BoxKind.ROW, width, height), parts
        if rows:
            parts = [(start, left, stop, right) for start, stop in pairwise([top, *(fixed or rows), bottom])]
            return LayoutBox(BoxKind.COLUMN, width, height, not fixed), parts
        said = self.said(rect)
        instruction, shown = self.instruction(rect, said), said.translate(_SIGNS)
        return LayoutBox(BoxKind.CELL, width, height, instruction=instruction, said=shown), ()

    def said(self, rect: _Rect) -> str:
        """Return the text of a cell without white space."""
        top, left, bottom, right = rect
        if self.drawing.offsets:
            start, stop = self.left + left + 1, self.left + right
            rows = range(self.top + top + 1, self.top + bottom)
            said = "".join([self.drawing.text_between(row, start, stop) for row in rows])
        else:
            said = "".join([row[left + 1 : right] for row in self.rows[top + 1 : bottom]])
        return "".join(said.split())

    def instruction(self, rect: _Rect, bare: str) -> Instruction | None:
        """Return the instruction of a cell, or None."""
        if (found := self.cell.fullmatch(bare)) is not None:
            label, position = found.groups()
            if position in _POSITIONS:
                return Instruction(label, _POSITIONS[position])
        return self.unusual(rect, bare) if bare else None

    def unusual(self, rect: _Rect, bare: str) -> Instruction | None:
        """Return the instruction of a cell with more than plain text, or None if there is no valid one."""
        if _DRAWN.search(bare):
            self.refuse_loose_lines(rect)
            bare = bare.translate(_SIGNS)
        if not bare:
            return None
        if (found := self.cell.fullmatch(bare)) is None:
            self.refuse_instruction(rect, bare)
        label, position = found.groups()
        return Instruction(label, _POSITIONS[position]) if position in _POSITIONS else None

    def refuse_loose_lines(self, rect: _Rect) -> None:
        """Refuse lines in a cell that do not divide it: those at an edge or alone in a row or column."""
        top, left, bottom, right = rect
        for row in range(top + 1, bottom):
            if (at := _loose(self.rows[row][left + 1 : right], "-+")) is not None:
                self.refuse_line(row, left + 1 + at, mixed=self.is_mixed(self.rows[row], left + 1, right))
        for column in range(left + 1, right):
            if (at := _loose(self.columns[column][top + 1 : bottom], "|+")) is not None:
                self.refuse_line(
                    top + 1 + at, column, mixed=self.is_mixed(self.columns[column], top + 1, bottom)
                )

    def is_mixed(self, line: str, start: int, stop: int) -> bool:
        """Return whether a line runs from edge to edge but mixes `-` and `|`."""
        return not line[start:stop].translate(_SIGNS)

    def refuse_line(self, row: int, column: int, *, mixed: bool) -> NoReturn:
        if mixed:
            reason = (
                'a divider is a row of "-" and "+" or a column of "|" and "+", and this one mixes "-" and "|"'
            )
            self.refuse(row, column, LayoutFault.MIXED_DIVIDER, reason)
        reason = "this line does not divide its box: draw it from edge to edge, or take it away"
        self.refuse(row, column, LayoutFault.BROKEN_DIVIDER, reason)

    def refuse_instruction(self, rect: _Rect, bare: str) -> NoReturn:
        """Refuse the second instruction of a cell, or a text that is not an instruction."""
        several = bare.count("{") > 1
        top, left, bottom, right = rect
        places = (
            (row, column)
            for row in range(top + 1, bottom)
            for column in range(left + 1, right)
            if _TEXT.match(self.rows[row], column) and (not several or self.rows[row][column] == "{")
        )
        row, column = next(places, (top + 1, left + 1))
        if several:
            row, column = next(places)
            reason = f"a box holds one instruction, and this is its second one: divide the box or {_WRITTEN}"
            self.refuse(row, column, LayoutFault.SEVERAL_INSTRUCTIONS, reason)
        shown = bare if len(bare) <= 40 else f"{bare[:37]}..."
        self.refuse(
            row, column, LayoutFault.BAD_INSTRUCTION, f'"{shown}" in this box is no instruction: {_WRITTEN}'
        )

    def refuse(self, row: int, column: int, fault: LayoutFault, reason: str) -> NoReturn:
        """Refuse at a position that counts from the corner of the frame."""
        number = self.top + row
        at = self.drawing.column(number, self.left + column)
        raise Mistake.at(fault, reason, "\n".join(self.drawing.lines), number + 1, at + 1)


def _loose(line: str, mark: str) -> int | None:
    """Return the position of a line in a cell's row or column that does not divide the cell, or None."""
    if line[0] in mark:
        return 0
    if line[-1] in mark:
        return len(line.rstrip(mark))
    if _TEXT.search(line) is None and (found := re.search(f"[{mark}]{{2}}", line)):
        return found.start()
    return None
