"""Typefaces of a whole document: each embedded once, with the letters that any of its sheets shows."""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from typing import Any

import pikepdf
import pydyf

from handlers.render.documents.pdf.printed_sheet import PrintedSheet

OPTIONS = {"hinting": False, "pdf_version": "1.7"}


def embed_fonts(whole: pikepdf.Pdf, sheets: Sequence[PrintedSheet], tables: Sequence[pikepdf.Object]) -> None:
    """Write the typefaces of all sheets into the table of fonts that each sheet has.

    For letters that a typeface has not, a sheet chose numbers for itself: then it is embedded for that sheet.
    """
    fonts: dict[str, Any] = {}
    uses: list[tuple[pikepdf.Object, str, str]] = []
    for number, (sheet, table) in enumerate(zip(sheets, tables, strict=True)):
        for font in sheet.fonts:
            if font.to_unicode:
                key = f"{font.hash}.{number}" if font.missing else font.hash
                uses.append((table, f"/{font.hash}", key))
                _add(fonts, key, font)
    made = _table(whole, fonts)
    for table, name, key in uses:
        table[name] = made[f"/{key}"]


def _add(fonts: dict[str, Any], key: str, font: Any) -> None:
    if key not in fonts:
        fonts[key] = copy.copy(font)
        fonts[key].hash, fonts[key].widths, fonts[key].to_unicode = key, {}, {}
    for ours, theirs in ((fonts[key].widths, font.widths), (fonts[key].to_unicode, font.to_unicode)):
        ours.update((glyph, fact) for glyph, fact in theirs.items() if glyph not in ours)


def _table(whole: pikepdf.Pdf, fonts: dict[str, Any]) -> pikepdf.Object:
    """The table of all typefaces."""
    from weasyprint.pdf.fonts import build_fonts_dictionary

    pdf = pydyf.PDF()
    table = build_fonts_dictionary(pdf, fonts, True, True, OPTIONS)
    pdf.add_object(table)
    pdf.catalog["Fonts"] = table.reference
    written = io.BytesIO()
    pdf.write(written, b"1.7", compress=True)
    with pikepdf.open(written) as opened:
        return whole.copy_foreign(opened.Root.Fonts)
