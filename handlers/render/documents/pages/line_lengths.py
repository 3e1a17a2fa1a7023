"""Lengths of lines: headings with lines of similar length, code cut at a page's edge, and long words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from math import ceil

from handlers.render.documents.markup.blocks import (
    CodeBlock,
    DataTable,
    DocumentBlock,
    DocumentHeading,
    ImageBox,
    VisBox,
    spans_in,
    spans_of,
    walk_blocks,
)
from handlers.render.documents.markup.spans import Footnote, words_of
from handlers.render.plots.look.type_metrics import text_width

SLIDE_HEADS = ((110, "longer-head", 24.0, 30), (46, "long-head", 28.0, 35), (0, "short-head", 34.0, 42))
"""For headings of slides longer than this: their class, and their font size and line height in points."""
SLIDE_ROOM = 832.0
"""Width of a slide's line in points."""
MOST_WORDS, MOST_LINES = 40, 4
REGULAR, BOLD = 400, 700
LAST_LATIN, PUNCTUATION = 0x24F, range(0x2000, 0x2070)
LONGEST_NOTE = {"doc": 12, "pres": 2, "web": 12}
"""Most lines of a footnote, by kind of page."""
NOTE_SIZE, NOTE_LINE, NOTE_AIR, FOOT_AIR, HIGHEST_FOOT = 15.0, 20, 8, 18, 132
"""Points of a slide's footnotes: font size, line, space of each, space above all, and total limit."""
HANG = 4
PAGE, LINE = 48, 85
"""Lines of a page, and characters of a line."""
BREAKS = re.compile(r"[\s,;:/)\]}|&=+-](?=\S)")


def balanced_width(words: str, size: float, room: float) -> float:
    """Return the least width in em at which words need no more lines than in `room`; 0 for one line.

    `size` and `room` are points. Only scripts with known widths are balanced.
    """
    texts = words.split()
    if not 2 < len(texts) <= MOST_WORDS or not all(_is_measured(sign) for sign in words):
        return 0
    widths = [text_width(text, size, BOLD) for text in texts]
    space = text_width(" ", size, BOLD)
    lines = _count_lines(widths, space, room)
    if not 1 < lines <= MOST_LINES:
        return 0
    low, high = max(widths), room
    while high - low > size / 20:
        middle = (low + high) / 2
        low, high = (low, middle) if _count_lines(widths, space, middle) <= lines else (middle, high)
    return min(high * 1.015, room) / size


def slide_head(words: str) -> tuple[str, float]:
    """Return the class of a slide's heading, by its length, and its height in points."""
    return next(
        (name, line * slide_lines(words, size, BOLD))
        for most, name, size, line in SLIDE_HEADS
        if len(words) > most or not most
    )


def slide_lines(words: str, size: float, weight: int) -> int:
    """Return the number of lines that words need on a slide."""
    widths = [text_width(text, size, weight) for text in words.split()]
    lines = _count_lines(widths, text_width(" ", size, weight), SLIDE_ROOM)
    return max(lines, ceil(sum(widths) / SLIDE_ROOM))


def fold_code(text: str, signs: int) -> dict[int, int]:
    """Return the positions at which lines of code are broken, and the indentation of each rest."""
    places: dict[int, int] = {}
    start = 0
    for line in text.split("\n"):
        hang = min(len(line) - len(line.lstrip(" ")) + HANG, signs // 2)
        places |= {start + place: hang for place in _fold_line(line, signs, hang)}
        start += len(line) + 1
    return places


def _fold_line(line: str, signs: int, hang: int) -> Iterator[int]:
    start, room = 0, signs
    while len(line) - start > room:
        end = start + room
        breaks = (found.end() for found in BREAKS.finditer(line, start + room // 2, end + 1))
        start = max((place for place in breaks if place <= end), default=end)
        yield start
        room = signs - hang


def _count_lines(widths: list[float], space: float, room: float) -> int:
    lines, used = 1, 0.0
    for width in widths:
        if used and used + space + width > room:
            lines, used = lines + 1, width
        else:
            used += width + (space if used else 0)
    return lines


def _is_measured(sign: str) -> bool:
    return ord(sign) <= LAST_LATIN or ord(sign) in PUNCTUATION


def is_long(note: Footnote, kind: str) -> bool:
    """Return whether a footnote is too long for the foot of a page."""
    lines = sum(map(lines_of, note.blocks)) + len(words_of(note.spans)) // LINE
    return lines > LONGEST_NOTE[kind]


def foot_height(blocks: Iterable[DocumentBlock]) -> int:
    """Return the height of a slide's footnotes in points."""
    spans = (span for block in walk_blocks(tuple(blocks)) for span in spans_of(block))
    notes = [span for span in spans if isinstance(span, Footnote)]
    heights = [
        NOTE_AIR * (1 + len(note.blocks))
        + NOTE_LINE * slide_lines(f"0 {words_of(note.spans)}", NOTE_SIZE, REGULAR)
        + NOTE_LINE * sum(map(lines_of, note.blocks))
        for note in notes
        if not is_long(note, "pres")
    ]
    return min(HIGHEST_FOOT, FOOT_AIR + sum(heights)) if heights else 0


def lines_of(block: DocumentBlock) -> int:
    """Return the approximate number of lines of a block."""
    return sum(_own_lines(one) for one in walk_blocks((block,)))


def _own_lines(block: DocumentBlock) -> int:
    match block:
        case DocumentHeading():
            return 3
        case VisBox() | ImageBox():
            return PAGE // 3
        case CodeBlock():
            return 2 + block.text.count("\n") + len(block.text) // LINE
        case DataTable():
            return 3 + len(block.rows)
        case _:
            return 1 + sum(len(words_of(spans)) for spans in spans_in(block)) // LINE


LONGEST, PIECE = 100, 8
"""Length of words that get break opportunities, and number of letters between two of these."""
PLACE = "\u200b"
"""The zero width space, a break opportunity."""
EAST = "\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
"""Letters between which lines may break anyway."""
LETTER = rf"&#?\w{{1,31}};|[^\s<>&{EAST}]"
TOKENS = re.compile(rf"<(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*+>|((?<![^\s<>&{EAST}])(?:{LETTER}){{{LONGEST},}})")
LETTERS = re.compile(LETTER)
JOINED = ("Mn", "Me", "Mc", "Cf", "Sk")


def part_words(html: str) -> str:
    """Return HTML with break opportunities in very long words."""
    return TOKENS.sub(lambda found: PLACE.join(_pieces(found[1])) if found[1] else found[0], html)


def _pieces(word: str) -> Iterator[str]:
    letters = LETTERS.findall(word)
    start = 0
    while start < len(letters):
        end = start + PIECE
        while end < len(letters) and _joins(letters, end):
            end += 1
        yield "".join(letters[start:end])
        start = end


def _joins(letters: list[str], at: int) -> bool:
    """Return whether a letter belongs to the one before it."""
    near = letters[at - 1 : at + 1]
    return any(unicodedata.category(sign) in JOINED for sign in near if len(sign) == 1)
