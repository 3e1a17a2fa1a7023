"""Screen of a terminal: its size, colours and characters, lines of text, and rows of bars and cells."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from chains.language.drawing import column_width
from handlers.render.plots.charts.chart import Ramp
from handlers.render.plots.charts.value_axis import ValueAxis
from handlers.render.plots.data.dates_written import row_names
from handlers.render.plots.data.frame import Frame
from handlers.render.plots.data.numbers import alone, spread_of
from handlers.render.plots.data.series import totals
from handlers.render.plots.look.options import ChartOptions, Writer
from handlers.render.plots.look.palette import LIGHT, channels
from handlers.words.language import say
from handlers.words.terminal_signs import safe_words

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PART = re.compile(r"\x1b\[[0-9;]*m|.", re.DOTALL)
"""A colour mark, or a character."""
SCHEME = re.compile(r"(?:https?://|mailto:|tel:|www\.)\S", re.IGNORECASE)
END = "\x1b[0m"
LONGEST = 1000
MOST_LINES = 8
BLOCKS = "▁▂▃▄▅▆▇█"
"""Characters in order of height."""


def signs(text: str) -> int:
    """Return the columns that a text takes in a terminal, without its colours."""
    bare = ESCAPE.sub("", text) if "\x1b" in text else text
    return len(bare) if bare.isascii() else sum(map(column_width, bare))


def plain_line(text: str) -> str:
    """Return a text on one line without control characters."""
    return safe_words(" ".join(text[:LONGEST].split()))


def wrap_line(text: str, width: int) -> list[str]:
    """Return a text in a few lines; very long words are broken."""
    lines = wrap(text, width)
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[: MOST_LINES - 1], cut_line(lines[MOST_LINES - 1] + "  ", width - 1, "") + "…"]


def is_address(word: str) -> bool:
    """Return whether a word contains an address, which mail programs link if it is on one line."""
    at = word.find("@", 1)
    return bool(SCHEME.search(word)) or 0 < at < word.rfind(".", 0, len(word) - 1) - 1


def wrap(text: str, width: int, *, whole: bool = False) -> list[str]:
    """Return lines of words within a width, with their colours; with `whole`, addresses are not cut."""
    lines: list[str] = []
    for part in text.split("\n"):
        line, used = "", 0
        for word in part.split():
            for piece in [word] if whole and is_address(word) else cut(word, width):
                wide = signs(piece)
                if line and used + 1 + wide > width:
                    lines.append(line)
                    line, used = piece, wide
                else:
                    line, used = (f"{line} {piece}", used + 1 + wide) if line else (piece, wide)
        lines.append(line)
    return list(_close_colors(lines)) if text.strip() else []


def cut(word: str, width: int) -> list[str]:
    """Return a word in pieces within a width."""
    if signs(word) <= width:
        return [word]
    pieces, piece, used = [], "", 0
    for part in PART.findall(word):
        wide = 0 if part.startswith("\x1b") else column_width(part)
        if used + wide > width and piece:
            pieces.append(piece)
            piece, used = "", 0
        piece, used = piece + part, used + wide
    return [*pieces, piece]


def _close_colors(lines: list[str]) -> Iterator[str]:
    """Yield lines that each close their colours at the end, and repeat those that continue."""
    open_ = ""
    for line in lines:
        line = open_ + line
        for mark in ESCAPE.findall(line[len(open_) :]):
            open_ = "" if mark == END else open_ + mark
        yield line + END * bool(open_)


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


TONES = ("#1a7f97", "#d0600f", "#b06f9c", "#6168ff", "#2f9769", "#b3842b", "#b5535f", "#85837c")
"""Colours that are visible on black and on white."""
FILLS = "█▒▓░"
PARTS = " ▏▎▍▌▋▊▉"
SHADES = "·░▒▓█"
MOST_KEYS, LONGEST_KEY = 9, 24


def blocks(length: float) -> str:
    """Return a bar of a length in columns; its last column may be partial."""
    return "█" * int(length) + PARTS[int((length - int(length)) * 8)].strip()


@dataclass(frozen=True, slots=True)
class Screen:
    """Size in columns and rows, and colours, if any: `tones` of the series, or with `by_row` of the bars."""

    columns: int
    rows: int
    colored: bool
    tones: tuple[str, ...] = TONES
    by_row: bool = False

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
        """Return a bar of a length in columns; without colours its character distinguishes the series."""
        if self.colored or alone:
            return self.paint(blocks(length), color or self.tone(index))
        return FILLS[index % len(FILLS)] * (int(length) + (length % 1 >= 0.5))

    def keys(self, names: Sequence[str], marks: str = "") -> list[str]:
        """Return the characters of several series with their names, in a few lines; others are counted.

        The characters are `marks`, or those of bars.
        """
        lines, line = list[str](), ""
        for index, name in enumerate(names[: MOST_KEYS - 1] if len(names) > MOST_KEYS else names):
            mark = (
                self.paint(marks[index % len(marks)], self.tone(index))
                if marks
                else self.bar(2, index, alone=False)
            )
            entry = f"{mark} {self.name(name, min(LONGEST_KEY, self.columns - 3))}"
            if line and signs(line) + 2 + signs(entry) > self.columns:
                lines.append(line)
                line = ""
            line = f"{line}  {entry}" if line else entry
        rest = [say(f"({len(names) - MOST_KEYS + 1} others)")] if len(names) > MOST_KEYS else []
        return [*lines, line, *rest]

    def name(self, text: str, width: int) -> str:
        """Return a name cut to a number of columns."""
        line = plain_line(text)
        return line if signs(line) <= width else cut_line(line, width, "…")

    def axis_names(self, across: str, upward: str) -> str:
        """Return the line with the names of both axes; "" is no name."""
        room = self.columns // 2 - 3
        first = f"↑ {self.name(upward, room)}" if upward else ""
        last = f"{self.name(across, room)} →" if across else ""
        return first + last.rjust(max(0, self.columns - signs(first)))


def more_rows(count: int) -> list[str]:
    """Return the line with the number of rows that are left out."""
    return [say(f"({count:,} more {'row' if count == 1 else 'rows'})")] if count > 0 else []


def more_series(count: int) -> list[str]:
    """Return the line with the number of series that are left out."""
    return [say(f"({count:,} more series)")] if count > 0 else []


def more_columns(count: int) -> list[str]:
    """Return the line with the number of columns that are left out."""
    return [say(f"({count:,} more {'column' if count == 1 else 'columns'})")] if count > 0 else []


SIGNS = "●○◆◇■□▲△"
"""The characters of the series, which distinguish them without colours."""


def places_axis(values: Sequence[float | None], options: ChartOptions, *, zero: bool) -> ValueAxis:
    """Return the axis from the lowest value to the highest, or further by settings."""
    settings = options.values
    low, high = spread_of([*values, settings.low, settings.high, *([0.0] if zero else [])])
    log = settings.log and low > 0
    return ValueAxis((low, high), ("", ""), (low, high if high > low else low + 1), log)


@dataclass(frozen=True, slots=True)
class RowMark:
    """A character that is repeated from one value to another, with a colour or ""."""

    start: float
    end: float
    sign: str
    tone: str = ""


def mark_line(screen: Screen, axis: ValueAxis, marks: Iterable[RowMark], wide: int) -> str:
    """Return the marks of a row in a number of columns; if several overlap, the last one is visible."""
    cells = [(" ", "")] * wide
    for mark in marks:
        first, last = sorted(round(axis.position(end, wide - 1)) for end in (mark.start, mark.end))
        cells[first : last + 1] = [(mark.sign, mark.tone)] * (last + 1 - first)
    runs = groupby(cells, key=lambda cell: cell[1])
    parts = (("".join(sign for sign, _ in run), tone) for tone, run in runs)
    return "".join(screen.paint(text, tone) if tone else text for text, tone in parts).rstrip()


def write_rows(
    screen: Screen, names: Sequence[str], texts: Sequence[Sequence[str]], draw: Callable[[int, int], str]
) -> list[str]:
    """Return a line for each row: its name, its texts in columns, and the result of `draw`."""
    wide = sum(1 + max(map(signs, column), default=0) for column in texts)
    most = max(1, min(screen.columns // 3, screen.columns - wide - 5))
    columns = [[screen.name(name, most) for name in names], *texts]
    widths = [max(map(signs, column), default=0) for column in columns]
    room = max(0, screen.columns - sum(widths) - len(widths))
    lines = []
    for row in range(len(names)):
        cells = [place_line(column[row], wide, "right") for column, wide in zip(columns, widths, strict=True)]
        lines.append(" ".join([*cells, draw(row, room)]).rstrip())
    return lines


def write_marks(
    screen: Screen, axis: ValueAxis, names: Sequence[str], texts: Sequence[Sequence[str]],
    marks: Sequence[Iterable[RowMark]],
) -> list[str]:  # fmt: skip
    """Return a line for each row: its name, its texts in columns, and its marks."""
    return write_rows(screen, names, texts, lambda row, wide: mark_line(screen, axis, marks[row], wide))


def rows_shown(screen: Screen, count: int, below: int = 0) -> int:
    """Return the number of rows that fit above the last lines and the line that counts the others."""
    room = max(1, screen.rows - below)
    return count if count <= room else max(1, room - 1)


def block_line(values: Sequence[float | None], low: float, high: float) -> str:
    """Return a block for each value, as high as its position from `low` to `high`; a blank for a gap."""
    levels = (len(BLOCKS) - 1) / ((high - low) or 1)
    return "".join(" " if one is None else BLOCKS[int((one - low) * levels)] for one in values)


def write_bars(screen: Screen, frame: Frame, options: ChartOptions, *, stacked: bool) -> list[str]:
    """Return a line for each bar or stack; rows and series that do not fit are counted."""
    stacked = stacked and len(frame.series) > 1
    series = frame.series if stacked else frame.series[: max(1, screen.rows - 3)]
    key = screen.keys([column.name for column in series]) if len(series) > 1 else []
    lines_each = 1 if stacked or len(series) == 1 else len(series)
    unnamed = len(frame.series) - len(series)
    room = screen.rows - len(key) - bool(unnamed)
    most = frame.height if lines_each * frame.height <= room else max(1, (room - 1) // lines_each)
    shown = frame.latest(most)
    ends = totals(frame) if stacked else frame.values
    written = options.writer(ends)
    low, high = spread_of([0.0, *ends, options.values.low, options.values.high, *options.values.reach])
    amount = 1 + max(signs(written(value)) for value in ends if value is not None)
    rows = [row[: len(series)] for row in shown.number_rows]
    bars = [(row, index) for row in range(len(rows)) for index in range(lines_each)]

    def draw(at: int, wide: int) -> str:
        scale = BarScale(screen, low, high, amount, wide)
        row, index = bars[at]
        if not stacked:
            tone = row if screen.by_row else index
            return scale.bar(tone, rows[row][index], written, alone=len(series) == 1)
        text = "" if options.shares else written(math.fsum(number or 0.0 for number in rows[row]))
        return scale.stack(rows[row], text, outward=options.colors.of_answers)

    names = ["" if index else name for name in row_names(shown) for index in range(lines_each)]
    lines = write_rows(screen, names, (), draw)
    return [*lines, *key, *more_series(unnamed), *more_rows(frame.height - len(rows))]


class BarScale:
    """Scale of bars in `wide` columns, with the column of zero; texts of values have `amount` columns."""

    def __init__(self, screen: Screen, low: float, high: float, amount: int, wide: int) -> None:
        self.screen, self.amount = screen, amount
        before = amount if low < 0 else 0
        self.each = max(4, wide - amount - before) / ((high - low) or 1.0)
        self.left = round(-low * self.each) + before

    def bar(self, index: int, value: float | None, written: Writer, *, alone: bool) -> str:
        """Return one bar with its value at its end."""
        if value is None:
            return " " * self.left + "n/a"
        if value < 0:
            whole = max(0, min(self.left - self.amount, round(-value * self.each)))
            text = place_line(written(value), self.left - whole - 1, "right")
            return f"{text} {self.screen.bar(whole, index, alone=alone)}"
        return f"{' ' * self.left}{self.screen.bar(value * self.each, index, alone=alone)} {written(value)}"

    def stack(self, values: Sequence[float | None], text: str, *, outward: bool) -> str:
        """Return the parts of a stack, one after the other, and their sum.

        With `outward`, the first of the negative parts is the farthest from zero.
        """
        before = after = ""
        used = down = 0.0
        parts = [(index, value or 0.0) for index, value in enumerate(values)]
        for index, value in parts:
            end = used + max(0.0, value)
            after += self.screen.bar(round(end * self.each) - round(used * self.each), index, alone=False)
            used = end
        for index, value in reversed(parts) if outward else parts:
            end = down - min(0.0, value)
            part = round(end * self.each) - round(down * self.each)
            before = self.screen.bar(part, index, alone=False) + before
            down = end
        blank = " " * max(0, self.left - round(down * self.each))
        return f"{blank}{before}{after} {text}"


def write_cell(screen: Screen, ramp: Ramp, value: float | None, text: str, width: int) -> str:
    """Return a cell: its number on its colour, or without a text its colour or shade."""
    if value is None:
        return text or " " * width
    color = ramp.color(value)
    if text:
        return screen.paint(text, LIGHT.on(color), color)
    if screen.colored:
        return screen.paint(" " * width, color, color)
    if ramp.bounds:
        number = bisect_right(ramp.bounds, value)
        return (SHADES[number] if len(ramp.bounds) < len(SHADES) else str(number + 1)) * width
    return SHADES[min(len(SHADES) - 1, int(ramp.share(value) * len(SHADES)))] * width


def scale_lines(screen: Screen, ramp: Ramp, options: ChartOptions) -> list[str]:
    """Return the lines of the key: shades with the values of their ends, or each class with its shade."""
    classes = ramp.classes(options)
    if classes:
        each = max(1, (screen.columns + 2) // (max(signs(text) for _, text in classes) + 5))
        texts = [f"{write_cell(screen, ramp, value, '', 2)} {text}" for value, text in classes]
        return ["  ".join(texts[at : at + each]) for at in range(0, len(texts), each)]
    steps = [ramp.between(ramp.low, ramp.high, share / 4) for share in range(5)]
    cells = "".join(write_cell(screen, ramp, value, "", 2) for value in steps)
    return [f"{alone(ramp.low, options.unit)} {cells} {alone(ramp.high, options.unit)}"]
