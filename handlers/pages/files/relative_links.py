"""Links of a Markdown file to files beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape, unescape
from urllib.parse import unquote, urlsplit

from vfs.path import Path

LINK = re.compile(r'<a href="([^"]*)"')
ABOVE = ".."


def lead_to_pages(html: str, folder: Sequence[str], page: Callable[[Sequence[str]], Path]) -> str:
    """Rewrite the links of a Markdown file to files of the same tree, in one pass."""

    def rewrite(found: re.Match[str]) -> str:
        parts = urlsplit(unescape(found[1]))
        names = _names(folder, parts.path)
        if parts.scheme or parts.netloc or names is None:
            return found[0]
        mark = f"#{parts.fragment}" if parts.fragment else ""
        return f'<a href="{escape(f"{page(names)}{mark}")}"'

    return LINK.sub(rewrite, html)


def _names(folder: Sequence[str], path: str) -> list[str] | None:
    """Return the path below the root for a relative one; None if it is not one or leaves the root."""
    if not path or path.startswith("/"):
        return None
    names = list(folder)
    for name in path.split("/"):
        if name == ABOVE:
            if not names:
                return None
            names.pop()
        elif name not in ("", "."):
            names.append(unquote(name))
    return names
