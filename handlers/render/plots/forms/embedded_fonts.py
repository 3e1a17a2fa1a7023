"""Fonts of forms: bundled faces in SVG documents, and families on slides."""

from __future__ import annotations

import base64
import io
import re
from functools import cache
from typing import Any, NamedTuple

from handlers.render.plots.look.type_metrics import FAMILY, FILES, FOLDER


class FontFace(NamedTuple):
    """A family's classification and the family for complex scripts, which every office program has.

    `panose` and `pitch` are attributes of ECMA-376 (21.1.2.3.7), as the files of the family have them.
    """

    panose: str
    pitch: int
    complex: str


SWISS, ROMAN, FIXED = 34, 18, 49
"""Pitch and kind of letters: without serifs, with serifs, all of one width."""
FACES = {
    FAMILY: FontFace("020B0503030403020204", SWISS, "Arial"),
    "Source Serif 4": FontFace("02040603050405020204", ROMAN, "Times New Roman"),
    "Source Code Pro": FontFace("020B0309030403020204", FIXED, "Courier New"),
}
"""The families that come with the program: their letters are those of Europe."""


def face_attributes(family: str) -> str:
    """Attributes, in markup, by which a program without the family finds one like it; "" of one not known."""
    face = FACES.get(family)
    return f' panose="{face.panose}" pitchFamily="{face.pitch}" charset="0"' if face else ""


def add_face(latin: Any, family: str) -> None:
    """Set the same attributes on an element that names the family."""
    if face := FACES.get(family):
        latin.set("panose", face.panose)
        latin.set("pitchFamily", str(face.pitch))


def complex_family(family: str) -> str:
    """Return the family of Arabic, Hebrew and other complex scripts; one that is not known has its own."""
    return FACES[family].complex if family in FACES else family


CHARACTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2030), 0x20AC, 0x2212, 0x2191, 0x2193]
"""Of Latin scripts with their punctuation; others are drawn by the reader's own fonts."""
OPEN = re.compile(r"<svg\b[^>]*>")
WEIGHT = re.compile(r'font-weight(?:="|:)(\d+|bold)')
BOLD = 700
STYLE = re.compile(r'<style id="faces">(?:(?!<style).)*?</style>', re.DOTALL)


def with_fonts(svg: str) -> str:
    """Return the document with the faces of its texts; one without texts as it is."""
    opening = OPEN.match(svg)
    if opening is None or "<text" not in svg:
        return svg
    end = opening.end()
    return f'{svg[:end]}<style id="faces">{face_rules(svg)}</style>{svg[end:]}'


def face_rules(drawn: str) -> str:
    """Return the rules of the faces that a drawing or a page names by their weights."""
    said = {BOLD if word == "bold" else int(word) for word in WEIGHT.findall(drawn)}
    return "".join(_face(weight) for weight in sorted({400, *said} & FILES.keys()))


def without_fonts(svg: str) -> str:
    """Return the document without its faces, to be a part of another."""
    return STYLE.sub("", svg, count=1)


@cache
def _face(weight: int) -> str:
    """Return the rule of a face, its font inside."""
    # The library is large, and processes that draw nothing never cut a font.
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
