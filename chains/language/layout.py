"""The layout of a grid: a drawn rectangle to a tree of boxes, mistakes refused by name and place."""

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
    """The named mistakes of a layout's text."""

    NOT_ONE_RECTANGLE = "not_one_rectangle"
    MIXED_DIVIDER = "mixed_divider"
    BROKEN_DIVIDER = "broken_divider"
    NO_ROOM = "no_room"
    SEVERAL_INSTRUCTIONS = "several_instructions"
    BAD_INSTRUCTION = "bad_instruction"


class BoxKind(StrEnum):
    """Kinds of boxes: a cell, boxes side by side, boxes one below the other."""

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

    Width and height are the distances between its border characters; a cell without a valid instruction stays
    empty. Its children are added as they are found.
    """

    kind: BoxKind
    width: int
    height: int
    floating: bool = False
    instruction: Instruction | None = None
    children: list[LayoutBox] = field(default_factory=list)


def walk(box: LayoutBox) -> Iterator[LayoutBox]:
    """A box and all in it, in the order of reading, however deep."""
    waiting = [box]
    while waiting:
        box = waiting.pop()
        yield box
        waiting.extend(reversed(box.children))


def parse(text: str) -> LayoutBox | None:
    """The boxes that a text draws; None for one that draws nothing. Anything wrong in it raises Mistake.

    Of a box, the rows that run through and end at a `+` on both sides divide it first, then the columns, then
    the rows that end at a `|`, which float. A box that nothing divides is a cell.
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
    """One reading of a drawing, whose frame has its upper left corner at `top` and `left` of it."""

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
        """A row without what is around the frame, which its upper border measures."""
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
        """The tree, made without recursion, as drawings may nest deeper than Python does."""
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
        """A box without its children, and where they are."""
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
        return LayoutBox(BoxKind.CELL, width, height, False, self.instruction(rect)), ()

    def instruction(self, rect: _Rect) -> Instruction | None:
        """The instruction of a cell, if it has one."""
        top, left, bottom, right = rect
        if self.drawing.offsets:
            start, stop = self.left + left + 1, self.left + right
            rows = range(self.top + top + 1, self.top + bottom)
            said = "".join([self.drawing.text_between(row, start, stop) for row in rows])
        else:
            said = "".join([row[left + 1 : right] for row in self.rows[top + 1 : bottom]])
        bare = "".join(said.split())
        if (found := self.cell.fullmatch(bare)) is not None:
            label, position = found.groups()
            if position in _POSITIONS:
                return Instruction(label, _POSITIONS[position])
        return self.unusual(rect, bare) if bare else None

    def unusual(self, rect: _Rect, bare: str) -> Instruction | None:
        """The instruction of a cell that holds more than its plain text; None without a valid one."""
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
        """Refuse lines in a cell that were to divide it: at an edge, or with a row for themselves."""
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
        """Whether a line runs from edge to edge, but of both `-` and `|`."""
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
        """Name the second instruction of a cell, or what is none."""
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
        """Refuse at a place that is counted from the corner of the frame."""
        number = self.top + row
        at = self.drawing.column(number, self.left + column)
        raise Mistake.at(fault, reason, "\n".join(self.drawing.lines), number + 1, at + 1)


def _loose(line: str, mark: str) -> int | None:
    """The place in a row or column of a cell of a line that was to divide it, if there is one."""
    if line[0] in mark:
        return 0
    if line[-1] in mark:
        return len(line.rstrip(mark))
    if _TEXT.search(line) is None and (found := re.search(f"[{mark}]{{2}}", line)):
        return found.start()
    return None
