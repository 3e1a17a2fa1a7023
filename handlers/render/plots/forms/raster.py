"""PNG of a drawn plot, in the typefaces of this program and, for signs that they lack, the system's."""

from __future__ import annotations

import re
from functools import cache

import resvg_py

from handlers.render.plots.look.type_metrics import FAMILY, FOLDER, STACK, has_letters

SCALES = (1, 2, 3)
EAST_ASIAN = re.compile(
    r"<text((?=[\s>])[^<>]*)>((?:(?!</?text[\s>]).)*?[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef])",
    re.DOTALL,
)
FAMILY_OF = re.compile(r' font-family="[^"]*"')
FACES = f'font-family="Noto Sans CJK SC, {STACK}"'


def png(svg: str, scale: int = 1) -> bytes:
    """Return the picture in pixels, `scale` of them for each of the drawing's."""
    return resvg_py.svg_to_bytes(
        svg_string=in_faces(svg),
        zoom=float(scale),
        font_files=_own_fonts(),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        skip_system_fonts=has_letters(svg),
    )


def in_faces(svg: str) -> str:
    """Return the drawing with a face for texts of East Asia, whose letters are those of the usual one.

    The drawing library would set such a text in the first face that it finds, which may be a serif.
    """
    return EAST_ASIAN.sub(lambda text: f"<text{FAMILY_OF.sub('', text[1])} {FACES}>{text[2]}", svg)


@cache
def _own_fonts() -> list[str]:
    """Return the files of the bundled typefaces."""
    return sorted(map(str, FOLDER.glob("*.ttf")))
