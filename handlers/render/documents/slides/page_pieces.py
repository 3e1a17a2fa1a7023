"""Pictures for slides: pieces of printed pages, and assets no larger than they are shown."""

from __future__ import annotations

import io

import pypdfium2
from PIL import Image

from handlers.render.documents.slides.slide_shapes import PictureShape, SlideBox

SHARPNESS, PAGE_SHARPNESS = 2.5, 2.0
"""Pixels for each point of a piece, and of a whole page."""
LIGHT_BYTES = 400_000
"""Bytes from which on a picture is made as small as it can be without being seen to."""
MOST_BYTES = 48_000_000
"""Bytes of all pictures from which on the rest is coarse."""
QUALITY, COARSE_QUALITY = 84, 50
POINT = 0.75
TURNED = 0x0112
"""The field of a photograph that says how it was held."""


class PagePieces:
    """Pieces of printed pages, as files of PNG or JPEG."""

    def __init__(self, printed: bytes) -> None:
        self.opened = pypdfium2.PdfDocument(printed)
        self.spent = 0

    def __enter__(self) -> PagePieces:
        return self

    def __exit__(self, *error: object) -> None:
        self.opened.close()

    def page(self, number: int) -> bytes:
        """A whole page."""
        return self._keep(self._raster(number, (0, 0, 0, 0), PAGE_SHARPNESS))

    def picture(self, number: int, shape: PictureShape) -> bytes | None:
        """The file that a shape shows; None for a place that is not on the page."""
        body = _as_it_is(shape.asset.body, shape.box) if shape.asset is not None else None
        return self._keep(body) if body else self._piece(number, shape.box)

    def _piece(self, number: int, box: SlideBox) -> bytes | None:
        width, height = self.opened[number].get_size()
        left, top = max(0.0, box.x * POINT), max(0.0, box.y * POINT)
        right, bottom = max(0.0, width - box.right * POINT), max(0.0, height - box.bottom * POINT)
        if width - left - right < 1 or height - top - bottom < 1:
            return None
        return self._keep(self._raster(number, (left, bottom, right, top), SHARPNESS))

    def _raster(self, number: int, cut: tuple[float, float, float, float], sharpness: float) -> bytes:
        coarse = self.spent > MOST_BYTES
        drawn = self.opened[number].render(scale=1 if coarse else sharpness, crop=cut)
        return _file(drawn.to_pil().convert("RGB"), coarse=coarse)

    def _keep(self, body: bytes) -> bytes:
        self.spent += len(body)
        return body


def _as_it_is(body: bytes, box: SlideBox) -> bytes | None:
    """An asset while it is light, else with as many pixels as are seen; None for one that is turned."""
    try:
        with Image.open(io.BytesIO(body), formats=("PNG", "JPEG")) as opened:
            if opened.getexif().get(TURNED, 1) != 1:
                return None
            if len(body) <= LIGHT_BYTES:
                return body
            opened.draft("RGB", (round(box.width * 4), round(box.height * 4)))
            clear = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    clear.thumbnail((max(1, round(box.width * 2)), max(1, round(box.height * 2))))
    made = io.BytesIO()
    clear.save(made, "PNG", compress_level=3)
    if made.tell() <= LIGHT_BYTES:
        return made.getvalue()
    ground = Image.new("RGB", clear.size, "#ffffff")
    ground.paste(clear, mask=clear.getchannel("A"))
    return _file(ground, coarse=False)


def _file(picture: Image.Image, *, coarse: bool) -> bytes:
    """PNG, or JPEG where that would be heavy."""
    made = io.BytesIO()
    if not coarse:
        picture.save(made, "PNG", compress_level=3)
        if made.tell() <= LIGHT_BYTES:
            return made.getvalue()
    made = io.BytesIO()
    picture.save(made, "JPEG", quality=COARSE_QUALITY if coarse else QUALITY, optimize=True)
    return made.getvalue()
