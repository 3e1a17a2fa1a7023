"""Figures that go to the head of the next page: the text behind one fills the page that it leaves white.

The library has no floats of pages, so the text is moved before the figure, and the pages are laid out again.
Only figures with a number go: the text names them, wherever they stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile, zip_longest
from typing import Any

LEAST_WHITE = 0.12
"""The share of a page's height from which on white at its foot is filled."""
LEAST_PART = 0.06
"""The share in which a part of a text that goes on on the next page may begin."""
SHORTEST = 5
"""Lines of the shortest text that may go on on the next page."""
LINE = 18.7
"""Pixels of a line of text."""
PARTED = frozenset({"p", "ul", "ol"})
WHOLE = frozenset({"blockquote", "pre", "dl"})
"""Blocks of text that go on on another page, and those that stand on one."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A block of a page of the text, and the element of that page."""

    sheet: Any
    box: Any

    @property
    def element(self) -> Any:
        """The element that it was made of."""
        return self.box.element

    @property
    def is_numbered(self) -> bool:
        """Whether it is a figure with a number."""
        return self.box.element_tag == "figure" and bool(self.element.get("id"))

    @property
    def is_free(self) -> bool:
        """Whether no rule ties it to what stands before or behind it."""
        return bool(self.box.style["break_before"] == self.box.style["break_after"] == "auto")

    @property
    def is_text(self) -> bool:
        """Whether it is text that may stand before what it stood behind."""
        return self.is_free and self.box.element_tag in PARTED | WHOLE

    @property
    def is_note(self) -> bool:
        """Whether it is a note too long for the foot of a page, which stays behind what calls it."""
        return "note" in (self.element.get("class") or "").split()


def float_figures(laid: Any) -> bool:
    """Move text before the figures of some laid pages that left the page before white; whether any moved."""
    if laid.pages[0]._page_box.children[0].element.find("body").get("data-kind") == "pres":
        return False
    pages = [tuple(_blocks(page._page_box)) for page in laid.pages]
    heights, boxes = defaultdict[Any, float](float), dict[Any, _Block]()
    for block in (block for blocks in pages for block in blocks):
        heights[block.element] += block.box.margin_height()
        boxes.setdefault(block.element, block)
    moved = False
    for (page, before), (_, blocks) in pairwise(zip(laid.pages, pages, strict=True)):
        if before and blocks and _is_held_over(before[-1], blocks[0]):
            height = page._page_box.height
            white = _foot(page._page_box) - _end(before[-1].box)
            if white >= LEAST_WHITE * height:
                moved = _fill(blocks[0], boxes, heights, white, LEAST_PART * height) or moved
    return moved


def _blocks(page: Any) -> Iterator[_Block]:
    """The blocks that stand on a page one below the other, outside of columns."""
    for body in page.children[0].children:
        for sheet in body.children:
            names = (sheet.element.get("class") or "").split()
            columns = any(name.startswith("cols-") for name in names)
            if sheet.element_tag == "section" and "sheet" in names and not columns:
                yield from (_Block(sheet.element, box) for box in sheet.children if box.is_in_normal_flow())


def _is_held_over(last: _Block, first: _Block) -> bool:
    """Whether a numbered figure begins a page for want of room on the one before."""
    same = last.sheet is first.sheet and last.element is not first.element
    return same and first.is_numbered and first.is_free and last.box.style["break_after"] == "auto"


def _foot(page: Any) -> float:
    """The place at which the text of a page ends at the latest: above its notes."""
    notes = page.children[1]
    low = page.content_box_y() + page.height
    return float(min(low, notes.position_y) if notes.children else low)


def _end(box: Any) -> float:
    return float(box.position_y + box.margin_height())


def _fill(
    figure: _Block, boxes: dict[Any, _Block], heights: dict[Any, float], white: float, part: float
) -> bool:
    """Move so much of the text behind a figure, and behind those that follow it at once, before it."""
    siblings = list(figure.sheet)
    start = siblings.index(figure.element)
    behind = siblings[start:]
    figures = len(list(takewhile(lambda one: one in boxes and boxes[one].is_numbered, behind)))
    chosen = _choose([boxes.get(one) for one in behind[figures:]], heights, white, part)
    for at, element in enumerate(chosen):
        figure.sheet.remove(element)
        figure.sheet.insert(start + at, element)
    return bool(chosen)


def _choose(
    behind: Sequence[_Block | None], heights: dict[Any, float], white: float, part: float
) -> list[Any]:
    """The first blocks of text that fill the white, up to a heading or anything else that is no text."""
    chosen: list[Any] = []
    for block, after in zip_longest(behind, behind[1:]):
        if block is None or not block.is_text or (after is not None and after.is_note):
            break
        height = heights[block.element]
        if height > white and (
            white < part or height < SHORTEST * LINE or block.box.element_tag not in PARTED
        ):
            break
        chosen.append(block.element)
        white -= height
        if white <= 0:
            break
    return chosen
