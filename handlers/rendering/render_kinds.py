"""Kinds of renders: their properties for callers; the functions that make them are in `forms`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OFFICE = "application/vnd.openxmlformats-officedocument"
MEDIA_TYPES: Mapping[str, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "ansi": "text/plain",
    "html": "text/html",
    "csv": "text/csv",
    "md": "text/markdown",
    "xlsx": f"{OFFICE}.spreadsheetml.sheet",
    "pptx": f"{OFFICE}.presentationml.presentation",
    "check": "application/json",
    "message": "application/json",
    "references": "application/json",
    "requests": "application/json",
}
"""Media types of all forms: a form has the same type for all kinds."""
PICTURES = ("svg", "png", "pdf", "txt", "ansi", "html")
PAGES = ("pdf", "pptx", "html", "png", "txt", "ansi")


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderKind:
    """A kind of the renderer's orders.

    If a `pictured` one fails, a picture shows the reason; other requests are refused. Its `scripted` forms
    have scripts, its `framed` ones are shown in a frame. Documents can show a `shown` one. `size_leaf` is the
    leaf that sets the size of its charts.
    """

    name: str
    forms: tuple[str, ...]
    pictured: bool = False
    scripted: tuple[str, ...] = ()
    framed: tuple[str, ...] = ()
    shown: bool = False
    size_leaf: str = ""


PLACEHOLDER = RenderKind(name="placeholder", forms=PICTURES)
TERMINAL = RenderKind(name="terminal", forms=("png",), pictured=True)
PLOT = RenderKind(
    name="plot",
    forms=(*PICTURES, "check", "csv", "xlsx", "pptx"),
    pictured=True,
    scripted=("html",),
    shown=True,
)
GRID = RenderKind(name="grid", forms=PICTURES, pictured=True, shown=True)
DOCUMENT = RenderKind(
    name="doc",
    forms=(*PAGES, "md", "requests", "references"),
    size_leaf="config/type",
)
MAIL = RenderKind(
    name="mail",
    forms=(*PAGES, "message", "requests", "references"),
    framed=("html",),
    size_leaf="config/size",
)

RENDER_KINDS: Mapping[str, RenderKind] = {
    kind.name: kind for kind in (PLACEHOLDER, TERMINAL, PLOT, GRID, DOCUMENT, MAIL)
}
