"""A corpus of documents, each with the plots, pictures, people and values that it refers to."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

from PIL import Image

from handlers.render.documents.markup.blocks import Document
from handlers.render.documents.markup.document_text import read_document
from handlers.render.documents.pages.document_html import DocumentLook
from handlers.render.documents.pages.parts import part_requests
from handlers.render.plots.forms.drawing import Look, draw
from handlers.words.document_parts import (
    AssetPart,
    AuthorPart,
    DocumentParts,
    VariablePart,
    VisPart,
)
from handlers.words.plot import Plot

FOLDER = Path(__file__).parent / "corpus"
NAMES = tuple(sorted(path.name.removesuffix(".md") for path in FOLDER.glob("*.md")))
YEARS = "\n".join(
    f"{year},{3.1 + 0.22 * (year - 2010):.1f},{6.4 - 0.1 * (year - 2010):.1f}" for year in range(2010, 2027)
)
PLOTS = {
    "/u/ann/p/sales": Plot(
        "region,2025,2026\nBergen,3.4,4.2\nOslo,5.1,5.3\n", {"type": "gbar", "title": "Revenue"}
    ),
    "/u/ann/p/calls": Plot(
        "type,2025,2026\nFeeder,412,468\nCargo,188,179\nBulk,57,66\nTanker,94,97\nCruise,41,58\n",
        {"type": "gbar", "title": "Calls by type of ship", "caption": "Source: pilots' register"},
    ),
    "/u/ann/p/goods": Plot(
        "goods,share\nTimber,41\nFish,23\nSalt,14\nMachines,12\nOther,10\n",
        {"type": "donut", "title": "Goods by weight", "caption": "Per cent of the third quarter"},
    ),
    "/u/ann/p/traffic": Plot(
        f"year,Cars,Lorries\n{YEARS}\n", {"type": "line", "title": "Vehicles a day, thousands"}
    ),
    "/u/ann/p/costs": Plot(
        "option,MNOK\nDo nothing,38.2\nHolmen,44.6\nExtend,55.0\nThird party,61.3\n",
        {"type": "hbar", "title": "Cost over seven years"},
    ),
}  # fmt: skip
MARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 24" width="48" height="24">'
    '<path d="M2 20 Q12 2 24 12 T46 6" fill="none" stroke="#0b5a6e" stroke-width="4"/></svg>'
)
VALUES = {
    "growth": VariablePart("0.096", "relative", "+,.1%"),
    "fall": VariablePart("-0.041", "relative", "+,.1%"),
    "birds": VariablePart("212", "number", ",.0f"),
}


@cache
def picture(width: int, height: int) -> AssetPart:
    """A landscape of two colours that run into one another."""
    sky = Image.linear_gradient("L").resize((width, height))
    land = Image.new("RGB", (width, height), "#2f6f7a")
    made = io.BytesIO()
    Image.composite(land, Image.new("RGB", (width, height), "#e9d9b8"), sky).save(made, "JPEG", quality=80)
    return AssetPart(made.getvalue(), "image/jpeg")


@cache
def drawing(ref: str, width: int, height: int, mode: str, *, header: bool, caption: bool) -> str:
    """A plot as SVG."""
    look = Look(mode, width, height or None, header=header, caption=caption, transparent=True)
    return draw(PLOTS[ref], look).svg


def corpus_kind(name: str) -> str:
    """The kind of a document: the end of its name."""
    return name.rpartition(".")[2]


@cache
def corpus_document(name: str) -> Document:
    """A document of the corpus."""
    return read_document((FOLDER / f"{name}.md").read_text("utf-8"))


def corpus_look(name: str) -> DocumentLook:
    """The usual look of a document of the corpus."""
    return DocumentLook(corpus_kind(name), name=name.partition(".")[0], origin="example.org/u/ann/d/report")


def corpus_parts(name: str) -> DocumentParts:
    """Return all parts that a document of the corpus shows."""
    visuals = {}
    for one in part_requests(corpus_document(name), corpus_kind(name)).visuals:
        if one.ref in PLOTS:
            pictures = {
                mode: drawing(one.ref, one.width, one.height, mode, header=one.title, caption=one.caption)
                for mode in ("light", "dark")
            }
            visuals[one.key] = VisPart(pictures, f"Chart of {one.ref}", PLOTS[one.ref])
    return DocumentParts(
        visuals,
        {
            "photo.jpg": picture(1200, 640),
            "tall.jpg": picture(480, 720),
            "logo.svg": AssetPart(MARK.encode(), "image/svg+xml"),
            "broken.png": AssetPart(b"no picture", "image/png"),
        },
        {
            "ann": AuthorPart(
                "Ann Berg", "Runs the harbour office and counts birds on Sundays.", picture(96, 96)
            )
        },
        {f"/u/ann/d/report/v/{key}": value for key, value in VALUES.items()},
        {"/u/bob/p/secret": "it is not shared with the owner of this document"},
    )
