"""A sheet of a document as PDF by itself, without typefaces, with what the whole needs to know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.render.documents.pdf.tag_tree import arrange_tags
from handlers.render.documents.pdf.typesetter import VARIANT

POINTS = 0.75
"""Points of a pixel of CSS."""


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """A sheet as PDF, and what leads to it: per page its anchors and headings with their points.

    `fonts` know the letters that it shows; `strings` are the running texts at its end. Without a `body` it
    was laid out only to find where its pages end.
    """

    body: bytes
    anchors: tuple[tuple[tuple[str, float, float], ...], ...]
    bookmarks: tuple[tuple[tuple[int, str, float, float], ...], ...]
    strings: tuple[tuple[str, str], ...]
    fonts: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def pages(self) -> int:
        """The number of its pages."""
        return len(self.anchors)


class UsedFonts(dict[Any, Any]):
    """Typefaces that the library meets while it draws; it finds none to embed when it has done so."""

    def values(self) -> Any:
        """Nothing: a whole document embeds each typeface once."""
        return ()


def describe_pages(pages: Sequence[Any], before: Mapping[str, str]) -> PrintedSheet:
    """Everything of laid pages that is not drawn; `before` are the running texts of the page before."""
    strings = dict(before)
    for page in pages:
        for box in page._page_box.descendants():
            if box.string_set and box.string_set != "none":
                strings.update(box.string_set)
    anchors = tuple(tuple((name, *_point(page, at)) for name, at in page.anchors.items()) for page in pages)
    bookmarks = tuple(
        tuple((level, label, *_point(page, at)) for level, label, at, _ in page.bookmarks) for page in pages
    )
    return PrintedSheet(b"", anchors, bookmarks, tuple(strings.items()))


def draw_pages(
    laid: Any, pages: Sequence[Any], start: int, others: Sequence[str]
) -> tuple[bytes, tuple[Any, ...]]:
    """Some laid pages as PDF without typefaces, and the typefaces; links to `others` are kept."""
    pages[0].anchors.update(dict.fromkeys(others, (0, 0, 0, 0)))
    part = laid.copy(pages)
    part.fonts = UsedFonts()
    body = part.write_pdf(pdf_variant=VARIANT, finisher=lambda _, pdf: arrange_tags(pdf, start))
    fonts = tuple(part.fonts[key] for key in part.fonts)
    for font in fonts:
        font.file_content = font.file_content if font.bitmap else b""
    return body, fonts


def _point(page: Any, at: Sequence[float]) -> tuple[float, float]:
    """A place on a page in points, from its lower left corner."""
    return round(at[0] * POINTS, 3), round((page.height - at[1]) * POINTS, 3)
