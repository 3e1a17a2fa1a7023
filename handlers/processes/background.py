"""Background loops of a process, each in its own thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

JOIN_SECONDS = 10


class BackgroundLoop(Protocol):
    """Work that continues until it is stopped."""

    def loop(self) -> None:
        """Work until `stop` is called."""

    def stop(self) -> None:
        """End the loop soon."""


@contextmanager
def background(loop: BackgroundLoop) -> Iterator[None]:
    """Run a loop in a thread during the block."""
    thread = threading.Thread(target=loop.loop, name=type(loop).__name__, daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.stop()
        thread.join(JOIN_SECONDS)
