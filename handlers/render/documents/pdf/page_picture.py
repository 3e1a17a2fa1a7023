"""Pages of a PDF as PNG."""

from __future__ import annotations

import io

import pypdfium2

WIDEST = 4_000


def page_png(pdf: bytes, number: int = 0, width: int = 1_200) -> bytes:
    """A page in pixels, so many wide; the last one for any number beyond it."""
    with pypdfium2.PdfDocument(pdf) as opened:
        page = opened[min(max(0, number), len(opened) - 1)]
        scale = min(WIDEST, max(60, width)) / page.get_width()
        made = io.BytesIO()
        page.render(scale=scale).to_pil().convert("RGB").save(made, "PNG", compress_level=3)
    return made.getvalue()
