"""Widths of text in the bundled typeface, and lines broken by them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

FAMILY = "Source Sans Pro"
STACK = f"{FAMILY}, 'Source Sans 3', 'Noto Sans', sans-serif"
"""Font families of every text; a name with a digit must be quoted, or no text is drawn at all."""
FOLDER = Path(__file__).resolve().parents[2] / "fonts"
FILES = {400: "SourceSansPro-Regular.ttf", 600: "SourceSansPro-Semibold.ttf", 700: "SourceSansPro-Bold.ttf"}
WIDE, USUAL = 1.0, 0.56
"""Widths, in em, of characters that the typeface lacks: of East Asia, and others."""
EAST_ASIA = 0x2E80
BESIDE_THEM = 1.13
"""How much wider all other letters of a text are that has some of East Asia, as one face has both."""
ELLIPSIS = "…"


def text_width(text: str, size: float, weight: int = 400) -> float:
    """Width of a line in pixels, without kerning: a percent above what is drawn, never below."""
    advances = _advances(weight)
    wide = sum(ord(sign) > EAST_ASIA for sign in text)
    em = sum(advances.get(ord(sign), USUAL) for sign in text if ord(sign) <= EAST_ASIA)
    return (wide * WIDE + em * (BESIDE_THEM if wide else 1.0)) * size


def widest(texts: Iterable[str], size: float, weight: int = 400) -> float:
    """Width of the widest of several lines, 0 without any."""
    return max((text_width(text, size, weight) for text in texts), default=0.0)


def has_letters(text: str) -> bool:
    """Return whether the bundled typeface has a letter for every sign of a text."""
    return text.isascii() or all(
        ord(sign) in _advances(400) or sign in "\n\u2067\u2069" for sign in set(text)
    )


def wrap(text: str, size: float, width: float, weight: int = 400, most: int = 3) -> list[str]:
    """A text in at most so many lines of at most that width.

    An ellipsis tells that more was there; two lines are balanced.
    """
    lines = _break(text.split(), size, width, weight, most + 1)
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] = cut(lines[-1] + ELLIPSIS, size, width, weight)
    if len(lines) == 2:
        return _balance(lines, size, width, weight)
    return lines or [""]


def cut(text: str, size: float, width: float, weight: int = 400) -> str:
    """A line that fits, its end replaced by an ellipsis where it does not."""
    if text_width(text, size, weight) <= width and not text.endswith(ELLIPSIS):
        return text
    kept = text.rstrip(ELLIPSIS)
    while kept and text_width(kept + ELLIPSIS, size, weight) > width:
        kept = kept[: -max(1, len(kept) // 50)]
    return kept.rstrip(" ,;-") + ELLIPSIS


def _break(words: list[str], size: float, width: float, weight: int, most: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in words:
        for piece in _pieces(word, size, width, weight, most):
            longer = f"{line} {piece}".strip()
            if line and text_width(longer, size, weight) > width:
                lines.append(line)
                line = piece
            else:
                line = longer
        if len(lines) > most:
            break
    return [*lines, line] if line else lines


def _pieces(word: str, size: float, width: float, weight: int, most: int) -> Iterable[str]:
    """A word that is longer than a line, in hyphened pieces; of an endless one no more than can be shown."""
    for _ in range(most):
        if not word or text_width(word[:400], size, weight) <= width:
            break
        fitting = (
            n
            for n in range(min(len(word), 400) - 1, 0, -1)
            if text_width(f"{word[:n]}-", size, weight) <= width
        )
        length = next(fitting, 1)
        hyphen = "" if ord(word[length - 1]) > EAST_ASIA else "-"
        yield word[:length] + hyphen
        word = word[length:]
    yield word[:400]


def _balance(lines: list[str], size: float, width: float, weight: int) -> list[str]:
    """Two lines of about equal length where the second would be a single short word."""
    words = " ".join(lines).split()
    if len(words) < 3 or text_width(lines[1], size, weight) >= width * 0.3:
        return lines
    splits = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    best = min(splits, key=lambda pair: max(text_width(part, size, weight) for part in pair))
    return list(best)


@cache
def _advances(weight: int) -> dict[int, float]:
    """Advance widths of a weight in em, by code point."""
    # Processes that only know the words of types measure no text.
    from fontTools.ttLib import TTFont

    font = TTFont(FOLDER / FILES[weight])
    units = font["head"].unitsPerEm
    widths = font["hmtx"]
    shown = {point: widths[glyph][0] / units for point, glyph in font.getBestCmap().items()}
    return {**shown, 0x2067: 0.0, 0x2069: 0.0}  # isolates, which are not seen
