"""Markdown in linear time, by the counted parser of documents with fewer rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from handlers.render.documents.markup.effort import DEEPEST, Effort, count_blocks, count_lines
from handlers.render.documents.markup.markdown_reader import parse_line
from handlers.render.documents.markup.section_rules import SectionMarks
from handlers.render.documents.markup.spans import DATA

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
    """SectionMark the alignment of a cell by an attribute, because styles are removed from users' content."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and token.attrs:
            side = str(token.attrs.pop("style", "")).removeprefix("text-align:")
            token.attrs.update({"align": side} if side else {})


def _inline(state: StateCore) -> None:
    """Parse the lines of text; very long ones in pieces, so that none takes long."""
    lines = state.src.split("\n")
    for token in state.tokens:
        if token.type == "inline":
            token.children = parse_line(state, token.content)
        elif token.map and token.type in ("cut", "too_deep"):
            token.content = "\n".join(lines[slice(*token.map)])


def _as_written(renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: object) -> str:
    return f"<pre><code>{escape(tokens[at].content)}</code></pre>\n"
