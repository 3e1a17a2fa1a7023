"""Faces of letters on slides: a family, and what a machine without it puts in its place."""

from __future__ import annotations

from typing import Any, NamedTuple

from handlers.render.plots.look.type_metrics import FAMILY


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
    """The family of Arabic, Hebrew and other complex scripts; one that is not known has its own."""
    return FACES[family].complex if family in FACES else family
