"""Date formats of cells: the directives of strftime that read alike everywhere, with names by language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from handlers.render.plots.data.number_formats import BadFormat
from handlers.words.language import language

DIRECTIVE = re.compile(r"%(-?[A-Za-z%])")
LONGEST = 40


@dataclass(frozen=True, slots=True)
class CellDateFormat:
    """Writes dates alike: `%d %b %Y` makes `20 Nov 2026`."""

    pattern: str

    def __call__(self, moment: datetime) -> str:
        """A moment as text."""
        return DIRECTIVE.sub(lambda found: DIRECTIVES[found[1]][0](moment), self.pattern)

    @property
    def spreadsheet_code(self) -> str:
        """The same format in the language of spreadsheets."""
        parts = DIRECTIVE.split(self.pattern)
        written = [
            DIRECTIVES[part][1] if index % 2 else _literal(part) for index, part in enumerate(parts) if part
        ]
        return "".join(written)


def parse_date_format(text: str) -> CellDateFormat:
    """The format that a text is. Raises BadFormat."""
    strange = next((one for one in DIRECTIVE.findall(text) if one not in DIRECTIVES), None)
    if len(text) > LONGEST or strange is not None or "%" in DIRECTIVE.sub("", text):
        named = " ".join(f"%{one}" for one in DIRECTIVES)
        raise BadFormat(f'"{text[:40]}" is no format of dates: it is made of {named}')
    return CellDateFormat(text)


def is_date_format(text: str) -> bool:
    """Whether a format is meant for dates: a `%` before a letter."""
    return bool(re.search(r"%-?[A-Za-z]", text))


def _literal(text: str) -> str:
    return "".join(sign if sign in " -/:.," else f'"{sign}"' for sign in text if sign != '"')


DIRECTIVES: Mapping[str, tuple[Callable[[datetime], str], str]] = {
    "Y": (lambda at: f"{at.year:04}", "yyyy"),
    "y": (lambda at: f"{at.year % 100:02}", "yy"),
    "m": (lambda at: f"{at.month:02}", "mm"),
    "-m": (lambda at: str(at.month), "m"),
    "b": (lambda at: language().short_months[at.month - 1], "mmm"),
    "B": (lambda at: language().months[at.month - 1], "mmmm"),
    "d": (lambda at: f"{at.day:02}", "dd"),
    "-d": (lambda at: str(at.day), "d"),
    "e": (lambda at: str(at.day), "d"),
    "a": (lambda at: language().short_days[at.weekday()], "ddd"),
    "A": (lambda at: language().days[at.weekday()], "dddd"),
    "H": (lambda at: f"{at.hour:02}", "hh"),
    "M": (lambda at: f"{at.minute:02}", "mm"),
    "S": (lambda at: f"{at.second:02}", "ss"),
    "q": (lambda at: str((at.month + 2) // 3), ""),
    "%": (lambda at: "%", '"%"'),
}
"""Directives, each with its function and its code in spreadsheets."""
