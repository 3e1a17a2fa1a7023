"""Reader: the person a page is written for, and their previous input; templates can use it anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from handlers.pages.framing import moments
from handlers.pages.framing.page_words import page_words


@dataclass(frozen=True, slots=True)
class Reader:
    """The person for whom a page is written.

    `zone` is their time zone, `look` their choice of light or dark. `typed` are the fields of a refused form
    by name, and `wrong` the sentences about the invalid ones: names of fields are unique in a page.
    """

    zone: str = "UTC"
    look: str = ""
    now: datetime = field(default_factory=moments.now)
    typed: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)


_present: ContextVar[Reader | None] = ContextVar("reader", default=None)


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Write pages for this reader until the end of the block."""
    token = _present.set(reader)
    try:
        yield
    finally:
        _present.reset(token)


def present() -> Reader:
    """Return the reader of the page that is being written; by default an anonymous one in UTC."""
    return _present.get() or Reader()


def text_of(name: str, otherwise: object = "", do: str = "") -> object:
    """Return the previous input of a field of a refused form; `otherwise` is the page's own value.

    With `do`, only the input of the form with that button: two forms of a page may have fields of one name.
    """
    return present().typed.get(name, otherwise) if _is_of(do) else otherwise


def is_ticked(name: str, kept: str, do: str) -> bool:
    """Return whether a checkbox is ticked: in the refused form with that button, else as `kept`."""
    typed = present().typed
    return (typed.get(name, "no") if typed.get("do") == do else kept) == "yes"


def wrong(name: str, do: str = "") -> str:
    """Return the sentence about an invalid field, of the form with that button; "" if it is valid."""
    return page_words(present().wrong.get(name, "")) if _is_of(do) else ""


def _is_of(do: str) -> bool:
    return do in ("", present().typed.get("do"))


def ago(stamp: str | None) -> str:
    """Return how long ago a time was, for the reader."""
    return moments.ago(stamp, present().now, present().zone)


def date(stamp: str) -> str:
    """Return the day of a time in full, for the reader."""
    return moments.date(stamp, present().zone)


def clock(stamp: str | None) -> str:
    """Return a time by day and clock, for the reader."""
    return moments.clock(stamp, present().now, present().zone)


def clock_time(stamp: str) -> str:
    """Return the time of day, for the reader."""
    return moments.clock_time(stamp, present().zone)


def exact(stamp: str | None) -> str:
    """Return a time to the second, for the reader."""
    return moments.exact(stamp, present().zone)
