"""Laid-out boxes for slides: their looks, and their lines as paragraphs, joined as written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from handlers.render.documents.pages.line_lengths import PLACE
from handlers.render.documents.slides.slide_shapes import (
    CellEdge,
    ColorShape,
    ListMark,
    RunStyle,
    SlideBox,
    SlideParagraph,
    SlideRun,
)

GENERIC = {"serif": "Times New Roman", "sans-serif": "Arial", "monospace": "Courier New",
           "cursive": "Arial", "fantasy": "Arial", "system-ui": "Arial", "math": "Cambria Math"}  # fmt: skip
SIDES = (("L", "left"), ("R", "right"), ("T", "top"), ("B", "bottom"))
BOLD = 600
Style = Mapping[str, Any]
BREAK, JOINED = "\x00", "\x01"
UNWRITTEN = re.compile(f"[{JOINED}{PLACE}]")
"""Invisible characters for line breaks on paper, which programs for slides choose themselves."""
NEAR = 12
AIR, EDGE = 1.12, 16.0
"""Factor by which a font may be wider than that of the page, and pixels at the page's edges."""
ALIGNED = {"left": "l", "right": "r", "center": "ctr", "justify": "just", "justify-all": "just"}
RAISED = {"super": 30, "sup": 30, "sub": -25}
DEEPEST = 60


class NotWords(Exception):
    """Raised for lines with content other than words, which a slide's text cannot contain."""


def read_paragraph(
    block: Any, lines: Sequence[Any], room: tuple[SlideBox, SlideBox] | None = None
) -> SlideParagraph | None:
    """Return the paragraph of a block with lines; None without words. Raises NotWords.

    A heading keeps its lines. It may grow into its `room`: the boxes of the area around it and of its page.
    """
    balanced = room is not None
    runs = tuple(_runs(block, lines, balanced=balanced))
    hyphens = sum(run.text.count(JOINED) for run in runs)
    runs = tuple(replace(run, text=UNWRITTEN.sub("", run.text)) for run in runs)
    if not any(run.text.strip() for run in runs):
        return None
    inner = content_box(block)
    top = min(float(line.position_y) for line in lines)
    bottom = max(float(line.position_y) + float(line.height) for line in lines)
    leftward = block.style["direction"] == "rtl"
    side = _side(str(block.style["text_align_all"]), leftward)
    if room is not None:
        inner = _wider(inner, *room, side)
    indent = block.style["text_indent"]
    return SlideParagraph(
        runs,
        SlideBox(inner.x, top, inner.width, bottom - top),
        max(float(line.height) for line in lines),
        len(lines),
        side,
        leftward,
        float(getattr(indent, "value", 0)) if getattr(indent, "unit", "") == "px" else 0,
        _tick(lines[0]),
        divided=bool(hyphens),
        balanced=balanced,
    )


def _wider(box: SlideBox, room: SlideBox, page: SlideBox, side: str) -> SlideBox:
    """Return a box widened to the edges of a room and, at its free side, up to the margin of the page."""
    x, right = min(room.x, box.x), max(room.right, box.right)
    more = max(0.0, AIR * box.width - (right - x))
    left = more * {"r": 1.0, "ctr": 0.5}.get(side, 0.0)
    x = max(x - left, min(x, page.x + EDGE))
    right = min(right + more - left, max(right, page.right - EDGE))
    return SlideBox(x, box.y, right - x, box.height)


def _runs(block: Any, lines: Sequence[Any], *, balanced: bool = False) -> Iterator[SlideRun]:
    """Return the runs of all lines, adjacent ones with the same look joined."""
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
            joint = "\n" if balanced and joint in ("", " ") else joint
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
        elif type(child).__name__ == "InlineBox" and is_plain_box(child):
            yield from _pieces(child, _around(child, style), depth + 1)
        else:
            raise NotWords


def _tick(line: Any) -> ListMark | None:
    """Return a check box, one or two characters before the edge of a line, as the mark of an entry."""
    for first in line.children[:1]:
        if type(first).__name__ != "InlineBlockBox" or min(first.margin_left, first.margin_right) > -1:
            continue
        words = box_words(first)
        if 0 < len(words) < 3:
            return ListMark(words, "", hang=max(4.0, float(first.width)))
    return None


def _around(box: Any, style: RunStyle) -> RunStyle:
    """Return the look inside an inline box."""
    inner = run_style(box.style, style, raised=_shift(box, style))
    address = link_of(box)
    return replace(inner, address=address) if address else inner


def _shift(box: Any, around: RunStyle) -> int:
    """Return the percentage by which small letters are raised or, if negative, lowered."""
    place = box.style["vertical_align"]
    if isinstance(place, str):
        return RAISED.get(place, 0)
    if not place or float(box.style["font_size"]) > 0.85 * around.size:
        return 0
    return RAISED["super"] if place > 0 else RAISED["sub"]


def link_of(box: Any) -> str:
    """Return the address of a box's link, `#` and an anchor in the document, or ""."""
    if not box.link:
        return ""
    kind, target = box.link[1]
    return f"#{target}" if kind == "internal" else str(target)


