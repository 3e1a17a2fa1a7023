"""Lines of laid pages as paragraphs again: words joined as they were written, with their looks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from handlers.render.documents.pages.long_words import PLACE
from handlers.render.documents.slides.laid_style import content_box, is_plain_box, run_style
from handlers.render.documents.slides.slide_shapes import (
    ListMark,
    RunStyle,
    SlideBox,
    SlideParagraph,
    SlideRun,
)

BREAK, JOINED = "\x00", "\x01"
UNWRITTEN = re.compile(f"[{JOINED}{PLACE}]")
"""Signs of joints, and of places at which lines of paper may end: programs of slides find their own."""
NEAR = 12
SIDES = {"left": "l", "right": "r", "center": "ctr", "justify": "just", "justify-all": "just"}
RAISED = {"super": 30, "sup": 30, "sub": -25}
DEEPEST = 60


class NotWords(Exception):
    """Raised by lines that hold more than words, which no text of a slide can."""


def read_paragraph(block: Any, lines: Sequence[Any]) -> SlideParagraph | None:
    """The paragraph of a block with lines; None for one without words. Raises NotWords."""
    runs = tuple(_runs(block, lines))
    hyphens = sum(run.text.count(JOINED) for run in runs)
    runs = tuple(replace(run, text=UNWRITTEN.sub("", run.text)) for run in runs)
    if not any(run.text.strip() for run in runs):
        return None
    inner = content_box(block)
    top = min(float(line.position_y) for line in lines)
    bottom = max(float(line.position_y) + float(line.height) for line in lines)
    leftward = block.style["direction"] == "rtl"
    indent = block.style["text_indent"]
    return SlideParagraph(
        runs,
        SlideBox(inner.x, top, inner.width, bottom - top),
        max(float(line.height) for line in lines),
        len(lines),
        _side(str(block.style["text_align_all"]), leftward),
        leftward,
        float(getattr(indent, "value", 0)) if getattr(indent, "unit", "") == "px" else 0,
        _tick(lines[0]),
        divided=bool(hyphens),
    )


def _runs(block: Any, lines: Sequence[Any]) -> Iterator[SlideRun]:
    """The runs of all lines, those of one look together."""
    kept = str(block.style["white_space"]).startswith("pre")
    plain = replace(run_style(block.style), ground="")
    source = _source(block.element, kept) if len(lines) > 1 else ""
    made: list[SlideRun] = []
    words = ""
    for index, line in enumerate(lines):
        pieces = list(_pieces(line, plain, 0))
        text = "".join(piece.text for piece in pieces)
        if index:
            joint = _joint(source, words, text, kept)
            if joint is None and made:
                made[-1] = replace(made[-1], text=made[-1].text[:-1] + JOINED)
            elif joint:
                made.append(SlideRun(joint, made[-1].style if made else plain))
        made += pieces
        words = text
    return _join(made)


def _pieces(box: Any, style: RunStyle, depth: int) -> Iterator[SlideRun]:
    if depth > DEEPEST:
        raise NotWords
    for child in box.children:
        text = getattr(child, "text", None)
        if isinstance(text, str):
            if text:
                yield SlideRun(text, style)
        elif child.is_leader:
            yield SlideRun("\t", replace(style, address=""))
        elif child is box.children[0] and _tick(box):
            continue
        elif hasattr(child, "children") and _is_inline(child) and is_plain_box(child):
            yield from _pieces(child, _around(child, style), depth + 1)
        else:
            raise NotWords


def _tick(line: Any) -> ListMark | None:
    """A box of a sign or two before the edge of a line."""
    for first in line.children[:1]:
        if type(first).__name__ != "InlineBlockBox" or min(first.margin_left, first.margin_right) > -1:
            continue
        words = "".join(str(getattr(inner, "text", "")) for inner in first.descendants()).strip()
        if 0 < len(words) < 3:
            return ListMark(words, "", hang=max(4.0, float(first.width)))
    return None


def _is_inline(box: Any) -> bool:
    return type(box).__name__ == "InlineBox"


def _around(box: Any, style: RunStyle) -> RunStyle:
    """The look within an inline box."""
    inner = run_style(box.style, style, raised=_shift(box, style))
    address = link_of(box)
    return replace(inner, address=address) if address else inner


def _shift(box: Any, around: RunStyle) -> int:
    """The percent by which small letters stand above or below the line."""
    place = box.style["vertical_align"]
    if isinstance(place, str):
        return RAISED.get(place, 0)
    if not place or float(box.style["font_size"]) > 0.85 * around.size:
        return 0
    return RAISED["super"] if place > 0 else RAISED["sub"]


def link_of(box: Any) -> str:
    """The address to which a box leads: of a page, `#` and an anchor within the document, or ""."""
    if not box.link:
        return ""
    kind, target = box.link[1]
    return f"#{target}" if kind == "internal" else str(target)


def _joint(source: str, before: str, after: str, kept: bool) -> str | None:
    """The signs between two lines: a space, the end of a line, nothing, or None where a hyphen was added."""
    if kept and (not before.strip() or not after.strip()):
        return "\n"
    tail, head = before[-NEAR:], after[:NEAR]
    if not kept:
        tail, head = tail.rstrip(), head.lstrip()
    end = "\n" if kept else BREAK
    if f"{tail}{end}{head}" in source:
        return "\n"
    if f"{tail} {head}" in source:
        return "" if before.endswith(" ") else " "
    if tail.endswith("\u2010") and f"{tail[:-1]}{head}" in source:
        return None
    if f"{tail}{head}" in source:
        return ""
    return "" if before.endswith(" ") else " "


def _source(element: Any, kept: bool) -> str:
    """The text of an element as it was written, with a mark for each forced end of a line."""
    if element is None:
        return ""
    text = "".join(_texts(element))
    if kept:
        return text.replace(BREAK, "\n")
    return BREAK.join(" ".join(part.split()) for part in text.split(BREAK))


def _texts(element: Any) -> Iterator[str]:
    if element.tag == "br":
        yield BREAK
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        yield child.tail or ""


def _join(runs: Sequence[SlideRun]) -> Iterator[SlideRun]:
    """Runs of one look as one."""
    text, style = "", None
    for run in runs:
        if style is not None and run.style != style:
            yield SlideRun(text, style)
            text = ""
        text, style = text + run.text, run.style
    if style is not None:
        yield SlideRun(text, style)


def _side(said: str, leftward: bool) -> str:
    if said in ("start", "end"):
        return "r" if (said == "end") is not leftward else "l"
    return SIDES.get(said, "l")
