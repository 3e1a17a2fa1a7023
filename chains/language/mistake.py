"""Mistake: the error for a text written by a person, with the kind and the position."""

from __future__ import annotations

from enum import StrEnum

from vfs.errors import Invalid

EXCERPT = 80


class Mistake(Invalid):
    """A text that breaks the rules of its language.

    `label` is the kind of mistake, a member of the language's enumeration. `line` and `column` count
    characters from 1; both are 0 when the mistake has no single position. `excerpt` is the line in question,
    at most 80 characters of it. The error body contains the same as its one entry of `rejected` (decisions
    B7).
    """

    def __init__(
        self, label: StrEnum, reason: str, *, line: int = 0, column: int = 0, excerpt: str = ""
    ) -> None:
        where = f"line {line}, column {column}: " if line else ""
        entry = {"line": line, "column": column, "mistake": label.value, "reason": reason, "excerpt": excerpt}
        super().__init__(where + reason, rejected=[entry])
        self.label = label
        self.line = line
        self.column = column
        self.excerpt = excerpt

    @classmethod
    def at(cls, label: StrEnum, reason: str, text: str, line: int, column: int) -> Mistake:
        """Return the mistake at a position of a text."""
        return cls(label, reason, line=line, column=column, excerpt=_excerpt(text, line, column))


def _excerpt(text: str, line: int, column: int) -> str:
    """Return at most 80 characters of a line around `column`. `line` and `column` count from 1."""
    row = text.split("\n")[line - 1]
    start = max(0, column - EXCERPT // 2) if len(row) > EXCERPT else 0
    return row[start : start + EXCERPT].strip()
