"""Plot: the data and the settings for a drawing, and titles with marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    """Return the spans of a text on one line; an unpaired mark is an ordinary character."""
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


CONFIG = "config/"
MARKED = ("title", "caption")
"""Words that may have marks of Markdown."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot to draw: the text of its data, and its settings by their path below `config`."""

    data: str
    config: Mapping[str, str]
    name: str = ""
    summary: str = ""

    @classmethod
    def of(cls, texts: Mapping[str, str], *, called: str = "") -> Plot:
        """Return the plot of an item's texts by their paths; `called` is its name if it has no title.

        The picture has the item's title, unless `config/title` has another.
        """
        config = {path[len(CONFIG) :]: text for path, text in texts.items() if path.startswith(CONFIG)}
        name = texts.get("name", "")
        if not config.get("title", "").strip():
            config["title"] = name
        return cls(texts.get("data", ""), config, name or called, texts.get("summary", ""))

    @property
    def type(self) -> str:
        """The name of the type."""
        return self.config.get("type", "").strip() or "bar"

    def words(self, key: str) -> str:
        """Return its title, subtitle or caption in one line, without marks."""
        written = self.config.get(key, "")
        return plain_words(written) if key in MARKED else " ".join(written.split())

    def showing(self, *, titles: bool, caption: bool) -> Plot:
        """Return the same plot without title and subtitle, or without caption, if these are not shown."""
        hidden = (*(() if titles else ("title", "subtitle")), *(() if caption else ("caption",)))
        return replace(self, config={**self.config, **dict.fromkeys(hidden, "")}) if hidden else self
