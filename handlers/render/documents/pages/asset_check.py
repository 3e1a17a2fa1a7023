"""Pictures of users: what can be shown of them without harm, told from their bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from xml.etree import ElementTree

from PIL import Image

from handlers.render.documents.pages.part_models import AssetPart

MOST_PIXELS = 60_000_000
LONGEST_SVG = 2 * 1024 * 1024
MOST_ELEMENTS, DEEPEST = 20_000, 60
FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}
ADDRESSES = ("href", "{http://www.w3.org/1999/xlink}href")


@lru_cache(maxsize=256)
def fault_of_picture(part: AssetPart) -> str:
    """The reason why a picture cannot be shown, "" if it can."""
    if part.media == "image/svg+xml":
        return _fault_of_svg(part.body)
    form = FORMATS.get(part.media)
    if form is None:
        return f"{part.media} is no picture"
    try:
        with Image.open(io.BytesIO(part.body), formats=[form]) as opened:
            width, height = opened.size
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, Image.DecompressionBombError):
        return f"it cannot be read as {part.media}"
    if width * height > MOST_PIXELS:
        return f"it has {width:,} by {height:,} pixels: at most {MOST_PIXELS // 1_000_000} million are shown"
    return ""


@lru_cache(maxsize=256)
def picture_size(part: AssetPart) -> tuple[int, int]:
    """Width and height of a picture of pixels that can be shown; 0 of a drawing, which may have none."""
    if part.media == "image/svg+xml":
        return 0, 0
    with Image.open(io.BytesIO(part.body), formats=[FORMATS[part.media]]) as opened:
        return opened.size


def _fault_of_svg(body: bytes) -> str:
    if len(body) > LONGEST_SVG:
        return f"drawings have at most {LONGEST_SVG // 1024 // 1024} MiB"
    if b"<!DOCTYPE" in body[:4_000].upper() or b"<!ENTITY" in body.upper():
        return "drawings may not declare entities"
    try:
        root = ElementTree.fromstring(body)
    except (ElementTree.ParseError, ValueError, LookupError):
        return "it cannot be read as a drawing"
    if not root.tag.endswith("svg"):
        return "it cannot be read as a drawing"
    for elements, (depth, _) in enumerate(_walk(root)):
        if depth > DEEPEST or elements > MOST_ELEMENTS:
            return "it is too large a drawing"
    return "it copies drawings that hold copies" if _nests_copies(root) else ""


def _walk(root: ElementTree.Element) -> Iterator[tuple[int, ElementTree.Element]]:
    stack = [(0, root)]
    while stack:
        depth, element = stack.pop()
        yield depth, element
        if depth <= DEEPEST:
            stack += [(depth + 1, child) for child in element]


def _nests_copies(root: ElementTree.Element) -> bool:
    """Whether an element that is copied holds a copy itself: such drawings can grow without end."""
    named = {element.get("id"): element for _, element in _walk(root) if element.get("id")}
    copied = {
        address.removeprefix("#")
        for _, element in _walk(root)
        if element.tag.endswith("}use") or element.tag == "use"
        for name in ADDRESSES
        if (address := element.get(name, ""))
    }
    return any(
        inner.tag.endswith("}use") or inner.tag == "use"
        for name in copied & named.keys()
        for _, inner in _walk(named[name])
    )
