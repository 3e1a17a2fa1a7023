"""Downloads of a plot or a grid: the forms that the caller may have, with the sizes that are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from handlers.pages.visuals.kept_forms import KeptForms
from handlers.pages.visuals.visual_path import VisualPath


class Offer(NamedTuple):
    """A form that is offered: what it is called, its options, and whether it holds the data themselves."""

    form: str
    title: str
    options: Mapping[str, str]
    is_data: bool = False


PICTURES = (
    Offer("svg", "Vector picture", {}),
    Offer("png", "Picture at twice its size", {"scale": "2"}),
    Offer("pdf", "To print", {}),
    Offer("html", "For a web page", {}),
    Offer("txt", "For plain text", {}),
    Offer("ansi", "For a terminal", {}),
)
OFFERS: Mapping[str, tuple[Offer, ...]] = {
    "grid": PICTURES,
    "plot": (
        *PICTURES,
        Offer("pptx", "Slide with a chart", {}),
        Offer("xlsx", "Workbook with a chart", {}, is_data=True),
        Offer("csv", "The data", {}, is_data=True),
    ),
    "doc": (
        Offer("pdf", "To print and to send", {}),
        Offer("pptx", "Slides to go on with", {}),
        Offer("html", "One file for a browser", {}),
        Offer("md", "Markdown", {}),
    ),
    "mail": (
        Offer("html", "The mail by itself", {}),
        Offer("txt", "The part without HTML", {}),
        Offer("ansi", "For a terminal", {}),
        Offer("pdf", "To print", {}),
        Offer("png", "A picture of the first page", {}),
        Offer("pptx", "Slides to go on with", {}),
    ),
}


@dataclass(frozen=True, slots=True)
class Download:
    """A form by its address; `name` is that of the file that is saved, `size` is known of what is kept."""

    form: str
    title: str
    address: str
    name: str
    size: int | None


def downloads(at: VisualPath, kept: KeptForms, *, reads: bool) -> list[Download]:
    """The forms of a plot or a grid for whoever may look at it; those of the data for whoever `reads`."""
    return [
        Download(
            offer.form,
            offer.title,
            at.file(offer.form, **offer.options),
            f"{at.name}.{offer.form}",
            kept.size(offer.form, offer.options),
        )
        for offer in OFFERS[at.kind]
        if reads or not offer.is_data
    ]
