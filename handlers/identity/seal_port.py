"""The port of encryption at rest, and of signatures that only this installation can make."""

from __future__ import annotations

from typing import Protocol


class SealPort(Protocol):
    """Encryption at rest, which binds a text to its context; and signatures of texts."""

    def close(self, text: str, context: str) -> str:
        """Return the text, encrypted."""

    def open(self, text: str, context: str) -> str:
        """Return the decrypted text. Raises Invalid for another context or a lost key."""

    def mark(self, text: str) -> str:
        """Return a signature of a text that only this installation can make."""

    def is_mark_of(self, mark: str, text: str) -> bool:
        """Return whether the mark is this installation's signature of the text."""
