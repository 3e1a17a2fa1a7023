"""Lines of the logs: made so that no secret and no control character comes through."""

from __future__ import annotations

import json
import logging
import re
from copy import copy
from dataclasses import dataclass

OK, REFUSED, FAILED = "ok", "refused", "failed"

_CREDENTIAL = re.compile(r"clw_[A-Za-z0-9_-]{8,}")
_LONGEST = {"target": 300, "client": 80, "why": 80}
_LONG = 128


@dataclass(frozen=True, slots=True)
class SecurityLine:
    """An event as it happened.

    `actor` did it, proved by `via` (a token, a session, a password, a run, or a command on the host);
    `account` is whose it is about where that is somebody else or nobody signed in; `target` is a path or a
    name, `why` a reason in a few words. `folded` tells how many more were like it and are not written.
    """

    event: str
    outcome: str = OK
    actor: str | None = None
    via: str | None = None
    account: str | None = None
    target: str | None = None
    why: str | None = None
    request: str | None = None
    address: str | None = None
    client: str | None = None
    folded: int | None = None

    def line(self, time: str) -> bytes:
        """Return the line: JSON in ASCII, shorter than what a pipe takes whole."""
        fields = {
            "time": time,
            "event": self.event,
            "outcome": self.outcome,
            "actor": self.actor,
            "via": self.via,
            "account": self.account,
            "target": self.target,
            "why": self.why,
            "request_id": self.request,
            "address": self.address,
            "client": self.client,
            "folded": self.folded,
        }
        plain = {
            name: plain_text(value, _LONGEST.get(name, _LONG)) if isinstance(value, str) else value
            for name, value in fields.items()
            if value not in (None, "")
        }
        return f"{json.dumps(plain)}\n".encode("ascii")


def plain_text(text: str, most: int) -> str:
    """Return the text on one line, without credentials, of at most so many characters."""
    masked = _CREDENTIAL.sub("clw_...", text)
    return "".join(sign if sign.isprintable() else "�" for sign in masked[:most])


FORM = "%(levelname)s %(name)s %(message)s"
INDENT = "  "


class PlainLines(logging.Formatter):
    """A line for each record; what does not print in its words is escaped, as in Python's `repr`.

    The lines of a traceback are indented, so that none of them, no matter who worded the error, begins as a
    record.
    """

    def __init__(self, form: str = FORM, dates: str | None = None) -> None:
        super().__init__(form, dates)

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's line, and those of its traceback."""
        plain = copy(record)
        plain.msg, plain.args = escape_unseen(record.getMessage()), None
        first, *rest = super().format(plain).split("\n")
        return "\n".join([first, *(f"{INDENT}{escape_unseen(line)}" for line in rest)])


def escape_unseen(words: str) -> str:
    """Return the words with an escape in place of each sign that is not to be seen."""
    if words.isprintable():
        return words
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in words)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
