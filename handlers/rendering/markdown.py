"""Markdown to HTML that is safe to show on a page of this service."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

from handlers.render.bounded_markdown import render_bounded

REL = "noopener noreferrer nofollow"
HEADS = ("h1", "h2", "h3", "h4")
ANCHORED = {**nh3.ALLOWED_ATTRIBUTES, **{head: {"id"} for head in HEADS}}


class Section(NamedTuple):
    """A part of an article: the words of its heading, and its anchor."""

    words: str
    anchor: str


class Article(NamedTuple):
    """A text of the service itself as HTML, with its sections."""

    html: str
    sections: tuple[Section, ...]


def html(markdown: str) -> str:
    """Return CommonMark with tables, strike-through and tags as HTML without scripts, forms and frames.

    Time and size of the result are bounded by the size of the text.
    """
    return nh3.clean(render_bounded(markdown), link_rel=REL)


@cache
def article(markdown: str) -> Article:
    """Return a text of the service itself as HTML, with an anchor on every heading.

    Not for texts of users: their ids could replace the page's own ids.
    """
    reader = _reader().use(anchors_plugin, max_level=len(HEADS))
    tokens = reader.parse(markdown)
    shown = nh3.clean(reader.renderer.render(tokens, reader.options, {}), attributes=ANCHORED, link_rel=REL)
    # Scrolling parts can be reached by the keyboard.
    shown = shown.replace("<pre>", '<pre tabindex="0">')
    heads = [(opening, inline) for opening, inline in pairwise(tokens) if opening.type == "heading_open"]
    sections = (
        Section("".join(part.content for part in inline.children or ()), str(one.attrs["id"]))
        for one, inline in heads
        if one.tag == "h2"
    )
    return Article(shown, tuple(sections))


def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
