"""The pages of what is drawn as one picture, as plots and grids are: the picture and its downloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.data_sample import NO_DATA, DataSample
from handlers.pages.visuals.embed_page import discovery
from handlers.pages.visuals.pictures import ShownPlot, Window, picture_set
from handlers.pages.visuals.visual_page import (
    LOOKS,
    CurlLine,
    KeptForms,
    Offer,
    VisualPage,
    commands_of,
    downloads,
    version_of,
    visual_facts,
)

WITHOUT_HEADER = {"h": "f", "c": "t"}
WHOLE = {"h": "t", "c": "t"}
PICTURES = (
    Offer("svg", "Vector picture", {}),
    Offer("png", "Picture at twice its size", {"scale": "2"}),
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
    """The content of one picture as its page tells it.

    `noun` is the words for it where it has no summary. A `framed` one draws itself, in a frame.
    The marks of the drawing at `alone` tell their values to a pointer. The picture of a table `unfolds` into
    one of HTML, in which readers search.
    """

    noun: str
    type: str = ""
    sample: DataSample = NO_DATA
    cells: Sequence[ShownPlot] = ()
    empty: bool = False
    framed: bool = False
    alone: str = ""
    unfolds: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturePage:
    """The way in which a kind of pictures is shown.

    The picture is drawn for each of the `windows`; `content` finds what it shows, by the facts of its page.
    An empty one is said to be so by `nothing`, and `hint` tells a writer, in HTML, what to do.
    """

    windows: tuple[Window, ...]
    content: Callable[[ItemPath, PageRequest, dict[str, Any]], PictureContent]
    nothing: str
    hint: str

    def show(self, page: VisualPage, at: ItemPath, request: PageRequest) -> Page:
        """The page. Raises NotFound or Unauthenticated if the caller sees no such thing."""
        facts = visual_facts(page, at, request)
        content = self.content(at, request, facts)
        facts |= {
            "kind": content.type,
            "sample": content.sample,
            "cells": content.cells,
            "empty": content.empty,
            "framed": content.framed,
            "alone": content.alone,
            "unfolds": content.unfolds,
            "nothing": self.nothing,
            "hint": self.hint,
            "oembed": discovery(at, request.origin) if facts["head"].public else "",
            **self._picture(page, at, request, facts, content),
        }
        whole = {**facts, "commands": commands_of(page, at, request, facts)}
        return Page("visual.html", whole, frames=content.framed)

    def _picture(
        self,
        page: VisualPage,
        at: ItemPath,
        request: PageRequest,
        facts: dict[str, Any],
        content: PictureContent,
    ) -> dict[str, Any]:
        """The pictures and downloads; readers of the words of a plot find them on the page instead."""
        if not facts["looks"]:
            return {"version": "", "picture": None, "downloads": []}
        version = version_of(at, request)
        if content.empty:
            return {"version": version, "picture": None, "downloads": []}
        kept = KeptForms(request.world.visuals.kept, page, version)
        alt = f"{facts['title']}: {facts['summary'] or content.noun}"
        words = WITHOUT_HEADER if facts["reads"] else WHOLE
        return {
            "version": version,
            "picture": picture_set(at, self.windows, version, alt, kept.height, words),
            "downloads": downloads(page, at, kept, reads=facts["reads"]),
        }
