"""The style sheet, the scripts and the mark of the pages: files that change with the program alone."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from handlers.http.conditions import etag

FOLDER = "static"
MEDIA = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "visual.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}


class Static(NamedTuple):
    """A file of the pages: its bytes, media type and validator."""

    body: bytes
    media: str
    tag: str

    @property
    def version(self) -> str:
        """The part of its address that changes with its bytes, so that a browser may keep it for ever."""
        return self.tag.strip('"')[:12]


@cache
def static(name: str) -> Static | None:
    """The file of that name; None when there is none."""
    if name not in MEDIA:
        return None
    body = files("handlers.pages").joinpath(FOLDER, name).read_bytes()
    return Static(body, MEDIA[name], etag(body))


def address(name: str) -> str:
    """The path of a file, with its version in the query. Raises KeyError for one that is not there."""
    found = static(name)
    if found is None:
        raise KeyError(name)
    return f"/{FOLDER}/{name}?v={found.version}"
