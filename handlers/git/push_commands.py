"""Commands of a push, counted while they arrive, and advice when git itself refuses one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chains.builds.repositories import canonical
from vfs.errors import Invalid, TooLarge

# For each command: two commits and a reference of at most 200 characters.
LARGEST_COMMAND = 1 << 10
# Git refuses these in a name (git check-ref-format), but only after its hooks have read the names.
_CONTROL = re.compile(rb"[\x01-\x1f\x7f]")
_DIGITS = 4
_HEX = frozenset(b"0123456789abcdefABCDEF")


def bound_commands(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield the pieces of a push with at most `most` commands. Raises TooLarge and Invalid."""
    count = _CommandCount(most)
    for piece in pieces:
        count.take(piece)
        yield piece


class _CommandCount:
    """Parses packet lines (gitprotocol-common) without storing them, up to the flush after the last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = self._size = self._skip = 0
        self._digits = b""
        self._is_over = False

    def take(self, piece: bytes) -> None:
        """Parse the next piece. Raises TooLarge for too many commands, Invalid for malformed packet lines."""
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
        """Refuse characters that would end or change lines, except for the packet line's own end."""
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


REPORT, SAYING = b"\x01", b"\x02"
"""Bands of the response: git's report to the program, and its text for the user."""

DEFECT = re.compile(rb"object [0-9a-f]{40,64}: ([A-Za-z0-9]{1,40}): ")
LONGEST_SAYING = 1 << 10
SHALLOW = b"shallow update not allowed"
UNSHALLOW = (
    "this copy of the repository is shallow (cloned with a depth), and the commits before are not here: "
    "git fetch --unshallow, and push again (a CI that checks out wants fetch-depth 0)"
)


def defect_advice(name: str) -> str:
    """Return the advice about a defect for which git refuses a push."""
    if known := canonical(name):
        return (
            f"{known} is a defect of an old commit, which cannot be corrected without rewriting history. "
            f"The operator of this server can let it through: setting push_tolerates, here {known}"
        )
    return f"nothing lets {name} through here, since clones could suffer from it: push without that object"


def with_advice(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the response to a push; after a refusal by git, advice comes before its report."""
    advice, held = _Advice(), b""
    for piece in pieces:
        ready, held = b"", held + piece
        while held and (size := _size(held)) is not None and len(held) >= size:
            ready += advice.before(held[4:size]) + held[:size]
            held = held[size:]
        if held and _size(held) is None and len(held) >= 4:
            ready, held = ready + held, b""
        if ready:
            yield ready
    if held:
        yield held


def _size(data: bytes) -> int | None:
    """Return the size of the packet that begins here, with its length; None if it is unknown."""
    try:
        size = int(data[:4], 16) if len(data) >= 4 else None
    except ValueError:
        return None
    return size if size is None else max(size, 4)


class _Advice:
    """The advice for the user, from git's output, which arrives in pieces of any size."""

    def __init__(self) -> None:
        self._received = b""
        self._lines: list[str] = []
        self._said = False

    def before(self, payload: bytes) -> bytes:
        """Return the packets to send before this one."""
        band, words = payload[:1], payload[1:]
        if band == SAYING and not self._lines:
            self._received = (self._received + words)[-LONGEST_SAYING:]
            if found := DEFECT.search(self._received):
                self._lines.append(defect_advice(found[1].decode()))
        if band != REPORT or self._said:
            return b""
        self._said = True
        if SHALLOW in words:
            self._lines.append(UNSHALLOW)
        return b"".join(_packet(SAYING + f"{line}\n".encode()) for line in self._lines)


def _packet(payload: bytes) -> bytes:
    return b"%04x%s" % (len(payload) + 4, payload)
