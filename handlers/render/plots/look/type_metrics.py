"""Text in drawings: widths in the bundled font, lines, styles, directions, coordinates, and unique ids."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from html import unescape
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from handlers.words.plot import MarkedSpan

FAMILY = "Source Sans Pro"
STACK = f"{FAMILY}, 'Source Sans 3', 'Noto Sans', sans-serif"
"""Font families of every text; a name with a digit must be quoted, or no text is drawn at all."""
FOLDER = Path(__file__).resolve().parents[2] / "fonts"
FILES = {400: "SourceSansPro-Regular.ttf", 600: "SourceSansPro-Semibold.ttf", 700: "SourceSansPro-Bold.ttf"}
WIDE, USUAL = 1.0, 0.56
"""Widths, in em, of characters that the font lacks: East Asian ones, and others."""
EAST_ASIA = 0x2E80
BESIDE_THEM = 1.13
"""Factor by which other letters are wider in a text with East Asian ones, as their font draws both."""
ELLIPSIS = "…"


def text_width(text: str, size: float, weight: int = 400) -> float:
    """Return the width of a line in pixels, without kerning: up to one percent too large, never too small."""
    advances = _advances(weight)
    wide = sum(ord(sign) > EAST_ASIA for sign in text)
    em = sum(advances.get(ord(sign), USUAL) for sign in text if ord(sign) <= EAST_ASIA)
    return (wide * WIDE + em * (BESIDE_THEM if wide else 1.0)) * size


def widest(texts: Iterable[str], size: float, weight: int = 400) -> float:
    """Return the width of the widest of several lines, 0 without any."""
    return max((text_width(text, size, weight) for text in texts), default=0.0)


def has_letters(text: str) -> bool:
    """Return whether the bundled font has a glyph for every character of a text."""
    return text.isascii() or all(
        ord(sign) in _advances(400) or sign in "\n\u2067\u2069" for sign in set(text)
    )


def wrap(text: str, size: float, width: float, weight: int = 400, most: int = 3) -> list[str]:
    """Return a text in at most a number of lines within a width.

    An ellipsis shows that it is cut; two lines are balanced.
    """
    lines = _break(text.split(), size, width, weight, most + 1)
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] = cut(lines[-1] + ELLIPSIS, size, width, weight)
    if len(lines) == 2:
        return _balance(lines, size, width, weight)
    return lines or [""]


def cut(text: str, size: float, width: float, weight: int = 400) -> str:
    """Return a line that fits, cut with an ellipsis if necessary."""
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
    """Yield a very long word in hyphenated pieces, only as many as can be shown."""
    for _ in range(most):
        if not word or text_width(word[:400], size, weight) <= width:
            break
        lengths = range(min(len(word), 400) - 1, 0, -1)
        length = next((n for n in lengths if text_width(f"{word[:n]}-", size, weight) <= width), 1)
        hyphen = "" if ord(word[length - 1]) > EAST_ASIA else "-"
        yield word[:length] + hyphen
        word = word[length:]
    yield word[:400]


def _balance(lines: list[str], size: float, width: float, weight: int) -> list[str]:
    """Return two lines of about equal length if the second would be a single short word."""
    words = " ".join(lines).split()
    if len(words) < 3 or text_width(lines[1], size, weight) >= width * 0.3:
        return lines
    splits = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    best = min(splits, key=lambda pair: max(text_width(part, size, weight) for part in pair))
    return list(best)


@cache
def _advances(weight: int) -> dict[int, float]:
    """Return advance widths of a weight in em, by code point."""
    # Imported here, because processes that only parse documents do not need it.
    from fontTools.ttLib import TTFont

    font = TTFont(FOLDER / FILES[weight])
    units = font["head"].unitsPerEm
    widths = font["hmtx"]
    shown = {point: widths[glyph][0] / units for point, glyph in font.getBestCmap().items()}
    return {**shown, 0x2067: 0.0, 0x2069: 0.0}  # isolates, which are invisible


BOLD = 700
CODE_STACK = "'Source Code Pro', 'Noto Sans Mono', monospace"
CODE_SIZE = 0.94
CODE_EM = 0.6 * CODE_SIZE
"""Width of a letter of code, in em: its font is monospaced and a little smaller."""
MOST_TRIES = 4


def marked_lines(
    spans: Sequence[MarkedSpan], size: float, width: float, weight: int = 400, most: int = 3
) -> list[list[MarkedSpan]]:
    """Return the words in at most a number of lines within a width, broken as by `wrap`."""
    text, room = "".join(span.text for span in spans), width
    signs = [replace(span, text=sign) for span in spans for sign in span.text]
    for _ in range(MOST_TRIES):
        lines = _in_looks(wrap(text, size, room, weight, most), signs)
        beyond = max(_width(line, size, weight) for line in lines) - width
        if beyond <= 0 or not any(span.strong or span.code for span in spans):
            break
        room -= beyond
    return lines


def span_svg(span: MarkedSpan, size: float) -> str:
    """Return a span as SVG: links work if the drawing is part of a page, or opened separately."""
    look = ' font-weight="700"' if span.strong else ""
    look += ' font-style="italic"' if span.emphasis else ""
    look += f' font-family="{CODE_STACK}" font-size="{size * CODE_SIZE:.4g}"' if span.code else ""
    look += ' text-decoration="underline"' if span.href else ""
    drawn = f"<tspan{look}>{escape(span.text)}</tspan>" if look else escape(span.text)
    if not span.href:
        return drawn
    return f'<a href={quoteattr(span.href)} rel="noopener noreferrer">{drawn}</a>'


def _width(line: Sequence[MarkedSpan], size: float, weight: int) -> float:
    return sum(
        len(span.text) * CODE_EM * size
        if span.code
        else text_width(span.text, size, BOLD if span.strong else weight)
        for span in line
    )


def _in_looks(lines: Sequence[str], signs: Sequence[MarkedSpan]) -> list[list[MarkedSpan]]:
    """Return lines as styled spans; an added `-` or `…` has the style of the letter before it."""
    at, made = 0, []
    for line in lines:
        drawn = list[MarkedSpan]()
        while at < len(signs) and signs[at].text.isspace():
            at += 1
        for sign in line:
            if at < len(signs) and signs[at].text == sign:
                drawn.append(signs[at])
                at += 1
            else:
                drawn.append(replace(drawn[-1] if drawn else MarkedSpan(""), text=sign))
        made.append(drawn)
    return [_join_looks(line) for line in made]


def _join_looks(line: Sequence[MarkedSpan]) -> list[MarkedSpan]:
    """Return the letters, with adjacent ones of the same style joined."""
    return [
        replace(look, text="".join(sign.text for sign in run))
        for look, run in groupby(line, key=lambda sign: replace(sign, text=""))
    ]


def px(number: float) -> str:
    """Return pixels as they are written in SVG, rounded to a hundredth, without trailing zeros."""
    written = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if written in ("", "-0") else written


ISOLATE, END = "\u2067", "\u2069"
"""RIGHT-TO-LEFT ISOLATE and its end: all renderers support them, but some lack the property `direction`."""
LINE = re.compile(r"(<text\b[^<>]*>)([^<]*)(</text>)")
TO_THE_RIGHT, TO_THE_LEFT = "L", ("R", "AL")


def with_directions(svg: str) -> str:
    """Return the drawing with its right-to-left lines marked; text anchors do not change."""
    return svg if svg.isascii() else LINE.sub(_with_isolate, svg)


def is_to_the_left(text: str) -> bool:
    """Return whether the first directional letter runs from right to left (UAX 9, rules P2 and P3)."""
    kinds = (unicodedata.bidirectional(sign) for sign in text)
    first = next((kind for kind in kinds if kind == TO_THE_RIGHT or kind in TO_THE_LEFT), TO_THE_RIGHT)
    return first in TO_THE_LEFT


def _with_isolate(line: re.Match[str]) -> str:
    opening, text, closing = line.groups()
    return f"{opening}{ISOLATE}{text}{END}{closing}" if is_to_the_left(unescape(text)) else line[0]


_TAG = re.compile(r"<[^<>]*>")
_IDENTITY = re.compile(r"""((?<![\w-])id=["']|url\(["']?#|href=["']#)""")


def prefix_ids(svg: str, prefix: str) -> str:
    """Return a drawing whose ids, and references to them, begin with a prefix; its texts do not change."""
    return _TAG.sub(lambda tag: _IDENTITY.sub(rf"\g<1>{prefix}-", tag[0]), svg)
