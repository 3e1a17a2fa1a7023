"""The port that wakes a thread that waits for work."""

from __future__ import annotations

from typing import Protocol


class WakeSignal(Protocol):
    """A signal of a change in any process."""

    def wake(self, seen: int, seconds: float | None) -> int:
        """Block until there may be work. Return a number to pass as `seen` the next time.

        Start with 0, which returns at once. A change after a call makes the next call return at once.
        """

    def signal(self) -> None:
        """Wake the waiting threads."""
