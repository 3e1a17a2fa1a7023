"""Lines of the logs, without secrets and control characters."""

from __future__ import annotations

import json
import logging
import re
from copy import copy
from dataclasses import asdict, dataclass

from vfs.cause import CAUSE


@dataclass(slots=True)
class RequestNotes:
    """The id, address and client of a request; its account, once that is known.

    The account exists: an unknown user name may be a password, typed in the wrong field. `is_logged` is set
    once the log has a line of it.
    """

    request: str = ""
    address: str = ""
    client: str = ""
    account: str | None = None
    is_logged: bool = False


OK, REFUSED, FAILED = "ok", "refused", "failed"

_CREDENTIAL = re.compile(r"clw_[A-Za-z0-9_-]{8,}")
_LONGEST = {"target": 300, "client": 80, "why": 80}
_LONG = 128


@dataclass(frozen=True, slots=True)
class SecurityLine:
    """An event that happened.

    `actor` did it, authenticated by `via` (a token, a session, a password, a run, or a command on the host).
    `account` is the account concerned, if it is another one or nobody is signed in. `target` is a path or a
    name, `why` a short reason. `folded` is the number of similar events that are not written.
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
        """Return the line: JSON in ASCII, shorter than the atomic size of a pipe."""
        named = {"request_id" if name == "request" else name: value for name, value in asdict(self).items()}
        plain = {
            name: plain_text(value, _LONGEST.get(name, _LONG)) if isinstance(value, str) else value
            for name, value in {"time": time, **named}.items()
            if value not in (None, "")
        }
        return f"{json.dumps(plain)}\n".encode("ascii")


def plain_text(text: str, most: int) -> str:
    """Return the text on one line, without credentials, cut at a number of characters."""
    masked = _CREDENTIAL.sub("clw_...", text)
    return "".join(sign if sign.isprintable() else "�" for sign in masked[:most])


FORM = "%(levelname)s %(name)s %(message)s"
INDENT = "  "


class PlainLines(logging.Formatter):
    """A line for each record, with its cause; unprintable characters are escaped, as in Python's `repr`.

    The lines of a traceback are indented, so that no text of an error can look like a record.
    """

    def __init__(self, form: str = FORM, dates: str | None = None) -> None:
        super().__init__(form, dates)

    def format(self, record: logging.LogRecord) -> str:
        """Format the record's line, and those of its traceback."""
        plain = copy(record)
        cause = f" [{CAUSE.get()}]" if CAUSE.get() else ""
        plain.msg, plain.args = escape_unseen(f"{record.getMessage()}{cause}"), None
        first, *rest = super().format(plain).split("\n")
        return "\n".join([first, *(f"{INDENT}{escape_unseen(line)}" for line in rest)])


def escape_unseen(words: str) -> str:
    """Escape characters that are not printable."""
    if words.isprintable():
        return words
    return "".join(sign if sign.isprintable() else _escape(sign) for sign in words)


def _escape(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
