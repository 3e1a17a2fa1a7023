"""Missing glyphs: characters of a text that no font of this server has; they appear as boxes."""

from __future__ import annotations

import ctypes
import os
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

TYPEFACES = Path(__file__).resolve().with_name("fonts") / "fonts.conf"
LIBRARY = "libfontconfig.so.1"
MOST_SHOWN = 10
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"}
"""Unicode categories whose characters have no glyph, or have one only in private fonts."""
SELECTORS = frozenset([*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
TEXTS = re.compile(r"<text(?=[\s>])[^<>]*>((?:(?!<text[\s>]).)*?)</text>", re.DOTALL)
TAGS = re.compile(r"<[^<>]*>")
LIBRARY_NOTE = re.compile(
    r'\.notdef glyph rendered for Unicode string unsupported by fonts: "(.*?)"', re.DOTALL
)


class _FontSet(ctypes.Structure):
    """FcFontSet of fontconfig: fonts, and their number."""

    _fields_ = (
        ("number", ctypes.c_int),
        ("room", ctypes.c_int),
        ("fonts", ctypes.POINTER(ctypes.c_void_p)),
    )


def svg_notes(svg: str) -> tuple[str, ...]:
    """Return a note about the missing glyphs of a drawing, or no note."""
    words = unescape(TAGS.sub("", "".join(TEXTS.findall(svg))))
    return letter_notes(missing_letters(words))


def letter_notes(signs: Iterable[str]) -> tuple[str, ...]:
    """Return a note about these characters, which no font has, or no note."""
    found = list(dict.fromkeys(signs))
    if not found:
        return ()
    shown = " ".join(found[:MOST_SHOWN]) + (" …" if len(found) > MOST_SHOWN else "")
    count = "1 character" if len(found) == 1 else f"{len(found):,} characters"
    return (f"no font on this server has {count} of the text: {shown}",)


def merge_notes(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes of the page library, with those about missing glyphs merged into one at the end."""
    others: list[str] = []
    signs: list[str] = []
    for note in notes:
        found = LIBRARY_NOTE.search(note)
        if found is None:
            others.append(note)
        else:
            signs += missing_letters(found[1]) or found[1]
    return (*others, *letter_notes(signs))


def missing_letters(text: str) -> list[str]:
    """Return the characters of a text that no font has, each once, in order."""
    return [sign for sign in dict.fromkeys(text) if sign > "\x7f" and not has_letter(ord(sign))]


@cache
def has_letter(point: int) -> bool:
    """Return whether a font of this server has a character; True if that is unknown."""
    if point in SELECTORS or unicodedata.category(chr(point)) in UNSEEN:
        return True
    sets = _letters()
    return not sets or any(_library().FcCharSetHasChar(one, point) for one in sets)


@cache
def _library() -> Any:
    """Return fontconfig, the library that also finds the fonts of documents."""
    library = ctypes.CDLL(LIBRARY)
    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.FcConfigGetFonts.restype = ctypes.POINTER(_FontSet)
    library.FcPatternGetCharSet.argtypes = (
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_void_p),
    )
    library.FcCharSetHasChar.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    return library


@cache
def _letters() -> tuple[int, ...]:
    """Return the character sets of all fonts of the program and the system; empty without fontconfig."""
    os.environ.setdefault("FONTCONFIG_FILE", str(TYPEFACES))
    try:
        library = _library()
    except OSError:
        return ()
    fonts = library.FcConfigGetFonts(library.FcInitLoadConfigAndFonts(), 0)
    found = []
    for at in range(fonts.contents.number if fonts else 0):
        signs = ctypes.c_void_p()
        if library.FcPatternGetCharSet(fonts.contents.fonts[at], b"charset", 0, signs) == 0 and signs.value:
            found.append(signs.value)
    return tuple(found)
