"""Lines of plain forms: words, tables and charts within the columns of a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from chains.language.drawing import column_width
from handlers.render.documents.markup.blocks import VisBox
from handlers.render.plots.forms.terminal.chart import MOST, has_rows, terminal_chart
from handlers.words.plot import Plot

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PART = re.compile(r"\x1b\[[0-9;]*m|.", re.DOTALL)
SCHEME = re.compile(r"(?:https?://|mailto:|tel:|www\.)\S", re.IGNORECASE)
END = "\x1b[0m"


def cells(text: str) -> int:
    """Return the columns that a text takes in a terminal."""
    bare = ESCAPE.sub("", text) if "\x1b" in text else text
    return len(bare) if bare.isascii() else sum(map(column_width, bare))


def is_address(word: str) -> bool:
    """Return whether a word contains an address, which mail programs link if it is on one line."""
    at = word.find("@", 1)
    return bool(SCHEME.search(word)) or 0 < at < word.rfind(".", 0, len(word) - 1) - 1


def wrap(text: str, width: int, *, whole: bool = False) -> list[str]:
    """Return lines of words within a width, with their colours; `whole` cuts no address."""
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
    """Return a word in pieces within a width."""
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
    """Return a text padded with spaces to a width, aligned `left`, `right` or `center`."""
    room = max(0, width - cells(text))
    left = {"right": room, "center": room // 2}.get(side, 0)
    return " " * left + text + " " * (room - left)


def hang(mark: str, lines: list[str]) -> list[str]:
    """Return lines after a mark."""
    space = " " * cells(mark)
    return [f"{space if index else mark}{line}".rstrip() for index, line in enumerate(lines or [""])]


def _close_colors(lines: list[str]) -> Iterator[str]:
    """Yield lines that each end their colours and continue those of the line before."""
    open_ = ""
    for line in lines:
        line = open_ + line
        for mark in ESCAPE.findall(line[len(open_) :]):
            open_ = "" if mark == END else open_ + mark
        yield line + END * bool(open_)


USUAL = 16
"""Lines of a chart without rows; others have a line for each row, within bounds."""


def chart_lines(block: VisBox, plot: Plot, width: int, *, colored: bool) -> str:
    """Return the chart of a box as text; a heading or caption of the box replaces the plot's own."""
    shown = plot.showing(titles=block.title and not block.heading, caption=block.caption and not block.words)
    rows = MOST[1] if has_rows(plot.type) else USUAL
    return terminal_chart(shown, width, rows, colored=colored)


NARROWEST = 8
BETWEEN = 2

Paint = Callable[[str], str]


def table_lines(
    rows: Sequence[Sequence[str]],
    sides: Sequence[str],
    width: int,
    bold: Paint,
    quiet: Paint,
    *,
    whole: bool = False,
) -> list[str]:
    """Return rows (the first is the head) in columns within a width; `whole` cuts no address."""
    widths = _widths([[cells(line) for line in column] for column in _columns(rows)], width)
    if widths is None or (whole and _cuts_addresses(rows, widths)):
        return list(_records(rows, width, bold, whole=whole))
    lines = [quiet((" " * BETWEEN).join("─" * wide for wide in widths))]
    head, *body = (_row(row, widths, sides) for row in rows)
    tall = any(len(row) > 1 for row in body)
    lines = [*map(bold, head), *lines]
    for index, row in enumerate(body):
        lines += ["", *row] if tall and index else row
    return lines


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    for index in range(len(rows[0])):
        yield [row[index] if index < len(row) else "" for row in rows]


def _widths(columns: Sequence[Sequence[int]], width: int) -> list[int] | None:
    """Return a width for each column, wide ones share the rest; None for too many columns."""
    wanted = [max(1, *column) for column in columns]
    room = width - BETWEEN * (len(wanted) - 1)
    if sum(wanted) <= room:
        return wanted
    if sum(min(wide, NARROWEST) for wide in wanted) > room:
        return None
    widths = [min(wide, NARROWEST) for wide in wanted]
    while (left := room - sum(widths)) > 0:
        short = [index for index, wide in enumerate(wanted) if widths[index] < wide]
        share = max(1, left // len(short))
        for index in short[: max(1, left)]:
            widths[index] += min(share, wanted[index] - widths[index], room - sum(widths))
    return widths


def _row(row: Sequence[str], widths: Sequence[int], sides: Sequence[str]) -> list[str]:
    parts = [wrap(row[index] if index < len(row) else "", wide) for index, wide in enumerate(widths)]
    return [
        (" " * BETWEEN)
        .join(
            pad(part[line] if line < len(part) else "", wide, side)
            for part, wide, side in zip(parts, widths, sides, strict=True)
        )
        .rstrip()
        for line in range(max(1, *map(len, parts)))
    ]


def _cuts_addresses(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> bool:
    """Return whether a column is narrower than an address in it."""
    return any(
        cells(word) > wide and is_address(word)
        for row in rows
        for text, wide in zip(row, widths, strict=False)
        for word in text.split()
    )


def _records(rows: Sequence[Sequence[str]], width: int, bold: Paint, *, whole: bool) -> Iterator[str]:
    """Yield each row as lines of names and values."""
    head, *body = rows
    for index, row in enumerate(body):
        if index:
            yield ""
        for name, value in zip(head, row, strict=False):
            label = f"{name}: " if cells(name) < width // 2 else ""
            yield from hang(bold(label) if label else "", wrap(value, width - cells(label), whole=whole))
