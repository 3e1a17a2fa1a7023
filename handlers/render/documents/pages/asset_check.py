"""Pictures of users: what can be shown of them without harm, told from their bytes."""

from __future__ import annotations

import io
from functools import lru_cache

from PIL import Image

from handlers.render.documents.pictures.drawing_check import fault_of_drawing
from handlers.words.document_parts import AssetPart

MOST_PIXELS = 60_000_000
FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


@lru_cache(maxsize=32)
def fault_of_picture(part: AssetPart) -> str:
    """The reason why a picture cannot be shown, "" if it can."""
    if part.media == "image/svg+xml":
        return fault_of_drawing(part.body)
    form = FORMATS.get(part.media)
    if form is None:
        return f"{part.media} is no picture"
    try:
        with Image.open(io.BytesIO(part.body), formats=[form]) as opened:
            width, height = opened.size
    except Image.DecompressionBombError:
        return f"it has too many pixels: at most {MOST_PIXELS // 1_000_000} million are shown"
    except (OSError, ValueError, SyntaxError, EOFError, IndexError):
        return f"it cannot be read as {part.media}"
    if width * height > MOST_PIXELS:
        return f"it has {width:,} by {height:,} pixels: at most {MOST_PIXELS // 1_000_000} million are shown"
    return ""


@lru_cache(maxsize=32)
def picture_size(part: AssetPart) -> tuple[int, int]:
    """Width and height of a picture of pixels that can be shown; 0 of a drawing, which may have none."""
    if part.media == "image/svg+xml":
        return 0, 0
    with Image.open(io.BytesIO(part.body), formats=[FORMATS[part.media]]) as opened:
        return opened.size
