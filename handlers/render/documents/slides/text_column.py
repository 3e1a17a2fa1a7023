"""Columns of text: paragraphs that stand below one another become one text that flows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from handlers.render.documents.slides.slide_shapes import SlideBox, SlideParagraph, TextShape

LOOSE, ROUGH = 3.0, 50.0
"""Pixels by which paragraphs of a column may overlap, and by which their right edges may differ."""
FARTHEST = 60.0
MORE, WIDEST_MORE = 0.035, 14.0
"""Share of its width, and pixels, by which a text may be wider that has lost the hyphens of the page."""


@dataclass(slots=True)
class TextColumn:
    """The paragraphs of a column, in their order."""

    paragraphs: list[SlideParagraph] = field(default_factory=list)

    def takes(self, paragraph: SlideParagraph) -> bool:
        """Whether a paragraph goes on with the column."""
        if not self.paragraphs:
            return True
        last, box = self.paragraphs[-1].box, paragraph.box
        left = min(p.box.x for p in self.paragraphs)
        right = max(p.box.right for p in self.paragraphs)
        below = -LOOSE < box.y - last.bottom < FARTHEST
        return below and abs(right - box.right) < ROUGH and -FARTHEST < box.x - left < 3 * FARTHEST

    def shape(self, role: str) -> TextShape:
        """The text as a shape."""
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
    """Paragraphs whose numbers know where their count begins."""
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
