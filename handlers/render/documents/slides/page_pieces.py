"""Pictures for slides: pieces of printed pages, and assets no larger than they are shown."""

from __future__ import annotations

import io
from typing import Any

import pypdfium2
from PIL import Image

from handlers.render.documents.slides.slide_shapes import PictureShape, SlideBox

SHARPNESS, PAGE_SHARPNESS = 2.5, 2.0
"""Pixels for each point of a piece, and of a whole page."""
LIGHT_BYTES = 400_000
"""Bytes from which on a picture is made as small as it can be without being seen to."""
QUALITY = 84
POINT = 0.75


class PagePieces:
    """Pieces of printed pages, as files of PNG or JPEG."""

    def __init__(self, printed: bytes) -> None:
        self.opened = pypdfium2.PdfDocument(printed)

    def __enter__(self) -> PagePieces:
        return self

    def __exit__(self, *error: object) -> None:
        self.opened.close()

    def page(self, number: int) -> bytes:
        """A whole page."""
        return _file(self.opened[number].render(scale=PAGE_SHARPNESS).to_pil().convert("RGB"))

    def picture(self, number: int, shape: PictureShape) -> bytes | None:
        """The file that a shape shows; None for a place that is not on the page."""
        if shape.asset is not None and (body := _no_larger(shape.asset.body, shape.box)):
            return body
        return self._piece(number, shape.box)

    def _piece(self, number: int, box: SlideBox) -> bytes | None:
        page = self.opened[number]
        width, height = page.get_size()
        left, top = max(0.0, box.x * POINT), max(0.0, box.y * POINT)
        right, bottom = max(0.0, width - box.right * POINT), max(0.0, height - box.bottom * POINT)
        if width - left - right < 1 or height - top - bottom < 1:
            return None
        piece = page.render(scale=SHARPNESS, crop=(left, bottom, right, top))
        return _file(piece.to_pil().convert("RGB"))


def _no_larger(body: bytes, box: SlideBox) -> bytes | None:
    """An asset as it is while it is light, else with as many pixels as are seen."""
    if len(body) <= LIGHT_BYTES:
        return body
    with Image.open(io.BytesIO(body)) as opened:
        opened.draft("RGB", (round(box.width * 4), round(box.height * 4)))
        clear = opened.mode in ("RGBA", "LA", "PA") or "transparency" in opened.info
        turned: Any = opened.convert("RGBA" if clear else "RGB")
        turned.thumbnail((max(1, round(box.width * 2)), max(1, round(box.height * 2))))
        return _file(turned, clear=clear)


def _file(picture: Image.Image, *, clear: bool = False) -> bytes:
    """PNG, or JPEG where that would be heavy."""
    made = io.BytesIO()
    picture.save(made, "PNG", compress_level=3)
    if made.tell() > LIGHT_BYTES and not clear:
        made = io.BytesIO()
        picture.save(made, "JPEG", quality=QUALITY, optimize=True)
    return made.getvalue()
