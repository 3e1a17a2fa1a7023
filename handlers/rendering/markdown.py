"""Markdown to HTML that is safe to show on a page of this service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

from handlers.render.documents.markup.markdown_reader import (
    DEEPEST,
    Effort,
    count_blocks,
    count_lines,
    parse_line,
)
from handlers.render.documents.markup.section_rules import SectionMarks
from handlers.render.documents.markup.spans import DATA

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
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    reader.use(anchors_plugin, max_level=len(HEADS))
    tokens = reader.parse(markdown)
    shown = nh3.clean(reader.renderer.render(tokens, reader.options, {}), attributes=ANCHORED, link_rel=REL)
    # Make scrolling parts reachable by the keyboard.
    shown = shown.replace("<pre>", '<pre tabindex="0">')
    heads = [(opening, inline) for opening, inline in pairwise(tokens) if opening.type == "heading_open"]
    sections = (
        Section("".join(part.content for part in inline.children or ()), str(one.attrs["id"]))
        for one, inline in heads
        if one.tag == "h2"
    )
    return Article(shown, tuple(sections))


MOST_STEPS = 60_000
ENDINGS = re.compile(r"\r\n?")


def render_bounded(markdown: str, steps: int = MOST_STEPS) -> str:
    """Return CommonMark with tables, strike-through and tags as HTML, which has to be sanitised.

    Beyond a number of steps, marks are shown as written, and so are blocks that are nested too deep.
    """
    reader = _reader()
    markdown = ENDINGS.sub("\n", markdown).replace("\0", "\ufffd")
    env: dict[str, Any] = {"effort": Effort(steps), "marks": SectionMarks(markdown, comments=True)}
    tokens = reader.parse(markdown, env)
    return str(reader.renderer.render(tokens, reader.options, env))


@cache
def _reader() -> MarkdownIt:
    reader = _Markdown("commonmark", {"html": True, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"])
    count_blocks(reader)
    reader.core.ruler.at("inline", _inline)
    reader.core.ruler.push("sides", _sides)
    count_lines(reader)
    for kind in ("cut", "too_deep"):
        reader.add_render_rule(kind, _as_written)
    return reader


class _Markdown(MarkdownIt):
    """Markdown with pictures by `data:`; sanitising leaves only their text."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Return whether a link is allowed."""
        return bool(super().validateLink(url)) or url.lower().startswith(DATA)


def _sides(state: StateCore) -> None:
    """Mark the alignment of a cell by an attribute, because styles are removed from users' content."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and token.attrs:
            side = str(token.attrs.pop("style", "")).removeprefix("text-align:")
            token.attrs.update({"align": side} if side else {})


def _inline(state: StateCore) -> None:
    """Parse the lines of text, very long ones in pieces, to limit the time for each."""
    lines = state.src.split("\n")
    for token in state.tokens:
        if token.type == "inline":
            token.children = parse_line(state, token.content)
        elif token.map and token.type in ("cut", "too_deep"):
            token.content = "\n".join(lines[slice(*token.map)])


def _as_written(renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: object) -> str:
    return f"<pre><code>{escape(tokens[at].content)}</code></pre>\n"
