"""The pages of visuals that are drawn as one picture (plots and grids): the picture and its downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.data_sample import NO_DATA, DataSample
from handlers.pages.visuals.embed_page import discovery
from handlers.pages.visuals.pictures import PictureSet, ShownPlot, Window, picture_set
from handlers.pages.visuals.visual_page import (
    LOOKS,
    CurlLine,
    Offer,
    VisualPage,
    form_facts,
    visual_facts,
)

WITHOUT_HEADER = {"h": "f", "c": "t"}
WHOLE = {"h": "t", "c": "t"}
PICTURES = (
    Offer("svg", "Vector picture", {}),
    Offer("png", "Picture in double size", {"scale": "2"}),
    Offer("pdf", "To print", {}),
    Offer("html", "For a web page", {}),
    Offer("txt", "For plain text", {}),
    Offer("ansi", "For a terminal", {}),
)

PICTURE_LINES = (
    CurlLine("In the terminal", "{curl} '{files}.ansi?cols=100'", LOOKS),
    CurlLine("Save the picture", "{curl} -o {name}.png '{files}.png?scale=2&mode=dark'", LOOKS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureContent:
    """The content of one picture for its page.

    `noun` describes it if it has no summary. A `framed` one draws itself, in a frame. The marks of the
    drawing at `alone` show their values under a pointer. The picture of a table `unfolds` into an HTML table,
    in which readers can search. `windows` are those of this picture, if they are not those of its kind.
    """

    noun: str
    type: str = ""
    sample: DataSample = NO_DATA
    cells: Sequence[ShownPlot] = ()
    empty: bool = False
    framed: bool = False
    alone: str = ""
    unfolds: bool = False
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturePage:
    """The page type of a kind of pictures.

    The picture is drawn for each of the `windows`; `content` returns its content from the template values.
    `nothing` is the text for an empty one, and `hint` the advice to a writer, in HTML.
    """

    windows: tuple[Window, ...]
    content: Callable[[ItemPath, PageRequest, dict[str, Any]], PictureContent]
    nothing: str
    hint: str

    def show(self, page: VisualPage, at: ItemPath, request: PageRequest) -> Page:
        """Return the page. Raises NotFound or Unauthenticated if the caller sees no such item."""
        facts = visual_facts(page, at, request)
        content = self.content(at, request, facts)
        facts |= {"page": self, "content": content, "empty": content.empty}
        facts |= form_facts(page, at, request, facts, "svg")
        facts |= {
            "picture": self._picture(at, facts, content) if facts["looks"] and not content.empty else None,
            "oembed": discovery(at, request.origin) if facts["head"].public else "",
        }
        return Page("visual.html", facts, frames=content.framed)

    def _picture(self, at: ItemPath, facts: dict[str, Any], content: PictureContent) -> PictureSet:
        """Return the pictures, without their headings if the page itself shows them."""
        alt = f"{facts['title']}: {facts['summary'] or content.noun}"
        headed = facts["config"].get("title") in (None, "", facts["title"])
        words = WITHOUT_HEADER if facts["reads"] and headed else WHOLE
        windows = content.windows or self.windows
        return picture_set(at, windows, facts["version"], alt, facts["kept"].height, words)
