"""Text with terminal colours as a drawing: each character in its cell; dots and blocks as shapes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from handlers.words.terminal_page import GROUNDS, TextStyle, styled_runs

FONT = "Source Code Pro"
# The font's characters are 0.6 of its size wide, and its box-drawing lines are 1.257 high.
SIZE, WIDTH, HEIGHT, BASE, MARGIN = 20, 12, 25, 19.5, 24
MOST_COLUMNS, MOST_LINES, TAB = 320, 400, 8
DIM = 0.7
BRAILLE = range(0x2800, 0x2900)
# The bits of a braille character, by column and row of its dots (Unicode 16, section 21.1).
DOTS = ((0, 1, 2, 6), (3, 4, 5, 7))


class Cell(NamedTuple):
    """A character at a column and line, `wide` columns wide."""

    sign: str
    column: int
    line: int
    wide: int
    style: TextStyle


def terminal_svg(text: str, mode: str = "light") -> str:
    """Return an SVG of a text on the background of a mode; its last line counts the lines left out."""
    ground, ink = GROUNDS.get(mode, GROUNDS["light"])
    text_lines = text.rstrip("\n").split("\n")
    if len(text_lines) > MOST_LINES:
        kept = MOST_LINES - 1
        text = "\n".join([*text_lines[:kept], f"\x1b[0m({len(text_lines) - kept:,} more lines)"])
    cells = list(_cells(text))
    columns = max((cell.column + cell.wide for cell in cells), default=1)
    lines = max((cell.line for cell in cells), default=0) + 1
    width, height = columns * WIDTH + 2 * MARGIN, lines * HEIGHT + 2 * MARGIN
    drawn = "".join(_draw(cell, ink) for cell in cells)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="{SIZE}">'
        f'<rect width="{width}" height="{height}" fill="{ground}"/>{drawn}</svg>'
    )


def _cells(text: str) -> Iterator[Cell]:
    """Yield the visible characters at their terminal positions."""
    column = line = 0
    for run, style in styled_runs(text):
        for sign in run:
            if sign == "\n":
                column, line = 0, line + 1
                if line >= MOST_LINES:
                    return
            elif sign == "\t":
                column += TAB - column % TAB
            elif not unicodedata.combining(sign) and column < MOST_COLUMNS:
                wide = 2 if unicodedata.east_asian_width(sign) in "WF" else 1
                if sign != " " or style.ground:
                    yield Cell(sign, column, line, wide, style)
                column += wide


def _draw(cell: Cell, ink: str) -> str:
    left, top = MARGIN + cell.column * WIDTH, MARGIN + cell.line * HEIGHT
    style, color = cell.style, cell.style.color or ink
    box = f'x="{left}" y="{top}" width="{cell.wide * WIDTH}" height="{HEIGHT}"'
    ground = f'<rect {box} fill="{style.ground}"/>' if style.ground else ""
    faint = f' opacity="{DIM}"' if "dim" in style.stress else ""
    if ord(cell.sign) in BRAILLE:
        return ground + f'<g fill="{color}"{faint}>{_dots(ord(cell.sign), left, top)}</g>'
    if cell.sign == "\u2588":
        return ground + f'<rect {box} fill="{color}"{faint}/>'
    if cell.sign == " ":
        return ground
    return (
        ground
        + f'<text x="{left}" y="{top + BASE}" fill="{color}"{faint}{_face(style)}>{escape(cell.sign)}</text>'
    )


def _dots(sign: int, left: int, top: int) -> str:
    """Return the dots of a braille character: four rows of two."""
    return "".join(
        f'<circle cx="{left + WIDTH * (2 * across + 1) / 4}" cy="{top + HEIGHT * (2 * down + 1) / 8}" r="2"/>'
        for across, bits in enumerate(DOTS)
        for down, bit in enumerate(bits)
        if sign >> bit & 1
    )


def _face(style: TextStyle) -> str:
    """Return the SVG attributes for the style of a run."""
    lines = [
        word
        for name, word in (("underlined", "underline"), ("struck", "line-through"))
        if name in style.stress
    ]
    return (
        (' font-weight="bold"' if "bold" in style.stress else "")
        + (' font-style="italic"' if "italic" in style.stress else "")
        + (f' text-decoration="{" ".join(lines)}"' if lines else "")
    )
