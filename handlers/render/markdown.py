"""Markdown to HTML that is safe to show on a page of this service."""

from __future__ import annotations

from functools import cache

import nh3
from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

REL = "noopener noreferrer nofollow"
HEADS = ("h1", "h2", "h3", "h4")
ANCHORED = {**nh3.ALLOWED_ATTRIBUTES, **{head: {"id"} for head in HEADS}}


def html(markdown: str) -> str:
    """CommonMark with tables and strike-through as HTML,
    without scripts, styles, forms and foreign frames.
    """
    return nh3.clean(_reader().render(markdown), link_rel=REL)


def anchored(markdown: str) -> str:
    """The same with an id on every heading, made of its words: for texts of the service itself, since an id
    of somebody else's could stand in for one of the page's own.
    """
    return nh3.clean(_anchoring().render(markdown), attributes=ANCHORED, link_rel=REL)


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@cache
def _anchoring() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return reader.use(anchors_plugin, max_level=len(HEADS))
