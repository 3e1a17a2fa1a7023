"""Pictures of pages: charts with their data by their requests, and assets by their addresses."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from handlers.render.documents.pages.media import PaperMedium
from handlers.render.documents.slides.slide_shapes import ChartShape, PictureShape, SlideBox
from handlers.render.plots.data.table_text import TooManyCells
from handlers.render.plots.data.type_columns import plot_frame
from handlers.render.plots.forms.slide import slide_charts
from handlers.render.plots.plot_type import type_of
from handlers.words.document_parts import AssetPart, DocumentParts, VisPart
from handlers.words.plot import Plot

SOURCE = re.compile(r'src="([^"]+)"')
REQUEST = re.compile(r"@(\d+)x\d+(t?)(c?)n?(h?)$")
RASTER = ("image/png", "image/jpeg")
FITS = ("fill", "contain")


@dataclass(frozen=True, slots=True)
class KnownPicture:
    """A chart with the manner in which it was asked for, or an asset."""

    vis: VisPart | None = None
    asset: AssetPart | None = None
    drawn: int = 0
    title: bool = True
    caption: bool = True
    headed: bool = False

    def shape(self, box: Any, place: SlideBox, alt: str, address: str) -> ChartShape | PictureShape:
        """The shape that stands for it at its place."""
        if self.vis is not None and self.vis.plot is not None and is_native(self.vis.plot):
            plot = self.vis.plot
            plot = replace(plot, config={**plot.config, "title": ""}) if self.headed else plot
            return ChartShape(place, plot, alt, self.drawn, self.title, self.caption)
        round_ = float(getattr(box.style["border_top_left_radius"][0], "value", 0)) > 0
        fit = box.style["object_fit"]
        if self.asset is None or self.asset.media not in RASTER or round_ or fit not in FITS:
            return PictureShape(place, alt, None, address)
        within = place_within(place, self.asset) if fit == "contain" else place
        return PictureShape(within or place, alt, self.asset if within else None, address)


def known_pictures(parts: DocumentParts) -> Mapping[str, KnownPicture]:
    """All that pages may show, by request or address."""
    return dict(_pictures(parts))


def _pictures(parts: DocumentParts) -> Iterator[tuple[str, KnownPicture]]:
    medium = PaperMedium()
    for key, part in parts.visuals.items():
        if said := REQUEST.search(key):
            yield key, KnownPicture(part, None, int(said[1]), bool(said[2]), bool(said[3]), bool(said[4]))
    for asset in parts.assets.values():
        if found := SOURCE.search(medium.asset(asset, "", "")):
            yield found[1], KnownPicture(asset=asset)


def place_within(place: SlideBox, asset: AssetPart) -> SlideBox | None:
    """The part of a place that a picture fills which is contained in it; None when it has no size."""
    try:
        with Image.open(io.BytesIO(asset.body)) as picture:
            width, height = picture.size
    except (OSError, ValueError, Image.DecompressionBombError):
        return None
    scale = min(place.width / width, place.height / height)
    across, down = width * scale, height * scale
    left, top = place.x + (place.width - across) / 2, place.y + (place.height - down) / 2
    return SlideBox(left, top, across, down)


def is_native(plot: Plot) -> bool:
    """Whether slides can hold a chart, or its panels, as what their reader can edit."""
    if type_of(plot.type).native is None:
        return False
    try:
        return slide_charts(plot, plot_frame(plot)) is not None
    except TooManyCells:
        return False
