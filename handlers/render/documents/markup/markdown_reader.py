"""Markdown of documents: its enabled rules, parsed in linear time."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.subscript import sub_plugin
from mdit_py_plugins.superscript import superscript_plugin

from handlers.render.documents.markup.effort import DEEPEST, Effort, count_blocks, count_lines
from handlers.render.documents.markup.inline_rules import add_inline_rules, add_mathematics
from handlers.render.documents.markup.section_rules import SectionMarks, parse_stray
from handlers.render.documents.markup.source.html_spans import add_html
from handlers.render.documents.markup.spans import DATA, is_harmless

PAYLOAD = re.compile(r"(?:(?<!\s)\s++)?\{(?!/|pageref|ref:)([^{}]*)\}\s*$")
LONGEST_PAYLOAD = 300
LONGEST_LINE, LINE_STEPS = 3_000, 500
PICTURE = re.compile(
    r"((?:[(<\"'=]|\]:[ \t]*)data:[a-z]+/[\w.+-]{1,80})(?:;[\w.=+-]{1,60}){0,4},[^\s)>\"'|]*", re.IGNORECASE
)
"""An address that contains a picture; in very long lines only its type is kept."""


def read_tokens(marks: SectionMarks, *, mathematics: bool, steps: int) -> list[Token]:
    """Return the tokens of a text.

    Besides Markdown's there are `mark` for sections, `cut` and `too_deep` for omitted lines, `plain` before
    the block from which on marks are plain text, and at the end an `unused_note` for each unused footnote.
    """
    env: Any = {"effort": Effort(steps), "marks": marks}
    tokens = _reader(mathematics).parse(marks.text, env)
    calls = env.get("footnotes", {}).get("refs", {})
    unused = (label.removeprefix(":") for label, number in calls.items() if number < 0)
    return [*tokens, *(Token("unused_note", "", 0, content=label) for label in unused)]


def read_line_tokens(text: str) -> list[Token]:
    """Return the tokens of a single line, in few steps."""
    env: Any = {"effort": Effort(LINE_STEPS)}
    reader = _reader(True)
    (line,) = reader.parseInline(" ".join(text.split()), env)
    return line.children or []


@cache
def _reader(mathematics: bool) -> MarkdownIt:
    reader = DocumentMarkdown("commonmark", {"html": False, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"])
    reader.use(deflist_plugin).use(footnote_plugin, inline=False, move_to_end=True)
    reader.use(sub_plugin).use(superscript_plugin)
    if mathematics:
        reader.use(dollarmath_plugin, allow_space=False, allow_digits=False)
        reader.inline.ruler.disable("math_inline")
        add_mathematics(reader)
    add_inline_rules(reader)
    add_html(reader)
    count_blocks(reader)
    reader.inline.ruler.before("escape", "stray_mark", parse_stray)
    reader.core.ruler.at("inline", _inline)
    count_lines(reader)
    return reader


class DocumentMarkdown(MarkdownIt):
    """Markdown whose links lead to the web, to mail, or to this server."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        """Return whether a link is allowed."""
        return is_harmless(url) or url.lower().startswith(DATA)


def _inline(state: StateCore) -> None:
    """Parse the lines of text; very long ones in pieces, so that none takes long."""
    effort: Effort = state.env["effort"]
    opening: Token | None = None
    outermost, plain = 0, -1
    for at, token in enumerate(state.tokens):
        if token.level == 0 and token.nesting >= 0:
            outermost = at
        if token.type == "inline":
            if opening is not None and opening.type == "heading_open":
                _take_payload(opening, token)
            state.env["is_row"] = opening is not None and opening.type != "paragraph_open"
            token.children = parse_line(state, token.content)
            plain = outermost if plain < 0 and effort.left <= 0 else plain
        opening = token
    if plain >= 0:
        state.tokens.insert(plain, Token("plain", "", 0, map=state.tokens[plain].map))


def parse_line(state: StateCore, text: str) -> list[Token]:
    """Return the tokens of a line of text, of a very long one in pieces."""
    tokens: list[Token] = []
    env: Any = state.env
    for piece in _pieces(PICTURE.sub(r"\1", text) if len(text) > LONGEST_LINE else text):
        tokens += state.md.inline.parse(piece, state.md, env, [])
    return tokens


def _take_payload(opening: Token, inline: Token) -> None:
    """Split the options in braces off the end of a heading."""
    payload = PAYLOAD.search(inline.content[-LONGEST_PAYLOAD:])
    if payload is not None:
        inline.content = inline.content[: len(inline.content) - len(payload[0])]
        opening.meta["payload"] = payload[1]


def _pieces(text: str) -> list[str]:
    """Return the text in pieces of at most 3,000 characters, cut between lines or words if possible."""
    pieces = []
    while len(text) > LONGEST_LINE:
        cut = max(text.rfind("\n", 1, LONGEST_LINE), text.rfind(" ", LONGEST_LINE // 2, LONGEST_LINE))
        cut = cut if cut > 0 else LONGEST_LINE
        pieces.append(text[:cut])
        text = text[cut:]
    return [*pieces, text]
