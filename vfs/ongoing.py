"""What an answer that goes on for long asks between its pieces."""

from __future__ import annotations

from typing import Protocol


class Ongoing(Protocol):
    """Asked while an answer is still being made, from the thread that makes it."""

    def allowed(self) -> bool:
        """Whether the caller may still have the answer and is there to take it: asked before each piece."""
        ...

    def ask(self) -> None:
        """Ask once more whether the caller would be admitted. Raises VfsError as it would be refused now."""
        ...

    def over(self) -> bool:
        """Whether the service stops, so that the answer ends now; cheap, for whoever waits."""
        ...


class Unasked:
    """For callers of whom nothing is asked again, as in a command of the same process."""

    def allowed(self) -> bool:
        return True

    def ask(self) -> None:
        pass

    def over(self) -> bool:
        return False
