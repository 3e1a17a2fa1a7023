"""Notation of numbers: the decimal mark of a file and of its columns, decided by all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.render.plots.data.figures_written import Figure

GROUPS = {"'": "apostrophe", " ": "blank", ",": "comma", ".": "point"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Figures of a column counted: how many one mark alone reads, and how many both, but differently.

    `short` tells of whole numbers below 1000 among them, as they stand in columns with groups of three.
    """

    point: int = 0
    comma: int = 0
    either: int = 0
    with_comma: int = 0
    short: bool = False

    @property
    def decided(self) -> bool | None:
        """Whether the decimal mark is a comma; None where the column alone does not tell."""
        return None if self.point == self.comma else self.comma > self.point


@dataclass(frozen=True, slots=True)
class Notation:
    """The notation of a file: its decimal mark, the marks of its groups, and whether the mark is a guess.

    `commas` has for each column whether a comma is its decimal mark, `guesses` the columns that were guessed.
    """

    comma: bool = False
    groups: tuple[str, ...] = ()
    commas: tuple[bool, ...] = ()
    guesses: tuple[int, ...] = ()
    differing: tuple[int, ...] = ()


def decide_notation(columns: Sequence[Sequence[Figure]], delimiter: str) -> Notation:
    """The notation of a file by the figures of its columns.

    A column follows what only one mark reads of it, else the other columns, else what its delimiter suggests.
    """
    evidence = [_weigh(figures) for figures in columns]
    decided = [one.decided for one in evidence]
    votes = Counter(one for one in decided if one is not None)
    known = votes[True] != votes[False]
    comma = votes[True] > votes[False] if known else delimiter == ";" and any(e.with_comma for e in evidence)
    commas, guesses = [], []
    for index, (one, own) in enumerate(zip(evidence, decided, strict=True)):
        told = own if own is not None else comma if known else _guess(one, delimiter)
        commas.append(told)
        if own is None and one.either and not known:
            guesses.append(index)
    if not known and guesses:
        comma = commas[guesses[0]]
    differing = [index for index, own in enumerate(decided) if own is not None and own != comma]
    return Notation(comma, _groups(columns, commas), tuple(commas), tuple(guesses), tuple(differing))


def _weigh(figures: Sequence[Figure]) -> Evidence:
    marked = [one for one in figures if not one.plain]
    point = sum(one.point and not one.comma for one in marked)
    comma = sum(one.comma and not one.point for one in marked)
    either = [one for one in marked if one.ambiguous]
    with_comma = comma + sum("," in one.digits for one in either)
    short = any(one.plain and not one.power and len(one.digits) < 4 for one in figures)
    return Evidence(point, comma, len(either), with_comma, short)


def _guess(one: Evidence, delimiter: str) -> bool:
    """Whether a comma is the decimal mark where a column has nothing but figures such as 1.200 or 1,200.

    Whole numbers below 1000 beside them say that three digits behind a mark are a group; files that are
    parted by commas are mostly written with a decimal point, those parted by semicolons with a comma.
    """
    if not one.either or delimiter == ",":
        return False
    if one.short:
        return not one.with_comma
    return delimiter == ";"


def _groups(columns: Sequence[Sequence[Figure]], commas: Sequence[bool]) -> tuple[str, ...]:
    """The marks that part groups of three, in words."""
    found: set[str] = set()
    for figures, comma in zip(columns, commas, strict=True):
        marks = "'" + (" ." if comma else " ,")
        for one in figures:
            if not one.plain:
                found.update(
                    mark for mark in marks if mark in one.digits and one.value(comma=comma) is not None
                )
    return tuple(sorted(GROUPS[mark] for mark in found))
