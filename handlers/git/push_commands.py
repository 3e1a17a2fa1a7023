"""Commands of a push: the lines before its pack (gitprotocol-pack), counted while they come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from vfs.errors import Invalid, TooLarge

# For each command, of which one names two commits and a reference of at most 200 characters.
LARGEST_COMMAND = 1 << 10
# What git refuses in a name (git check-ref-format), but only after its hooks have read the names as lines.
_CONTROL = re.compile(rb"[\x01-\x1f\x7f]")
_DIGITS = 4
_HEX = frozenset(b"0123456789abcdefABCDEF")


def bound_commands(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """The pieces of a push, as long as it has at most so many commands. Raises TooLarge and Invalid."""
    count = _CommandCount(most)
    for piece in pieces:
        count.take(piece)
        yield piece


class _CommandCount:
    """Walks over packet lines (gitprotocol-common) without keeping them, up to the flush behind the last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = self._size = self._skip = 0
        self._digits = b""
        self._is_over = False

    def take(self, piece: bytes) -> None:
        """Take the next piece. Raises TooLarge for too many commands, Invalid for what is no packet line."""
        at = 0
        while at < len(piece) and not self._is_over:
            if self._skip:
                content = piece[at : at + self._skip]
                self._skip -= len(content)
                at += len(content)
                self._look_through(content)
                continue
            wanted = _DIGITS - len(self._digits)
            self._digits += piece[at : at + wanted]
            at += wanted
            if len(self._digits) == _DIGITS:
                self._begin_line()

    def _look_through(self, content: bytes) -> None:
        """Refuse signs that would end or change lines, but for the end of the packet line's own."""
        if self._skip == 0:
            content = content.removesuffix(b"\n")
        if _CONTROL.search(content):
            raise Invalid("The name of a branch or tag has a character that no name may have; rename it.")

    def _begin_line(self) -> None:
        if not _HEX.issuperset(self._digits):
            raise Invalid("The request is not a push as git sends it; use git push.")
        size, self._digits = int(self._digits, 16), b""
        if not size:
            self._is_over = True
            return
        if size <= _DIGITS:
            raise Invalid("The request is not a push as git sends it; use git push.")
        self._skip = size - _DIGITS
        self._count += 1
        self._size += size
        if self._count > self._most or self._size > self._most * LARGEST_COMMAND:
            raise TooLarge(
                f"One push may change {self._most:,} branches and tags; push fewer at a time.",
                limit=self._most,
            )
