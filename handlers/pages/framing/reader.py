"""Reader: whom a page is written for, and what they typed before it; templates ask for it from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime

from handlers.pages.framing import moments


@dataclass(frozen=True, slots=True)
class Reader:
    """The one for whom a page is written.

    `zone` is their time zone, `look` the one of light and dark that they chose. `typed` are the fields of a
    form that was refused, by name, and `wrong` the sentence about each field that is to blame: names of
    fields are unique in a page.
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
    """The reader of the page that is being written; somebody in UTC where none was named."""
    return _present.get() or Reader()


def text_of(name: str, otherwise: object = "") -> object:
    """The text that stood in a field when the form was refused; `otherwise` what the page has for it."""
    return present().typed.get(name, otherwise)


def wrong(name: str) -> str:
    """The sentence about what is wrong in a field; "" where nothing is."""
    return present().wrong.get(name, "")


def ago(stamp: str | None) -> str:
    """The words for how long ago a moment was, to the reader."""
    return moments.ago(stamp, present().now, present().zone)


def clock(stamp: str | None) -> str:
    """A moment by day and clock, to the reader."""
    return moments.clock(stamp, present().now, present().zone)


def clock_time(stamp: str) -> str:
    """The time of day of a moment, to the reader."""
    return moments.clock_time(stamp, present().zone)


def exact(stamp: str | None) -> str:
    """A moment to the second, to the reader."""
    return moments.exact(stamp, present().zone)
