"""Lines of terminals: how many columns signs take, and words within so many of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chains.language.drawing import column_width

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PART = re.compile(r"\x1b\[[0-9;]*m|.", re.DOTALL)
SCHEME = re.compile(r"(?:https?://|mailto:|tel:|www\.)\S", re.IGNORECASE)
END = "\x1b[0m"


def cells(text: str) -> int:
    """Columns that a text takes in a terminal."""
    bare = ESCAPE.sub("", text) if "\x1b" in text else text
    return len(bare) if bare.isascii() else sum(map(column_width, bare))


def is_address(word: str) -> bool:
    """Whether a mail program leads to a word that stands on one line, as it has an address in it."""
    at = word.find("@", 1)
    return bool(SCHEME.search(word)) or 0 < at < word.rfind(".", 0, len(word) - 1) - 1


def wrap(text: str, width: int, *, whole: bool = False) -> list[str]:
    """Lines of words that are no wider than asked, whatever colours are in them; `whole` cuts no address."""
    lines: list[str] = []
    for part in text.split("\n"):
        line, used = "", 0
        for word in part.split():
            for piece in [word] if whole and is_address(word) else cut(word, width):
                wide = cells(piece)
                if line and used + 1 + wide > width:
                    lines.append(line)
                    line, used = piece, wide
                else:
                    line, used = (f"{line} {piece}", used + 1 + wide) if line else (piece, wide)
        lines.append(line)
    return list(_close_colors(lines)) if text.strip() else []


def cut(word: str, width: int) -> list[str]:
    """A word in pieces that are no wider than asked."""
    if cells(word) <= width:
        return [word]
    pieces, piece, used = [], "", 0
    for part in PART.findall(word):
        wide = 0 if part.startswith("\x1b") else column_width(part)
        if used + wide > width and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + part, used + wide
    return [*pieces, piece]


def pad(text: str, width: int, side: str) -> str:
    """A text with spaces up to a width, at its `left`, `right` or `center`."""
    room = max(0, width - cells(text))
    left = {"right": room, "center": room // 2}.get(side, 0)
    return " " * left + text + " " * (room - left)


def hang(mark: str, lines: list[str]) -> list[str]:
    """Lines beside a mark."""
    space = " " * cells(mark)
    return [f"{space if index else mark}{line}".rstrip() for index, line in enumerate(lines or [""])]


def _close_colors(lines: list[str]) -> Iterator[str]:
    """Lines each of which ends the colours that it begins, and goes on with those of the one before."""
    open_ = ""
    for line in lines:
        line = open_ + line
        for mark in ESCAPE.findall(line[len(open_) :]):
            open_ = "" if mark == END else open_ + mark
        yield line + END * bool(open_)
