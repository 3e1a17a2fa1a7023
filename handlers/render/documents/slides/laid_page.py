"""Laid-out pages as shapes: text, tables, charts and pictures at their positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from handlers.render.documents.slides.laid_table import read_table
from handlers.render.documents.slides.laid_text import (
    NotWords,
    border_box,
    box_words,
    color_of,
    content_box,
    element_words,
    family_of,
    is_plain_box,
    link_of,
    painted_areas,
    read_paragraph,
)
from handlers.render.documents.slides.page_pieces import KnownPicture
from handlers.render.documents.slides.slide_shapes import (
    ListMark,
    PictureShape,
    SlideBox,
    SlidePage,
    SlideParagraph,
    SlideShape,
    TextShape,
)

HEADS = ("h1", "h2", "h3")
ALL_HEADS = (*HEADS, "h4", "h5", "h6")
NUMBER = re.compile(r"(\d{1,6})[.)]?")
DEEPEST, LONGEST_ALT = 90, 1_000
LOOSE, ROUGH = 3.0, 50.0
"""Pixels by which paragraphs of a column may overlap, and by which their right edges may differ."""
FARTHEST = 60.0
MORE, WIDEST_MORE = 0.035, 14.0
"""Share, and most pixels, by which a text may become wider without the hyphens of the page."""


def read_page(page: Any, number: int, pictures: Mapping[str, KnownPicture]) -> SlidePage:
    """Return a laid-out page as shapes; `number` is its page number."""
    reader = _PageReader(pictures, SlideBox(0, 0, page.margin_width(), page.margin_height()))
    root, *others = page.children
    reader.visit(root)
    reader.close()
    words = "\n".join(reader.words)
    for box in others:
        reader.role = _margin_role(box, number)
        reader.visit(box)
        reader.close()
    text, ink = family_of(root.style), color_of(root.style, "color") or "000000"
    color = color_of(root.style, "background_color") or color_of(page.style, "background_color") or "FFFFFF"
    return SlidePage(
        page.margin_width(), page.margin_height(), color, tuple(_with_body(reader.shapes)), words,
        reader.title, (reader.head_font or text, text), ink,
    )  # fmt: skip


class _PageReader:
    """Walks through the boxes of a page."""

    def __init__(self, pictures: Mapping[str, KnownPicture], page: SlideBox) -> None:
        self.pictures, self.page = pictures, page
        self.shapes: list[SlideShape] = []
        self.words: list[str] = []
        self.column = TextColumn()
        self.around: Any = None
        self.mark: ListMark | None = None
        self.entries: list[Any] = []
        self.role = self.title = self.head_font = self.link = self.request = ""

    def visit(self, box: Any, depth: int = 0) -> None:
        """Process a box and its children."""
        box = box._box if type(box).__name__ == "AbsolutePlaceholder" else box
        if box.style["visibility"] != "visible":
            return
        if str(box.element_tag).endswith("::marker"):
            self.mark = _mark(box)
        elif depth > DEEPEST or not is_plain_box(box):
            self._picture(box)
        elif hasattr(box, "replacement"):
            self._content(box)
        elif type(box).__name__ in ("TableBox", "InlineTableBox"):
            self._table(box)
        else:
            link, self.link = self.link, link_of(box) or self.link
            request, self.request = self.request, _attribute(box, "data-vis") or self.request
            self._block(box, depth)
            self.link, self.request = link, request

    def close(self) -> None:
        """End the run of paragraphs."""
        if self.column.paragraphs:
            self.shapes.append(self.column.shape(self.role))
        self.column = TextColumn()

    def _block(self, box: Any, depth: int) -> None:
        areas = list(painted_areas(box)) if box.element_tag not in ("html", "body") else []
        if areas:
            self.close()
            self.shapes += areas
        entry = box.element if box.element_tag == "li" and box.element not in self.entries else None
        if entry is not None:
            self.entries.append(entry)
        lines = [child for child in box.children if type(child).__name__ == "LineBox"]
        if lines:
            self._lines(box, lines)
        else:
            for child in box.children:
                self.around = box
                self.visit(child, depth + 1)
        if entry is not None:
            self.entries.pop()
        if areas:
            self.close()

    def _lines(self, box: Any, lines: Sequence[Any]) -> None:
        try:
            headed = self.around is not None and _is_balanced(box)
            room = (content_box(self.around), self.page) if headed else None
            paragraph = read_paragraph(box, lines, room)
        except NotWords:
            self._picture(box, worded=True)
            return
        if paragraph is None:
            return
        mark, self.mark = self.mark, None
        mark = _hung(mark, paragraph) or paragraph.mark
        paragraph = replace(paragraph, mark=mark, level=max(0, len(self.entries) - 1))
        self.words.append(paragraph.words.replace("\t", " "))
        if box.element_tag in HEADS and not self.title and not self.role:
            self._title(box, paragraph)
            return
        if not self.column.takes(paragraph):
            self.close()
        self.column.paragraphs.append(paragraph)

    def _title(self, box: Any, paragraph: SlideParagraph) -> None:
        self.close()
        self.title = " ".join(paragraph.words.split())
        self.head_font = family_of(box.style)
        self.shapes.append(TextShape(paragraph.box, (paragraph,), "title"))

    def _table(self, box: Any) -> None:
        try:
            table = read_table(box)
        except NotWords:
            self._picture(box, worded=True)
            return
        self.close()
        if table is not None:
            self.shapes.append(table)
            self.words += [
                "\t".join(" ".join(p.words for p in cell.paragraphs) for cell in row) for row in table.rows
            ]

    def _content(self, box: Any) -> None:
        self.close()
        place = content_box(box)
        if place.width <= 0 or place.height <= 0:
            return
        alt = _attribute(box, "alt")[:LONGEST_ALT]
        known = self.pictures.get(self.request or _attribute(box, "src"))
        self.shapes.append(known.shape(box, place, alt, self.link) if known else PictureShape(place, alt))
        self.words.append(alt)

    def _picture(self, box: Any, *, worded: bool = True) -> None:
        """Return a box as a picture of its area."""
        self.close()
        said = element_words(box.element, lambda one: one.get("alt") or "") if box.element is not None else ()
        words, place = " ".join("".join(said).split())[:LONGEST_ALT], border_box(box)
        if place.width > 0 and place.height > 0:
            self.shapes.append(PictureShape(place, words, worded=worded))
            self.words.append(words)


def _with_body(shapes: Sequence[SlideShape]) -> Iterator[SlideShape]:
    """Yield the shapes; the longest text that is neither title nor at the edge is the body."""
    texts = [shape for shape in shapes if isinstance(shape, TextShape) and not shape.role]
    longest = max(texts, key=lambda text: sum(len(p.words) for p in text.paragraphs), default=None)
    for shape in shapes:
        yield replace(shape, role="body") if shape is longest and isinstance(shape, TextShape) else shape


def _margin_role(box: Any, number: int) -> str:
    if type(box).__name__ != "MarginBox":
        return "foot"
    return "number" if box_words(box) == str(number) else "edge"


def _is_balanced(box: Any) -> bool:
    """Return whether the lines of a box are balanced, as in headings and subtitles."""
    return box.element_tag in ALL_HEADS or "subtitle" in _attribute(box, "class").split()


def _attribute(box: Any, name: str) -> str:
    """Return an attribute of the element of a box, or ""."""
    return (box.element.get(name) or "") if box.element is not None else ""


def _mark(box: Any) -> ListMark | None:
    texts = [inner for inner in box.descendants() if isinstance(getattr(inner, "text", None), str)]
    sign = "".join(inner.text for inner in texts).strip()
    if not sign:
        return None
    found = NUMBER.fullmatch(sign)
    color = color_of(texts[0].style, "color")
    return ListMark(sign[:4], color, int(found[1]) if found else 0, hang=float(texts[0].position_x))


def _hung(mark: ListMark | None, paragraph: SlideParagraph) -> ListMark | None:
    """Return the mark with its distance from the text."""
    if mark is None:
        return None
    gap = paragraph.box.x - mark.hang
    return replace(mark, hang=min(80.0, max(4.0, gap if gap > 0 else paragraph.runs[0].style.size * 0.9)))


@dataclass(slots=True)
class TextColumn:
    """The paragraphs of a column, in order."""

    paragraphs: list[SlideParagraph] = field(default_factory=list)

    def takes(self, paragraph: SlideParagraph) -> bool:
        """Return whether a paragraph continues the column."""
        if not self.paragraphs:
            return True
        last, box = self.paragraphs[-1].box, paragraph.box
        left = min(p.box.x for p in self.paragraphs)
        right = max(p.box.right for p in self.paragraphs)
        below = -LOOSE < box.y - last.bottom < FARTHEST
        return below and abs(right - box.right) < ROUGH and -FARTHEST < box.x - left < 3 * FARTHEST

    def shape(self, role: str) -> TextShape:
        """Return the text as a shape."""
        paragraphs = tuple(_with_numbers(self.paragraphs))
        x = min(
            p.box.x + min(0, p.indent) - (p.mark.hang if p.mark and not p.leftward else 0) for p in paragraphs
        )
        right = max(p.box.right + (p.mark.hang if p.mark and p.leftward else 0) for p in paragraphs)
        if any(p.divided for p in paragraphs):
            right += min(WIDEST_MORE, MORE * (right - x))
        top, bottom = paragraphs[0].box.y, paragraphs[-1].box.bottom
        return TextShape(SlideBox(x, top, right - x, bottom - top), paragraphs, role)


def _with_numbers(paragraphs: list[SlideParagraph]) -> Iterator[SlideParagraph]:
    """Yield paragraphs with the first numbers of their lists."""
    counts: dict[int, tuple[int, int]] = {}
    for paragraph in paragraphs:
        for level in [level for level in counts if level > paragraph.level]:
            del counts[level]
        mark = paragraph.mark
        if mark is None or not mark.number:
            counts.pop(paragraph.level, None)
            yield paragraph
            continue
        start, last = counts.get(paragraph.level, (mark.number, mark.number - 1))
        start = start if mark.number == last + 1 else mark.number
        counts[paragraph.level] = (start, mark.number)
        yield replace(paragraph, mark=replace(mark, start=start))
