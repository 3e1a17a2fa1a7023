"""ShownProgress of long commands: one line that is rewritten at a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

TERMINAL_SECONDS = 0.2
PLAIN_SECONDS = 10.0
WIPE = "\r\x1b[K"


class ShownProgress:
    """Tells on standard error what is being done, and how many of it."""

    def __init__(self) -> None:
        self._at_terminal = sys.stderr.isatty()
        self._pause = TERMINAL_SECONDS if self._at_terminal else PLAIN_SECONDS
        self._last = ("", 0)
        self._said = time.monotonic()

    def tell(self, what: str, done: int) -> None:
        """Hear of a thing that was done; it is said now and then."""
        if what != self._last[0]:
            self.end()
        self._last = what, done
        if time.monotonic() - self._said >= self._pause:
            self._say(end=not self._at_terminal)

    def end(self) -> None:
        """Say how many of the last thing were done in all."""
        if self._last[0]:
            self._say(end=True)
            self._last = "", 0

    def _say(self, *, end: bool) -> None:
        what, done = self._last
        click.echo(f"{WIPE if self._at_terminal else ''}{done:,} {what}", err=True, nl=end)
        self._said = time.monotonic()


@contextmanager
def progress() -> Iterator[ShownProgress]:
    """The progress of a command that SIGTERM ends as Ctrl-C does: what it had begun is taken back."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    shown = ShownProgress()
    try:
        yield shown
        shown.end()
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
