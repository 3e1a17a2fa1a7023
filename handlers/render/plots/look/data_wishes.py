"""Wishes for the data of a chart: the order of its rows, and stacks that are shares of a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from handlers.render.plots.data.series import RowOrder
from handlers.render.plots.look.setting_lines import BadSetting, word_of

T = TypeVar("T")

ORDERS = tuple(RowOrder)
STACKS = ("sum", "share")
PLACES = ("panel", "axis")
SPLIT_AXES = ("shared", "own")
TRENDS = ("none", "linear")
MOST_LINES = 8
MOST_COLUMNS = 8
STACK, LINE = "config/axis/stack", "config/combo/line"


@dataclass(frozen=True, slots=True)
class DataWishes:
    """Wishes of settings for the data, with sentences about what was not understood.

    `lines` are names of series that are drawn as lines over bars. `split` is the column by which a chart is
    split into panels ("": it is whole), so many `columns` of them side by side (0: as many as find room),
    with `shared` axes or their own; `trend` asks for a straight line through the values of each series.
    """

    order: RowOrder = RowOrder.DATA
    shares: bool = False
    lines: tuple[str, ...] = ()
    split: str = ""
    columns: int = 0
    shared: bool = True
    trend: bool = False
    notes: tuple[str, ...] = ()


def read_order(text: str) -> RowOrder:
    """The order that `axis/sort` asks for. Raises BadSetting."""
    return RowOrder(word_of(text, ORDERS) or RowOrder.DATA)


def read_stack(text: str) -> bool:
    """Whether `axis/stack` asks for shares. Raises BadSetting."""
    return word_of(text, STACKS) == "share"


def read_lines(text: str) -> tuple[str, ...]:
    """The names of series that `combo/line` asks to be lines. Raises BadSetting."""
    names = list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        names += [name for part in line.split(",") if (name := " ".join(part.split()))]
        if len(names) > MOST_LINES:
            raise BadSetting(number, 1, f"up to {MOST_LINES} series are lines over bars: name fewer")
    return tuple(names)


def read_place(text: str) -> bool:
    """Whether `combo/place` asks for lines on an axis of their own. Raises BadSetting."""
    return word_of(text, PLACES) == "axis"


def read_split(text: str) -> str:
    """The column by which `split/by` asks to split. Raises BadSetting."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        raise BadSetting(2, 1, "a chart is split by one column: write its name alone")
    return " ".join(text.split())


def read_columns(text: str) -> int:
    """The number of panels side by side, 0 for as many as find room. Raises BadSetting."""
    word = text.strip()
    if word in ("", "auto"):
        return 0
    if not (word.isascii() and word.isdigit() and 1 <= int(word[:4]) <= MOST_COLUMNS):
        raise BadSetting(1, 1, f'"{word[:60]}" is no number of columns: write auto, or 1 to {MOST_COLUMNS}')
    return int(word)


def read_axes(text: str) -> bool:
    """Whether panels share their axes. Raises BadSetting."""
    return word_of(text, SPLIT_AXES) != "own"


def read_trend(text: str) -> bool:
    """Whether `trend` asks for lines through the values. Raises BadSetting."""
    return word_of(text, TRENDS) == "linear"


def read_data_wishes(config: Mapping[str, str]) -> DataWishes:
    """The wishes of settings by their path below `config`; one that cannot be read is noted."""
    notes = list[str]()

    def wish(path: str, read: Callable[[str], T], otherwise: T) -> T:
        try:
            return read(config.get(path, ""))
        except BadSetting as wrong:
            notes.append(f"config/{path}: {wrong.reason}")
            return otherwise

    order = wish("axis/sort", read_order, RowOrder.DATA)
    shares = wish("axis/stack", read_stack, False)
    lines: tuple[str, ...] = wish("combo/line", read_lines, ())
    split = " ".join(config.get("split/by", "").split())
    columns, shared = wish("split/columns", read_columns, 0), wish("split/axes", read_axes, True)
    trend = wish("trend", read_trend, False)
    return DataWishes(order, shares, lines, split, columns, shared, trend, tuple(notes))
