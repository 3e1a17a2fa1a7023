"""Pictures of slides: charts with their data, assets, and pieces of printed pages."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2
from PIL import Image

from handlers.render.documents.pages.media import part_address, picture_size
from handlers.render.documents.slides.slide_shapes import ChartShape, PictureShape, SlideBox
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.slide import slide_charts
from handlers.render.plots.plot_type import type_of
from handlers.words.document_parts import AssetPart, DocumentParts, VisPart, VisRequest
from handlers.words.plot import Plot

RASTER = ("image/png", "image/jpeg")
FITS = ("fill", "contain")


@dataclass(frozen=True, slots=True)
class KnownPicture:
    """A chart with its request, or an asset."""

    vis: VisPart | None = None
    request: VisRequest | None = None
    asset: AssetPart | None = None

    def shape(self, box: Any, place: SlideBox, alt: str, address: str) -> ChartShape | PictureShape:
        """Return the shape of the chart or asset at a place."""
        request, plot = self.request, self.vis.plot if self.vis else None
        if request is not None and plot is not None and is_native(plot):
            plot = replace(plot, config={**plot.config, "title": ""}) if request.headed else plot
            return ChartShape(place, plot, alt, request.width, request.title, request.caption)
        round_ = float(getattr(box.style["border_top_left_radius"][0], "value", 0)) > 0
        fit = box.style["object_fit"]
        if self.asset is None or self.asset.media not in RASTER or round_ or fit not in FITS:
            return PictureShape(place, alt, None, address)
        within = place_within(place, self.asset) if fit == "contain" else place
        return PictureShape(within, alt, self.asset, address)


def known_pictures(parts: DocumentParts, requests: Iterable[VisRequest]) -> Mapping[str, KnownPicture]:
    """Return all charts and assets that pages may show, by request or address."""
    charts = {one.key: KnownPicture(parts.visuals.get(one.key), one) for one in requests}
    return charts | {part_address(asset): KnownPicture(asset=asset) for asset in parts.assets.values()}


def place_within(place: SlideBox, asset: AssetPart) -> SlideBox:
    """Return the part of a place that a picture fills."""
    width, height = picture_size(asset)
    scale = min(place.width / width, place.height / height)
    across, down = width * scale, height * scale
    left, top = place.x + (place.width - across) / 2, place.y + (place.height - down) / 2
    return SlideBox(left, top, across, down)


def is_native(plot: Plot) -> bool:
    """Return whether slides can contain a chart, or its panels, in editable form."""
    if type_of(plot.type).native is None:
        return False
    try:
        return slide_charts(plot, plot_frame(plot)) is not None
    except TooManyCells:
        return False


SHARPNESS, PAGE_SHARPNESS = 2.5, 2.0
"""Pixels per point of a piece, and of a whole page."""
LIGHT_BYTES = 400_000
"""Size in bytes above which a picture is reduced without visible loss."""
MOST_BYTES = 48_000_000
"""Size in bytes of all pictures above which further ones have low quality."""
QUALITY, COARSE_QUALITY = 84, 50
POINT = 0.75
TURNED = 0x0112
"""The orientation field of a photograph."""


@dataclass(slots=True)
class PagePieces:
    """Pieces of printed pages, as PNG or JPEG files; `spent` is the size in bytes of those made."""

    opened: pypdfium2.PdfDocument
    spent: int = 0

    def page(self, number: int) -> bytes:
        """Return a whole page."""
        return self._keep(self._raster(number, (0, 0, 0, 0), PAGE_SHARPNESS))

    def picture(self, number: int, shape: PictureShape) -> bytes | None:
        """Return the file for a shape; None for a place outside of the page."""
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
    """Return an asset, reduced to the pixels that are visible if it is large; None if it is rotated."""
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
    """Return a PNG file, or JPEG if PNG would be too large or `coarse` is set."""
    made = io.BytesIO()
    if not coarse:
        picture.save(made, "PNG", compress_level=3)
        if made.tell() <= LIGHT_BYTES:
            return made.getvalue()
    made = io.BytesIO()
    picture.save(made, "JPEG", quality=COARSE_QUALITY if coarse else QUALITY, optimize=True)
    return made.getvalue()
