"""Wishes for single figures: how they are written, what they are compared with, and what of it is good."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handlers.render.plots.look.setting_lines import LONGEST_SHOWN, BadSetting, word_of

GOOD = ("up", "down", "none")
FORMAT = re.compile(r"[+]?,?(\.\d{1,2})?[f%]?|[$€£]\d{1,2}m|\.\d{1,2}s")
LONGEST = 120


@dataclass(frozen=True, slots=True)
class FigureWishes:
    """Wishes for a figure: the way that is `good`, and its format.

    `against` is the row that it is compared with ("": the one before).
    """

    good: str = "up"
    against: str = ""
    format: str = ""


def read_good(text: str) -> str:
    """The way that is good. Raises BadSetting."""
    return word_of(text, GOOD) or "up"


def read_against(text: str) -> str:
    """The name of the row to compare with. Raises BadSetting."""
    name = " ".join(text.split())
    if len(name) > LONGEST:
        raise BadSetting(1, 1, f"the name of a row has up to {LONGEST} characters")
    return name


def read_format(text: str) -> str:
    """The format of a figure. Raises BadSetting."""
    word = text.strip()
    if not FORMAT.fullmatch(word):
        raise BadSetting(
            1, 1, f'"{word[:LONGEST_SHOWN]}" is no format: write one such as ,.1f or .1%, or $2m for millions'
        )
    return word


def read_figure_wishes(config: Mapping[str, str], notes: list[str]) -> FigureWishes:
    """The wishes of settings by their path below `config`; one that cannot be read is noted."""
    found = dict[str, str]()
    readers = (("good", read_good), ("against", read_against), ("format", read_format))
    for name, read in readers:
        try:
            found[name] = read(config.get(f"value/{name}", ""))
        except BadSetting as wrong:
            notes.append(f"config/value/{name}: {wrong.reason}")
    return FigureWishes(**found)
