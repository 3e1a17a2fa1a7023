"""Lines of text in a terminal: their widths in columns, cut, broken and set to a side."""

from __future__ import annotations

import unicodedata

from handlers.words.terminal_signs import safe_words

LONGEST = 1000
MOST_LINES = 8
BLOCKS = "▁▂▃▄▅▆▇█"
"""Signs of rising heights."""


def signs(text: str) -> int:
    """Columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def plain_line(text: str) -> str:
    """A text without control characters, which a terminal would obey, on one line."""
    return safe_words(" ".join(text[:LONGEST].split()))


def wrap_line(text: str, width: int) -> list[str]:
    """A text in a few lines; words that are wider are broken."""
    lines, line = list[str](), ""
    for word in text.split():
        while signs(word) > width:
            head = cut_line(word, width, "") or word[0]
            lines += [line] * bool(line) + [head]
            line, word = "", word[len(head) :]
        longer = f"{line} {word}".strip()
        if line and signs(longer) > width:
            lines.append(line)
            line = word
        else:
            line = longer
        if len(lines) > MOST_LINES:
            return [*lines[: MOST_LINES - 1], cut_line(lines[MOST_LINES - 1] + "  ", width - 1, "") + "…"]
    return [*lines, line] if line else lines


def cut_line(text: str, width: int, mark: str) -> str:
    """The beginning of a text that fits, with a mark behind it."""
    kept, used = "", signs(mark)
    for sign in text:
        used += signs(sign)
        if used > width:
            break
        kept += sign
    return kept.rstrip() + mark


def place_line(text: str, width: int, side: str) -> str:
    """A text with blanks around it, at one side of its room or in the middle."""
    blanks = max(0, width - signs(text))
    left = {"left": 0, "right": blanks, "center": blanks // 2}[side]
    return " " * left + text + " " * (blanks - left)
