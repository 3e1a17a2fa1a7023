"""Marked words: emphasis, code and links of a title or a caption, written as in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST_READ, LONGEST = 2_000, 600
"""Maximum characters that are parsed of a text, and shown of it."""
SAFE = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x1f]+", re.IGNORECASE)
"""Allowed addresses of links: no script, no data, and no address of this server."""
MARKS = re.compile(r"[*_`\[\\<]")


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """Words with one style: `strong`, in `emphasis`, as `code`, or a link to `href`."""

    text: str
    strong: bool = False
    emphasis: bool = False
    code: bool = False
    href: str = ""


def read_words(text: str) -> tuple[MarkedSpan, ...]:
    """Return the spans of a text in one line; an unpaired mark is an ordinary sign."""
    line = " ".join(text.split())
    if not MARKS.search(line):
        return (MarkedSpan(line[:LONGEST]),) if line else ()
    tokens = _reader().parseInline(line[:LONGEST_READ])[0].children or []
    return tuple(_shorten(_spans(tokens)))


def plain_words(text: str) -> str:
    """Return the same words without marks, for forms without styles."""
    return "".join(span.text for span in read_words(text))


def marked_html(text: str) -> str:
    """Return the same words as HTML."""
    return "".join(map(_html, read_words(text)))


def _html(span: MarkedSpan) -> str:
    drawn = escape(span.text)
    for is_so, tag in ((span.code, "code"), (span.emphasis, "em"), (span.strong, "strong")):
        drawn = f"<{tag}>{drawn}</{tag}>" if is_so else drawn
    return f'<a href="{escape(span.href)}" rel="noopener noreferrer">{drawn}</a>' if span.href else drawn


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("zero").enable(["emphasis", "backticks", "link", "autolink", "escape"])
    reader.validateLink = lambda url: SAFE.fullmatch(url) is not None  # type: ignore[method-assign]
    return reader


def _spans(tokens: Sequence[Token]) -> Iterator[MarkedSpan]:
    look, depth = MarkedSpan(""), {"strong": 0, "em": 0}
    for token in tokens:
        kind, _, end = token.type.rpartition("_")
        if kind in depth:
            depth[kind] += 1 if end == "open" else -1
            look = replace(look, strong=depth["strong"] > 0, emphasis=depth["em"] > 0)
        elif kind == "link":
            look = replace(look, href=str(token.attrGet("href") or "") if end == "open" else "")
        elif token.content:
            yield replace(look, text=token.content, code=token.type == "code_inline")


def _shorten(spans: Iterator[MarkedSpan]) -> Iterator[MarkedSpan]:
    room = LONGEST
    for span in spans:
        if room > 0:
            yield replace(span, text=span.text[:room])
        room -= len(span.text)
