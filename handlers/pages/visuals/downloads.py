"""Downloads of a visual: the forms that the caller may have, with the sizes that are known."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.pages.visuals.kept_forms import KeptForms
from handlers.pages.visuals.visual_page import VisualPage
from handlers.pages.visuals.visual_path import VisualPath


@dataclass(frozen=True, slots=True)
class Download:
    """A form by its address; `name` is that of the file that is saved, `size` is known of what is kept."""

    form: str
    title: str
    address: str
    name: str
    size: int | None


def downloads(page: VisualPage, at: VisualPath, kept: KeptForms, *, reads: bool) -> list[Download]:
    """The forms of a visual for whoever may look at it; those of the data for whoever `reads`."""
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
