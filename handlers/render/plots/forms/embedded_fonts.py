"""Fonts of forms: bundled font faces in SVG documents, and families on slides."""

from __future__ import annotations

import base64
import io
import re
from functools import cache
from typing import Any, NamedTuple

from handlers.render.plots.look.type_metrics import FAMILY, FILES, FOLDER


class FontFace(NamedTuple):
    """The classification of a font family, and its family for complex scripts, which office programs have.

    `panose` and `pitch` are attributes of ECMA-376 (21.1.2.3.7), as in the family's files.
    """

    panose: str
    pitch: int
    complex: str


SWISS, ROMAN, FIXED = 34, 18, 49
"""Pitch and class of letters: sans-serif, serif, monospaced."""
FACES = {
    FAMILY: FontFace("020B0503030403020204", SWISS, "Arial"),
    "Source Serif 4": FontFace("02040603050405020204", ROMAN, "Times New Roman"),
    "Source Code Pro": FontFace("020B0309030403020204", FIXED, "Courier New"),
}
"""The bundled families, with European letters."""


def face_attributes(family: str) -> str:
    """Return XML attributes by which programs find a similar family; "" for an unknown one."""
    face = FACES.get(family)
    return f' panose="{face.panose}" pitchFamily="{face.pitch}" charset="0"' if face else ""


def add_face(latin: Any, family: str) -> None:
    """Set the attributes of `face_attributes` on an element that names the family."""
    if face := FACES.get(family):
        latin.set("panose", face.panose)
        latin.set("pitchFamily", str(face.pitch))


def complex_family(family: str) -> str:
    """Return the family for Arabic, Hebrew and other complex scripts; for an unknown family, the same one."""
    return FACES[family].complex if family in FACES else family


CHARACTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2030), 0x20AC, 0x2212, 0x2191, 0x2193]
"""Characters of Latin scripts with their punctuation; others use the fonts of the reader."""
OPEN = re.compile(r"<svg\b[^>]*>")
WEIGHT = re.compile(r'font-weight(?:="|:)(\d+|bold)')
BOLD = 700
STYLE = re.compile(r'<style id="faces">(?:(?!<style).)*?</style>', re.DOTALL)


def with_fonts(svg: str) -> str:
    """Return the document with the fonts of its texts; unchanged without texts."""
    opening = OPEN.match(svg)
    if opening is None or "<text" not in svg:
        return svg
    end = opening.end()
    return f'{svg[:end]}<style id="faces">{face_rules(svg)}</style>{svg[end:]}'


def face_rules(drawn: str) -> str:
    """Return the font rules for a drawing or a page, by its weights."""
    said = {BOLD if word == "bold" else int(word) for word in WEIGHT.findall(drawn)}
    return "".join(_face(weight) for weight in sorted({400, *said} & FILES.keys()))


def without_fonts(svg: str) -> str:
    """Return the document without its fonts, to become part of another."""
    return STYLE.sub("", svg, count=1)


@cache
def _face(weight: int) -> str:
    """Return the rule of a font face, with the font in it."""
    # Imported here, because the library is large and processes that draw nothing do not need it.
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options()
    options.flavor, options.hinting = "woff", False
    options.layout_features, options.name_IDs = [], []
    options.drop_tables += ["GPOS", "GSUB", "GDEF"]
    font = TTFont(FOLDER / FILES[weight], recalcTimestamp=False)
    one = subset.Subsetter(options)
    one.populate(unicodes=CHARACTERS)
    one.subset(font)
    font.flavor = options.flavor
    packed = io.BytesIO()
    font.save(packed)
    source = base64.b64encode(packed.getvalue()).decode()
    return (
        f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};"
        f"src:url(data:font/woff;base64,{source}) format('woff')}}"
    )
