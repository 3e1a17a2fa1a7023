"""HTML of users, limited to elements and attributes that a document may contain."""

from __future__ import annotations

import nh3

TEXT = (
    "a", "abbr", "b", "bdi", "bdo", "br", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q",
    "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
)  # fmt: skip
BLOCKS = (
    "blockquote", "dd", "details", "div", "dl", "dt", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "summary", "ul",
)  # fmt: skip
TABLES = ("caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr")
TAGS = {*TEXT, *BLOCKS, *TABLES}
CELL = {"colspan", "rowspan", "align"}
ATTRIBUTES = {
    "a": {"href", "title"},
    "td": CELL,
    "th": {*CELL, "scope"},
    "ol": {"start", "type"},
    "time": {"datetime"},
    "abbr": {"title"},
    "*": {"lang", "dir"},
}
DROPPED = {"script", "style", "template", "noscript", "iframe", "object", "title", "textarea", "svg", "math"}
WIDEST_SPAN = 100


def clean_island(source: str) -> str:
    """Return the HTML without scripts, styles, forms, frames, pictures, names and classes."""
    return nh3.clean(
        source,
        tags=TAGS,
        attributes=ATTRIBUTES,
        clean_content_tags=DROPPED,
        attribute_filter=_modest,
        url_schemes={"http", "https", "mailto", "tel"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def _modest(tag: str, name: str, value: str) -> str | None:
    """Limit the spans of table cells to a size that a page can have."""
    if name in ("colspan", "rowspan"):
        return value if value.isdigit() and int(value[:6]) <= WIDEST_SPAN else None
    return value
