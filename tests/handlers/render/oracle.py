"""GitHub's parser of Markdown, and the intended differences of this service."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
import nh3
from cmarkgfm.cmark import Options

OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE

DIFFERENCES = {
    r"<!--": "a comment is left out, and all behind one that is not closed; the other shows that in a line",
    r"~~~": "of three signs of what is struck out the library takes two, GitHub none",
    r"\*{4}|_{4}|\*\*__|__\*\*": "bold in bold is bold once for GitHub's reader, twice as CommonMark has it",
    r"(?s)[*_].*~~|~~.*[*_]": "where what is struck out crosses other styles, GitHub's reader gives up both",
    r"\\\\?[ ]+\n": "the library takes a space behind a stroke for escaped, so that it ends no line",
    r"(?m)^[ >\t]*</?[A-Za-z][^<>\n]*>[ \t]*$": (
        "a tag alone on a line goes on with the paragraph, as CommonMark has it; the other ends lists with it"
    ),
    r"\n[^\n]*\|[^\n]*\n[ >]*\|?[ :|-]*-[ :|-]*(?:\n|\Z)": "a table may follow a paragraph without a gap",
    r"(?m)^(?=[^\n]*\|[^\n]*\n|[^\n]*\n[^\n]*\|)(?!\|[^\n]*\|)[^\n]*\n[ >]*[|: -]*-[|: -]*$": (
        "a head without bars at both ends: the library looks for tables before quotations and headings"
    ),
}
"""Patterns of texts that this service reads in another way, with the reasons."""

NAMES = {"del": "s"}
"""Equivalent tags."""


def oracle_html(text: str) -> str:
    """Return the cleaned HTML of GitHub's parser for Markdown with tables and strike-through."""
    made = cmarkgfm.markdown_to_html_with_extensions(text, OPTIONS, ["table", "strikethrough"])
    return nh3.clean(made, link_rel=None)


class Shape(HTMLParser):
    """The tags and words of HTML, without the space between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        kept = sorted((name, " ".join((value or "").split())) for name, value in attrs if name != "rel")
        self.parts.append(f"<{NAMES.get(tag, tag)}{kept or ''}>")

    def handle_endtag(self, tag: str) -> None:
        """Keep the end of a tag."""
        self.parts.append(f"</{NAMES.get(tag, tag)}>")

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if words := " ".join(data.split()):
            self.parts.append(words)


def shape(html: str) -> list[str]:
    """The tags and words of HTML; those of neighbours as one."""
    parts: list[str] = []
    for part in Shape(html).parts:
        if parts and not part.startswith("<") and not parts[-1].startswith("<"):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return parts


def differs(text: str) -> bool:
    """Return whether a text matches an intended difference."""
    return any(re.search(sign, text) for sign in DIFFERENCES)
