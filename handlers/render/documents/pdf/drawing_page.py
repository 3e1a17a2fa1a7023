"""A drawing as a PDF page of its own size: vectors with embedded fonts, and words for screen readers."""

from __future__ import annotations

import re
from hashlib import sha256
from html import escape

from handlers.render.documents.pages.media import SCHEME
from handlers.render.documents.pdf.typesetter import VARIANT, library_notes, typesetter
from handlers.words.document_parts import AssetPart
from handlers.words.language import language

FILE = "drawing.svg"
SIZE = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')
RULES = "@page{{margin:0;size:{0}px {1}px}}body{{margin:0}}img{{display:block;width:{0}px;height:{1}px}}"


def drawing_pdf(svg: str, title: str) -> bytes:
    """Return a page with the picture, a figure whose words are the title; always the same bytes."""
    library, size = typesetter(), SIZE.match(svg)
    rules = RULES.format(*size.groups()) if size else ""
    html = (
        f'<!doctype html><html lang="{language().tag}"><head><title>{escape(title)}</title>'
        f"<style>{rules}</style></head>"
        f'<body><img src="{SCHEME}{FILE}" alt="{escape(title)}"></body></html>'
    )
    fetcher = library.fetcher({FILE: AssetPart(svg.encode(), "image/svg+xml")})
    with library_notes():
        page = library.html(string=html, url_fetcher=fetcher, base_url=SCHEME, media_type="print")
        identity = sha256(svg.encode()).digest()[:16]
        body: bytes = page.write_pdf(font_config=library.fonts, pdf_variant=VARIANT, pdf_identifier=identity)
    return body
