"""Roles of columns in a type, found by the names of columns in any case, or else by their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from handlers.render.plots.data.frame import Column, ColumnType, Frame
from handlers.render.plots.drawn.left_out import MOST_NAMED, LeftOut, quote_names

KINDS = {ColumnType.TEXT: "words", ColumnType.DATE: "dates", ColumnType.NUMBER: "numbers"}
NUMBERS, WORDS = frozenset({ColumnType.NUMBER}), frozenset({ColumnType.TEXT})
PLACES = frozenset({ColumnType.DATE, ColumnType.NUMBER})
ANY = frozenset(ColumnType)
LONGEST = 40


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """A role of a column in a type: its word, the possible names of the column, and its possible types.

    With `by_place` it is also found by order, if no column has one of the names.
    """

    word: str
    names: tuple[str, ...]
    kinds: frozenset[ColumnType] = NUMBERS
    by_place: bool = True


def find_roles(columns: Sequence[Column], roles: Sequence[ColumnRole], *needed: str) -> Mapping[str, Column]:
    """Return the column of each role that has one: first by name, then the others in order.

    Return an empty mapping if one of the `needed` roles has no column.
    """
    found: dict[str, Column] = {}
    used: set[int] = set()
    for by_name in (True, False):
        for role in roles:
            if role.word in found or not (by_name or role.by_place):
                continue
            for at, column in enumerate(columns):
                named = plain_name(column.name) in role.names
                if at not in used and column.type in role.kinds and (named or not by_name):
                    found[role.word] = column
                    used.add(at)
                    break
    return {
        role.word: found[role.word] for role in roles if role.word in found and found.keys() >= set(needed)
    }


def asking(find: Callable[[Frame], object], example: str) -> Callable[[Frame], str]:
    """Return the function that asks for columns, with an example, if they are missing."""
    return lambda frame: "" if find(frame) else example


def plain_name(name: str) -> str:
    """Return the name of a column in lower case, with blanks between its words."""
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def found_columns(frame: Frame) -> str:
    """Return the existing columns and their content, as text for an error."""
    named = [f'"{one.name[:LONGEST]}" ({KINDS[one.type]})' for one in frame.columns[:MOST_NAMED]]
    more = len(frame.columns) - MOST_NAMED
    return ", ".join([*named, *([f"{more:,} more"] if more > 0 else [])]) or "none"


def log_unused(frame: Frame, used: Sequence[Column], out: LeftOut) -> None:
    """Note the unused columns."""
    known = {id(column) for column in used}
    for kind, what in KINDS.items():
        names = [one.name for one in frame.columns if id(one) not in known and one.type is kind]
        if names:
            out.log(f"Not drawn, as {what}: {quote_names(names)}.")


def series_asked(frame: Frame, count: int, example: str) -> str:
    """Return the sentence that asks for a number of series; "" if there are enough."""
    numbers = [column for column in frame.columns if column.type is ColumnType.NUMBER]
    if len(numbers) >= count and (frame.axis is None or len(numbers) > count or frame.axis not in numbers):
        return ""
    columns = "a column of numbers" if count == 1 else "two columns of numbers"
    return f"names and {columns}, such as {example}"


def lacks_positive(frame: Frame) -> str:
    """Return a sentence if there is no value above zero."""
    return "" if any(value and value > 0 for value in frame.series[0].numbers) else "a value above 0"
