"""Settings of the data of a chart, and of single figures, parsed line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeVar

from handlers.render.plots.data.number_formats import BadFormat, CellNumberFormat, parse_number_format
from handlers.render.plots.data.series import RowOrder
from handlers.render.plots.plot_type import CHOICES

LONGEST_SHOWN = 60


class BadSetting(Exception):
    """Error in a setting: its line and column, counted from 1, the reason, and what to write."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.column, self.reason = line, column, reason


def read_choice(path: str, text: str, more: tuple[str, ...] = ()) -> str:
    """Return the value of a setting that accepts only some values; "" if blank. Raises BadSetting."""
    said = " ".join(text.split()).lower()
    known = (*CHOICES[path], *more)
    if said and said not in known:
        before = text[: len(text) - len(text.lstrip())]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise BadSetting(line, column, f'"{said[:LONGEST_SHOWN]}" is not one of {", ".join(known)}')
    return said


T = TypeVar("T")


def read_or_note(
    config: Mapping[str, str], path: str, read: Callable[[str], T], otherwise: T, notes: list[str]
) -> T:
    """Return the parsed setting at a path below `config`; if it is invalid, note why and use `otherwise`."""
    try:
        return read(config.get(path, ""))
    except BadSetting as wrong:
        notes.append(f"config/{path}: {wrong.reason}")
        return otherwise


def chosen(config: Mapping[str, str], path: str, notes: list[str], *more: str) -> str:
    """Return the value of a setting; note a value that it does not accept, and return ""."""
    return read_or_note(config, path, partial(read_choice, path, more=more), "", notes)


MOST_LINES = 8
MOST_COLUMNS = 8
STACK, LINE = "config/axis/stack", "config/combo/line"


@dataclass(frozen=True, slots=True)
class DataSettings:
    """Settings for the data, with sentences about invalid ones.

    `lines` are names of series that are drawn as lines over bars. `split` is the column by which a chart is
    split into panels ("": not split), with `columns` panels side by side (0: as many as fit), and `shared`
    axes or their own; `trend` asks for a straight line through the values of each series.
    """

    order: RowOrder = RowOrder.DATA
    shares: bool = False
    lines: tuple[str, ...] = ()
    split: str = ""
    columns: int = 0
    shared: bool = True
    trend: bool = False
    notes: tuple[str, ...] = ()


def read_lines(text: str) -> tuple[str, ...]:
    """Return the names of series that `combo/line` draws as lines. Raises BadSetting."""
    names = list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        names += [name for part in line.split(",") if (name := " ".join(part.split()))]
        if len(names) > MOST_LINES:
            raise BadSetting(number, 1, f"up to {MOST_LINES} series are lines over bars: name fewer")
    return tuple(names)


def read_split(text: str) -> str:
    """Return the name of the column that `split/by` splits by. Raises BadSetting."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        raise BadSetting(2, 1, "a chart is split by one column: write its name alone")
    return " ".join(text.split())


def read_columns(text: str) -> int:
    """Return the number of panels side by side, 0 for as many as fit. Raises BadSetting."""
    word = text.strip()
    if word in ("", "auto"):
        return 0
    if not (word.isascii() and word.isdigit() and 1 <= int(word[:4]) <= MOST_COLUMNS):
        raise BadSetting(1, 1, f'"{word[:60]}" is no number of columns: write auto, or 1 to {MOST_COLUMNS}')
    return int(word)


def read_data_settings(config: Mapping[str, str]) -> DataSettings:
    """Return the settings by their path below `config`; invalid ones are noted."""
    notes = list[str]()
    order = RowOrder(chosen(config, "axis/sort", notes) or RowOrder.DATA)
    shares = chosen(config, "axis/stack", notes) == "share"
    lines: tuple[str, ...] = read_or_note(config, "combo/line", read_lines, (), notes)
    split = " ".join(config.get("split/by", "").split())
    columns = read_or_note(config, "split/columns", read_columns, 0, notes)
    shared, trend = chosen(config, "split/axes", notes) != "own", chosen(config, "trend", notes) == "linear"
    return DataSettings(order, shares, lines, split, columns, shared, trend, tuple(notes))


SHORT_FORMAT = re.compile(r"[+]?,?(\.\d{1,2})?[f%]?")
"""Formats that variables have, too; without a precision they show no decimals. Others are cell formats."""
LONGEST = 120


@dataclass(frozen=True, slots=True)
class FigureSettings:
    """Settings of a figure: the direction that is `good`, and its format.

    `against` is the row that it is compared with ("": the one before), `than` the text for that row. With
    `labels`, other charts have the values at their ends beside the marks.
    """

    good: str = "up"
    against: str = ""
    format: str = ""
    than: str = ""
    labels: bool = False


def _read_name(text: str, what: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST:
        raise BadSetting(1, 1, f"{what} has up to {LONGEST} characters: shorten it")
    return name


def is_number_format(text: str) -> bool:
    """Return whether a text is a number format of charts, figures and table cells."""
    return bool(SHORT_FORMAT.fullmatch(text)) or cell_format(text) is not None


@lru_cache(maxsize=256)
def cell_format(text: str) -> CellNumberFormat | None:
    """Return the cell format of a text; None for a short format, or an invalid one."""
    try:
        return None if SHORT_FORMAT.fullmatch(text) else parse_number_format(text)
    except BadFormat:
        return None


def read_format(text: str) -> str:
    """Return the format of a figure. Raises BadSetting."""
    word = text.strip()
    if not is_number_format(word):
        said = f'"{word[:LONGEST_SHOWN]}" is no format'
        raise BadSetting(1, 1, f"{said}: write one such as ,.1f or .1%, $,.2f for money, or .3s for 1.28m")
    return word


READERS: Mapping[str, Callable[[str], str]] = {
    "against": partial(_read_name, what="the name of a row"),
    "format": read_format,
    "than": partial(_read_name, what="what a figure is compared with"),
}
"""The parsers of the settings, by their names below `config/value`."""


def read_figure_settings(config: Mapping[str, str], notes: list[str]) -> FigureSettings:
    """Return the settings by their path below `config`; invalid ones are noted."""
    said = {name: read_or_note(config, f"value/{name}", read, "", notes) for name, read in READERS.items()}
    good, labels = chosen(config, "value/good", notes), chosen(config, "value/labels", notes)
    return FigureSettings(**said, good=good or "up", labels=labels == "ends")
