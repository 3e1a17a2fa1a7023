"""Lines of settings: what a line must say, with the line and the column of what is wrong."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_SHOWN = 60


class BadSetting(Exception):
    """Refusal of a setting: its line and column, counted from 1, the reason, and what to write."""

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.column, self.reason = line, column, reason


def word_of(text: str, words: Iterable[str]) -> str:
    """The one word, or the few, that a setting says; "" of a blank text. Raises BadSetting."""
    said = " ".join(text.split()).lower()
    known = tuple(words)
    if said and said not in known:
        before = text[: len(text) - len(text.lstrip())]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise BadSetting(line, column, f'"{said[:LONGEST_SHOWN]}" is not one of {", ".join(known)}')
    return said
