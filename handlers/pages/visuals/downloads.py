"""Downloads of a visual: the forms that the caller may have, and those that were rendered before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handlers.pages.items.item_path import ItemPath
from handlers.pages.visuals.visual_page import VisualPage
from handlers.rendering.port import KeptRendering, KeptRenderings
from handlers.rules.render_options import options_of
from handlers.services.drawing.failed_renders import FAILURE
from handlers.services.renderings import key_of
from vfs.errors import Unavailable

MODES = ("light", "dark")
HEAD = 1024
HEIGHT = re.compile(rb'<svg\b[^<>]*? height="(\d{1,5})')


@dataclass(frozen=True, slots=True)
class KeptForms:
    """Kept forms of a version, found by their options as a query names them."""

    kept: KeptRenderings
    page: VisualPage
    version: str

    def size(self, form: str, options: Mapping[str, str]) -> int | None:
        """Bytes of a form; None while it was not rendered."""
        found = self._find(form, options)
        return found.size if found is not None else None

    def height(self, options: Mapping[str, str]) -> int:
        """Pixels that the picture with these options is high in either mode; 0 while it was not drawn."""
        drawn = (self._find("svg", {**options, "mode": mode}) for mode in MODES)
        found = next((one for one in drawn if one is not None), None)
        if found is None:
            return 0
        try:
            with found.open() as file:
                said = HEIGHT.search(file.read(HEAD))
        except Unavailable:
            return 0
        return int(said[1]) if said else 0

    def _find(self, form: str, options: Mapping[str, str]) -> KeptRendering | None:
        page = self.page
        chosen = options_of(form, options, page.defaults, page.known)
        key = key_of(page.kind.name, form, chosen, self.version)
        found = self.kept.get(key)
        return found if found is not None and found.media != FAILURE else None


@dataclass(frozen=True, slots=True)
class Download:
    """A form by its address; `name` is that of the file that is saved, `size` is known of what is kept."""

    form: str
    title: str
    address: str
    name: str
    size: int | None


def downloads(page: VisualPage, at: ItemPath, kept: KeptForms, *, reads: bool) -> list[Download]:
    """The forms of a visual that the caller may see; forms of its data only if the caller `reads` it."""
    return [
        Download(
            offer.form,
            offer.title,
            at.file(offer.form, **offer.options),
            f"{at.name}.{offer.form}",
            kept.size(offer.form, offer.options),
        )
        for offer in page.downloads
        if reads or not offer.is_data
    ]
