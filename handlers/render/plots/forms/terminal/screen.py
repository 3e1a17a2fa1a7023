"""Screen of a terminal: its size, its colours, its characters, and lines of text on it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from handlers.render.plots.look.options import read_options
from handlers.render.plots.look.palette import LIGHT, channels
from handlers.words.language import say
from handlers.words.terminal_signs import safe_words

LONGEST = 1000
MOST_LINES = 8
BLOCKS = "▁▂▃▄▅▆▇█"
"""Characters of rising heights."""


def signs(text: str) -> int:
    """Return the columns that a text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def plain_line(text: str) -> str:
    """Return a text on one line without control characters."""
    return safe_words(" ".join(text[:LONGEST].split()))


def wrap_line(text: str, width: int) -> list[str]:
    """Return a text in a few lines; very long words are broken."""
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
    """Return the part of a text that fits, with a mark if it is cut."""
    kept, used = "", signs(mark)
    for sign in text:
        used += signs(sign)
        if used > width:
            break
        kept += sign
    return kept.rstrip() + mark


def place_line(text: str, width: int, side: str) -> str:
    """Return a text padded with blanks, at one side or in the middle."""
    blanks = max(0, width - signs(text))
    left = {"left": 0, "right": blanks, "center": blanks // 2}[side]
    return " " * left + text + " " * (blanks - left)


ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
TONES = ("#1a7f97", "#d0600f", "#b06f9c", "#6168ff", "#2f9769", "#b3842b", "#b5535f", "#85837c")
"""Colours that are visible on black and on white."""
FILLS = "█▒▓░"
PARTS = " ▏▎▍▌▋▊▉"
SHADES = "·░▒▓█"
MOST_KEYS, LONGEST_KEY = 9, 24


@dataclass(frozen=True, slots=True)
class Screen:
    """Size in columns and rows, and colours, if any; `tones` are those of the series, or `by_row` of bars."""

    columns: int
    rows: int
    colored: bool
    tones: tuple[str, ...] = TONES
    by_row: bool = False

    @classmethod
    def of(
        cls,
        columns: int,
        rows: int,
        config: Mapping[str, str],
        names: Sequence[str] = (),
        *,
        colored: bool,
        by_row: bool = False,
        values: Sequence[float | None] = (),
    ) -> Screen:
        """Return the screen for a plot with its own colours first, or with those of names."""
        colors = read_options(config, "light").colors
        own = colors.series
        tones = (*own, *TONES[len(own) :])
        if not (colors.named or (by_row and colors.named.by_sign)):
            return cls(columns, rows, colored, tones)
        usual = [tones[0 if by_row else min(at, len(tones) - 1)] for at in range(len(names))]
        return cls(columns, rows, colored, colors.named.of(names, usual, values), by_row)

    def tone(self, index: int) -> str:
        """Return the colour of a series."""
        return self.tones[index] if index < len(self.tones) else LIGHT.rest

    def paint(self, text: str, color: str, ground: str = "") -> str:
        """Return a text in a colour, on a background if there is one."""
        if not self.colored or not text:
            return text
        behind = "\x1b[48;2;{};{};{}m".format(*channels(ground)) if ground else ""
        return "{}\x1b[38;2;{};{};{}m{}\x1b[0m".format(behind, *channels(color), text)

    def bar(self, length: float, index: int, *, alone: bool = True, color: str = "") -> str:
        """Return a bar of that many columns; without colours its character distinguishes the series."""
        whole, part = int(length), int((length - int(length)) * 8)
        if self.colored or alone:
            return self.paint("█" * whole + (PARTS[part] if part else ""), color or self.tone(index))
        return FILLS[index % len(FILLS)] * (whole + (part > 3))

    def keys(self, names: Sequence[str]) -> list[str]:
        """Return the characters of several series with their names, in a few lines; others are counted."""
        lines, line = list[str](), ""
        for index, name in enumerate(names[: MOST_KEYS - 1] if len(names) > MOST_KEYS else names):
            text = self.name(name, min(LONGEST_KEY, self.columns - 3))
            entry = f"{self.bar(2, index, alone=False)} {text}"
            if line and signs(ESCAPE.sub("", line)) + signs(text) + 5 > self.columns:
                lines.append(line)
                line = ""
            line = f"{line}  {entry}" if line else entry
        rest = [say(f"({len(names) - MOST_KEYS + 1} others)")] if len(names) > MOST_KEYS else []
        return [*lines, line, *rest]

    def name(self, text: str, width: int) -> str:
        """Return a name cut to a number of columns."""
        line = plain_line(text)
        return line if signs(line) <= width else cut_line(line, width, "…")


def more_rows(count: int) -> list[str]:
    """Return the line that says how many rows are left out."""
    return [say(f"({count:,} more {'row' if count == 1 else 'rows'})")] if count > 0 else []


def more_series(count: int) -> list[str]:
    """Return the line that says how many series are left out."""
    return [say(f"({count:,} more series)")] if count > 0 else []


def more_columns(count: int) -> list[str]:
    """Return the line that says how many columns are left out."""
    return [say(f"({count:,} more {'column' if count == 1 else 'columns'})")] if count > 0 else []
