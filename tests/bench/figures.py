"""What the bench finds: figures with their bounds, and the tables that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, ours and the floor's median in `unit`, and the bound.

    With a floor the bound is for the ratio, else for our own figure; one that `is_aim` fails nothing.
    `skipped` says why there is none.
    """

    row: str
    what: str
    ours: float = 0.0
    floor: float | None = None
    unit: str = "ms"
    bound: float | None = None
    at_least: bool = False
    is_aim: bool = False
    skipped: str = ""

    @property
    def judged(self) -> float:
        """What the bound is for."""
        return self.ours if self.floor is None else self.ours / self.floor

    @property
    def holds(self) -> bool:
        """Whether the bound is held; True where there is none."""
        if self.bound is None or self.skipped:
            return True
        return self.judged >= self.bound if self.at_least else self.judged <= self.bound

    @property
    def passed(self) -> bool:
        """Whether the bench may end well with it."""
        return self.is_aim or self.holds

    @property
    def verdict(self) -> str:
        """A word for the table."""
        if self.skipped:
            return f"not measured: {self.skipped}"
        if self.bound is None:
            return ""
        if self.is_aim:
            return "met" if self.holds else "not met"
        return "PASS" if self.holds else "FAIL"

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        if self.skipped:
            return (self.row, self.what, "", "", "", self._bound(), self.verdict)
        floor = "" if self.floor is None else f"{self.floor:.4g} {self.unit}"
        ratio = "" if self.floor is None else f"{self.judged:.2f}"
        return (
            self.row,
            self.what,
            f"{self.ours:.4g} {self.unit}",
            floor,
            ratio,
            self._bound(),
            self.verdict,
        )

    def _bound(self) -> str:
        if self.bound is None:
            return ""
        unit = f" {self.unit}" if self.floor is None and not self.skipped else ""
        aim = "aim " if self.is_aim else ""
        return f"{aim}{'≥' if self.at_least else '≤'} {self.bound:g}{unit}"


HEAD = ("row", "what", "ours", "floor", "ratio", "bound", "")


def plain(figures: Iterable[Figure]) -> str:
    """The table for a terminal."""
    rows = [HEAD, *(figure.cells() for figure in figures)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEAD))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def in_turn(rounds: int, *measures: Callable[[], float]) -> list[float]:
    """The medians of several measures, made one after the other in each round."""
    found: list[list[float]] = [[] for _ in measures]
    for _ in range(rounds):
        for results, measure in zip(found, measures, strict=True):
            results.append(measure())
    return [median(results) for results in found]
