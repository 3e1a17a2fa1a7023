"""Advice to who pushes what git itself refuses: a line of ours among git's own (gitprotocol-pack(5))."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from chains.builds.push_defects import canonical

REPORT, SAYING = b"\x01", b"\x02"
"""Bands of the answer: git's report to the program, and its words to the person."""

DEFECT = re.compile(rb"object [0-9a-f]{40,64}: ([A-Za-z0-9]{1,40}): ")
LONGEST_SAYING = 1 << 10
SHALLOW = b"shallow update not allowed"
UNSHALLOW = (
    "this copy of the repository is shallow (cloned with a depth), and the commits before are not here: "
    "git fetch --unshallow, and push again (a CI that checks out wants fetch-depth 0)"
)


def defect_advice(name: str) -> str:
    """The advice on a defect that git refuses a push for."""
    if known := canonical(name):
        return (
            f"{known} is a defect of an old commit, which cannot be mended without writing history anew. "
            f"The operator of this server can let it through: setting push_tolerates, here {known}"
        )
    return f"nothing lets {name} through here, since clones could suffer from it: push without that object"


def with_advice(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The answer to a push, with advice before git's report where git refused; anything else as it is."""
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
    """The size of the packet that begins here, its length included; None where there is none (yet)."""
    try:
        size = int(data[:4], 16) if len(data) >= 4 else None
    except ValueError:
        return None
    return size if size is None else max(size, 4)


class _Advice:
    """The lines to be said, gathered from git's words, which come in pieces of any size."""

    def __init__(self) -> None:
        self._heard = b""
        self._lines: list[str] = []
        self._said = False

    def before(self, payload: bytes) -> bytes:
        """The packets to say before this one."""
        band, words = payload[:1], payload[1:]
        if band == SAYING and not self._lines:
            self._heard = (self._heard + words)[-LONGEST_SAYING:]
            if found := DEFECT.search(self._heard):
                self._lines.append(defect_advice(found[1].decode()))
        if band != REPORT or self._said:
            return b""
        self._said = True
        if SHALLOW in words:
            self._lines.append(UNSHALLOW)
        return b"".join(_packet(SAYING + f"{line}\n".encode()) for line in self._lines)


def _packet(payload: bytes) -> bytes:
    return b"%04x%s" % (len(payload) + 4, payload)
