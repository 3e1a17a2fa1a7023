"""Markdown to HTML that is safe to show on a page of this service."""

from __future__ import annotations

from functools import cache

import nh3
from markdown_it import MarkdownIt


def html(markdown: str) -> str:
    """CommonMark with tables and strike-through as HTML, without scripts, styles, forms and foreign
    frames.
    """
    return nh3.clean(_reader().render(markdown), link_rel="noopener noreferrer nofollow")


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
