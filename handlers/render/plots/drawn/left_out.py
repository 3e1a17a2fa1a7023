"""Sentences about what a chart leaves out, and tooltips of its marks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_NAMED = 12
LONGEST_NAME = 40


@dataclass
class LeftOut:
    """Sentences about what is not drawn: for the `log` only, or also for the picture."""

    logged: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def log(self, sentence: str) -> None:
        """Note a sentence in the log only."""
        self.logged.append(sentence)

    def show(self, sentence: str) -> None:
        """Note a sentence in the log and below the picture, for its readers."""
        self.shown.append(sentence)


def count_words(count: int, one: str, verb: str = "is", verbs: str = "are") -> str:
    """Return a number of things with its verb: `1 row is`, `1,200 rows are`."""
    return f"{count:,} {one} {verb}" if count == 1 else f"{count:,} {one}s {verbs}"


def quote_names(names: Iterable[str]) -> str:
    """Return names in quotation marks; of many, the first ones and the number of the others."""
    known = list(names)
    written = [f'"{name[:LONGEST_NAME]}"' for name in known[:MOST_NAMED]]
    more = [f"{len(known) - MOST_NAMED:,} more"] if len(known) > MOST_NAMED else []
    *most, last = [*written, *more]
    return f"{', '.join(most)} and {last}" if most else last


LONGEST = 120


def tip_of(name: str, series: str, value: str) -> str:
    """Return the tooltip of a mark: its name, its series if there are several, and its value."""
    return f"{name[:LONGEST]}: {f'{series[:LONGEST]} ' if series else ''}{value}"
