"""PlainLines: lines of the server's log, to which nobody's words add one."""

from __future__ import annotations

import logging
from copy import copy

FORM = "%(levelname)s %(name)s %(message)s"
INDENT = "  "


class PlainLines(logging.Formatter):
    """A line for each record; what does not print in its words is escaped, as in Python's `repr`.

    The lines of a traceback are indented, so that none of them, whoever worded the error, begins as a record.
    """

    def __init__(self, form: str = FORM, dates: str | None = None) -> None:
        super().__init__(form, dates)

    def format(self, record: logging.LogRecord) -> str:
        """The record's line, and those of its traceback."""
        plain = copy(record)
        plain.msg, plain.args = escape_unseen(record.getMessage()), None
        first, *rest = super().format(plain).split("\n")
        return "\n".join([first, *(f"{INDENT}{escape_unseen(line)}" for line in rest)])


def escape_unseen(words: str) -> str:
    """The words with an escape in place of each sign that is not to be seen."""
    if words.isprintable():
        return words
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in words)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