def _joint(source: str, before: str, after: str, kept: bool) -> str | None:
    """Return the text between two lines: a space, a line end, "", or None after an added hyphen."""
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
    """Return the text of an element as written, with a mark for each forced line end."""
    if element is None:
        return ""
    text = "".join(element_words(element, lambda one: BREAK if one.tag == "br" else ""))
    if kept:
        return text.replace(BREAK, "\n")
    return BREAK.join(" ".join(part.split()) for part in text.split(BREAK))


def element_words(element: Any, before: Callable[[Any], str]) -> Iterator[str]:
    """Yield the words of an element and its children, and `before` each of them the given ones."""
    yield before(element)
    yield element.text or ""
    for child in element:
        yield from element_words(child, before)
        yield child.tail or ""


def box_words(box: Any) -> str:
    """Return the words in a box."""
    return "".join(str(getattr(inner, "text", "")) for inner in box.descendants()).strip()


def _join(runs: Sequence[SlideRun]) -> Iterator[SlideRun]:
    """Return runs with the same look as one."""
    for style, same in groupby(runs, attrgetter("style")):
        yield SlideRun("".join(run.text for run in same), style)


def _side(said: str, leftward: bool) -> str:
    if said in ("start", "end"):
        return "r" if (said == "end") is not leftward else "l"
    return ALIGNED.get(said, "l")


def color_of(style: Style, key: str) -> str:
    """Return a colour of a style as `rrggbb`, blended with white; "" for none."""
    value = style[key]
    if isinstance(value, str):
        value = style["color"]
    clear = value.to("srgb")
    share = float(clear.alpha or 0)
    if share < 0.02:
        return ""
    return "".join(f"{round(255 * (1 - share + share * _part(part))):02X}" for part in clear.coordinates)


def run_style(style: Style, above: RunStyle | None = None, *, raised: int = 0) -> RunStyle:
    """Return the look of words in a box; it also has the lines, backgrounds and links of outer boxes."""
    marks = style["text_decoration_line"]
    spacing: Any = getattr(style["letter_spacing"], "value", style["letter_spacing"])
    return RunStyle(
        family_of(style),
        above.size if above and (raised or above.shift) else float(style["font_size"]),
        color_of(style, "color") or "000000",
        int(style["font_weight"]) >= BOLD,
        style["font_style"] != "normal",
        "underline" in marks or bool(above and above.underlined),
        "line-through" in marks or bool(above and above.struck),
        raised or (above.shift if above else 0),
        0.0 if isinstance(spacing, str) else float(spacing),
        color_of(style, "background_color") or (above.ground if above else ""),
        above.address if above else "",
    )


def family_of(style: Style) -> str:
    """Return the first font family, as slides name it."""
    name = str(style["font_family"][0])[:60]
    return GENERIC.get(name, name)


def is_plain_box(box: Any) -> bool:
    """Return whether slides support the way in which a box is painted."""
    style = box.style
    plain = not style["transform"] and float(style["opacity"]) > 0.98
    return plain and all(image[0] == "none" for image in style["background_image"])


def border_box(box: Any) -> SlideBox:
    """Return the area of a box with its padding and borders."""
    return SlideBox(box.border_box_x(), box.border_box_y(), box.border_width(), box.border_height())


def content_box(box: Any) -> SlideBox:
    """Return the area of a box's content."""
    return SlideBox(box.content_box_x(), box.content_box_y(), float(box.width), float(box.height))


def painted_areas(box: Any) -> Iterator[ColorShape]:
    """Yield the background of a box and the lines at its sides."""
    place = border_box(box)
    if place.width <= 0 or place.height <= 0:
        return
    radius = float(getattr(box.style["border_top_left_radius"][0], "value", 0))
    if color := color_of(box.style, "background_color"):
        yield ColorShape(place, color, radius=radius)
    edges = list(edges_of(box))
    if len(edges) == 4 and len({(edge.width, edge.color) for edge in edges}) == 1:
        dashed = box.style["border_top_style"] in ("dashed", "dotted")
        yield ColorShape(place, edges[0].color, edges[0].width, dashed, radius)
        return
    for edge in edges:
        yield ColorShape(_strip(place, edge), edge.color)


def edges_of(box: Any) -> Iterator[CellEdge]:
    """Yield the visible lines at the sides of a box."""
    for letter, side in SIDES:
        width = float(getattr(box, f"border_{side}_width", 0) or 0)
        if width <= 0 or box.style[f"border_{side}_style"] in ("none", "hidden"):
            continue
        if color := color_of(box.style, f"border_{side}_color"):
            yield CellEdge(letter, width, color)


def _strip(place: SlideBox, edge: CellEdge) -> SlideBox:
    if edge.side in "LR":
        x = place.x if edge.side == "L" else place.right - edge.width
        return SlideBox(x, place.y, edge.width, place.height)
    y = place.y if edge.side == "T" else place.bottom - edge.width
    return SlideBox(place.x, y, place.width, edge.width)


def _part(part: Any) -> float:
    return min(1.0, max(0.0, float(part or 0)))
