"""Style sheets, scripts, typefaces and the logo of the pages: files that change only with the program."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from handlers.http.conditions import etag

FOLDER = "static"
MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Media types of the files in the folder, by their suffixes."""
FACES = {
    "SourceSerif4-Regular.ttf": ("Source Serif 4", "normal", "normal"),
    "SourceSerif4-It.ttf": ("Source Serif 4", "normal", "italic"),
    "SourceSerif4-Bold.ttf": ("Source Serif 4", "bold", "normal"),
    "SourceSerif4-BoldIt.ttf": ("Source Serif 4", "bold", "italic"),
    "SourceSansPro-Regular.ttf": ("Source Sans Pro", "normal", "normal"),
    "SourceSansPro-It.ttf": ("Source Sans Pro", "normal", "italic"),
    "SourceSansPro-Semibold.ttf": ("Source Sans Pro", "600", "normal"),
    "SourceSansPro-Bold.ttf": ("Source Sans Pro", "bold", "normal"),
    "SourceSansPro-BoldIt.ttf": ("Source Sans Pro", "bold", "italic"),
    "SourceCodePro-Regular.ttf": ("Source Code Pro", "normal", "normal"),
    "SourceCodePro-Bold.ttf": ("Source Code Pro", "bold", "normal"),
}
"""Typefaces of documents and of their PDFs, each with its family, weight and style."""
SET_IN_FACES = "document.css"


class Static(NamedTuple):
    """A file of the pages: its bytes, media type and validator."""

    body: bytes
    media: str
    tag: str

    @property
    def version(self) -> str:
        """The part of the address that changes with the bytes, so that browsers may cache it permanently."""
        return self.tag.strip('"')[:12]


@cache
def static(name: str) -> Static | None:
    """Return the file of that name; None if there is none."""
    if name in FACES:
        body = files("handlers.render").joinpath("fonts", name).read_bytes()
        return Static(body, "font/ttf", etag(body))
    if name not in _names():
        return None
    body = files("handlers.pages").joinpath(FOLDER, name).read_bytes()
    body += face_rules().encode() if name == SET_IN_FACES else b""
    return Static(body, MEDIA[name[name.rindex(".") :]], etag(body))


@cache
def _names() -> frozenset[str]:
    """Return the names of all files."""
    names = (file.name for file in files("handlers.pages").joinpath(FOLDER).iterdir())
    return frozenset(name for name in names if name.endswith(tuple(MEDIA)))


def address(name: str) -> str:
    """Return the path of a file, with its version in the query. Raises KeyError if there is none."""
    found = static(name)
    if found is None:
        raise KeyError(name)
    return f"/{FOLDER}/{name}?v={found.version}"


def face_rules() -> str:
    """Return the CSS rules that name the typefaces; a browser loads each when a page uses it."""
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:{style};font-display:swap;'
        f'src:url("{address(name)}")}}\n'
        for name, (family, weight, style) in FACES.items()
    )
