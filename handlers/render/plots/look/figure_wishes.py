"""Wishes for single figures: how they are written, what they are compared with, and what of it is good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from handlers.render.plots.data.number_formats import BadFormat, CellNumberFormat, parse_number_format
from handlers.render.plots.look.setting_lines import LONGEST_SHOWN, BadSetting, word_of

GOOD = ("up", "down", "none")
LABELS = ("none", "ends")
SHORT_FORMAT = re.compile(r"[+]?,?(\.\d{1,2})?[f%]?")
"""Formats that variables have, too; without decimals they have none. All others are those of cells."""
LONGEST = 120


@dataclass(frozen=True, slots=True)
class FigureWishes:
    """Wishes for a figure: the way that is `good`, and its format.

    `against` is the row that it is compared with ("": the one before), `than` are words for that row. Marks
    of other charts have the values of their ends beside them with `labels`.
    """

    good: str = "up"
    against: str = ""
    format: str = ""
    than: str = ""
    labels: bool = False


def read_good(text: str) -> str:
    """The way that is good. Raises BadSetting."""
    return word_of(text, GOOD) or "up"


def read_labels(text: str) -> bool:
    """Whether values are written at the ends of marks. Raises BadSetting."""
    return word_of(text, LABELS) == "ends"


def read_against(text: str) -> str:
    """The name of the row to compare with. Raises BadSetting."""
    return _read_name(text, "the name of a row")


def read_than(text: str) -> str:
    """The words for what a figure is compared with. Raises BadSetting."""
    return _read_name(text, "what a figure is compared with")


def _read_name(text: str, what: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST:
        raise BadSetting(1, 1, f"{what} has up to {LONGEST} characters: shorten it")
    return name


def is_number_format(text: str) -> bool:
    """Whether a text is a format of numbers, as charts, figures and cells of tables have them."""
    return bool(SHORT_FORMAT.fullmatch(text)) or cell_format(text) is not None


@lru_cache(maxsize=256)
def cell_format(text: str) -> CellNumberFormat | None:
    """The format of cells that a text is; None for a short one, and for what is none."""
    try:
        return None if SHORT_FORMAT.fullmatch(text) else parse_number_format(text)
    except BadFormat:
        return None


def read_format(text: str) -> str:
    """The format of a figure. Raises BadSetting."""
    word = text.strip()
    if not is_number_format(word):
        said = f'"{word[:LONGEST_SHOWN]}" is no format'
        raise BadSetting(1, 1, f"{said}: write one such as ,.1f or .1%, $,.2f for money, or .3s for 1.28m")
    return word


READERS = {"good": read_good, "against": read_against, "format": read_format, "than": read_than,
           "labels": read_labels}  # fmt: skip
"""The readers of the settings, by their names below `config/value`."""


def read_figure_wishes(config: Mapping[str, str], notes: list[str]) -> FigureWishes:
    """The wishes of settings by their path below `config`; one that cannot be read is noted."""
    found = dict[str, Any]()
    for name, read in READERS.items():
        try:
            found[name] = read(config.get(f"value/{name}", ""))
        except BadSetting as wrong:
            notes.append(f"config/value/{name}: {wrong.reason}")
    return FigureWishes(**found)
