"""HTML within lines: its tags as tokens, comments as nothing."""

from __future__ import annotations

import re
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

VALUE = r"(?:\"[^\"]*\"|'[^']*'|[^\"'=<>`\s]+)"
ATTRIBUTE = rf"(?<!\s)\s++([A-Za-z_:][\w:.-]*)(?:\s*=\s*({VALUE}))?"
TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9-]{{0,60}})((?:{ATTRIBUTE})*)\s*/?>")
ATTRIBUTES = re.compile(ATTRIBUTE)
OTHER = re.compile(r"<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^>]*>", re.DOTALL)
OPENING = ("<?", "<!")


def add_html(reader: MarkdownIt) -> None:
    """Teach a reader the tags."""
    reader.inline.ruler.at("html_inline", _html)
    reader.inline.ruler.enable("html_inline")


def attribute(source: str, name: str) -> str:
    """The value of an attribute of a tag, "" without."""
    found = (match for match in ATTRIBUTES.finditer(source) if match[1].lower() == name and match[2])
    value = next((match[2] for match in found), "")
    return unescape(value[1:-1] if value[:1] in ("'", '"') else value)


def _html(state: StateInline, silent: bool) -> bool:
    """`<tag>`, `<!-- comment -->`, `<? … ?>` and `<! … >`."""
    start = state.pos
    if state.src.startswith("<!--", start):
        state.pos = _end_of_comment(state.src, start, state.posMax)
        return True
    tag = TAG.match(state.src, start, state.posMax)
    other = OTHER.match(state.src, start, state.posMax) if state.src.startswith(OPENING, start) else None
    found = tag or other
    if found is None:
        return False
    if not silent:
        token = state.push("html_tag", "", 0)
        token.content, token.info = found[0], tag[2].lower() if tag else ""
        token.meta = {"closing": bool(tag and tag[1]), "closed": found[0].endswith("/>")}
    state.pos = found.end()
    return True


def _end_of_comment(source: str, start: int, end: int) -> int:
    if source.startswith(("<!-->", "<!--->"), start):
        return min(end, source.index(">", start) + 1)
    closing = source.find("-->", start + 4, end)
    return end if closing < 0 else closing + 3
