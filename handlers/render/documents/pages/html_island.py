"""HTML of users: what may stand on a page of a document, and nothing else."""

from __future__ import annotations

import nh3

TAGS = {
    "a", "abbr", "b", "blockquote", "br", "caption", "cite", "code", "col", "colgroup", "dd", "del",
    "details", "dfn", "div", "dl", "dt", "em", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li",
    "mark", "ol", "p", "pre", "q", "s", "samp", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody",
    "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr", "bdi", "bdo",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"}, "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"},
    "ol": {"start", "type"}, "time": {"datetime"}, "abbr": {"title"}, "*": {"lang", "dir"},
}  # fmt: skip
DROPPED = {"script", "style", "template", "noscript", "iframe", "object", "title", "textarea", "svg", "math"}
WIDEST_SPAN = 100


def clean_island(source: str) -> str:
    """The HTML without scripts, styles, forms, frames, pictures, names and classes."""
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
    """Spans of cells only as wide as pages can be."""
    if name in ("colspan", "rowspan"):
        return value if value.isdigit() and int(value[:6]) <= WIDEST_SPAN else None
    return value
