"""AnswerMemory: whole answers, sent again to equal requests while nothing in the database has changed."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Hashable
from typing import NamedTuple, Protocol

MIB = 1 << 20
# By this name an environment holds what becomes of its answer.
KEEPING = "curlew.keeping"
# Requests whose first coming is remembered, to keep the answer of the second.
MOST_SIGHTS = 4096
# The part of the memory that one answer may take, and the bytes that each takes besides its own.
LARGEST_PART = 4
OVERHEAD = 512
KEY_BYTES = 16


class Repetition(Protocol):
    """All that happens when a request is answered once more, but for the answer."""

    id: str

    def repeat(self) -> str | None:
        """Note the request and the use of its credential; its id, None where it must be judged anew."""
        ...


class KeptAnswer(NamedTuple):
    """An answer without what changes from one to the next: `start` goes before the date, `pieces` after it.

    Between the pieces stands the request's id.
    """

    start: bytes
    pieces: list[bytes]
    repetition: Repetition
    version: Hashable
    size: int


class AnswerMemory:
    """Keeps answers of at most `most` bytes in all, under keyed digests of what was asked, by whom and where.

    All of them are of one version of the database; the first look after a commit empties the memory.
    """

    def __init__(self, version: Callable[[], Hashable | None], most: int = 16 * MIB) -> None:
        self._read_version, self._most = version, most
        self._seal = os.urandom(32)
        self._version: Hashable | None = None
        self._answers: dict[bytes, KeptAnswer] = {}
        self._sights: set[bytes] = set()
        self._size = 0
        self._turn = 0
        self._look: tuple[int, Hashable | None] = (-1, None)
        self._lock = threading.Lock()

    def key(self, place: bytes, request: bytes) -> bytes:
        """The key of a request, byte by byte as it came, of a connection from and to such a place."""
        digest = hashlib.blake2b(place, key=self._seal, digest_size=KEY_BYTES)
        digest.update(request)
        return digest.digest()

    def find(self, place: bytes, request: bytes) -> KeptAnswer | None:
        """The answer to an equal request; `is_good` says whether it may be given again."""
        return self._answers.get(self.key(place, request)) if self._answers else None

    def begin_turn(self) -> None:
        """Look again: requests that are there by now have come before the next look, and may share it."""
        self._turn += 1

    def is_good(self, answer: KeptAnswer) -> bool:
        """Whether nothing was committed since it was made, when this turn began or later."""
        version = self.look()
        return version is not None and answer.version == version

    def look(self) -> Hashable | None:
        """The version of the database when this turn began or later, asked for once a turn; None: unknown.

        All that is kept belongs to it afterwards.
        """
        turn, version = self._look
        if turn != self._turn:
            # Another thread may begin turns by the time that this one has its answer.
            turn = self._turn
            version = self._read_version()
            if version != self._version or version is None:
                with self._lock:
                    self._forget(version)
            self._look = turn, version
        return version

    def await_answer(self, place: bytes, request: bytes) -> AwaitedAnswer | None:
        """A place for the answer to a request that has come before, which is about to be answered."""
        if not self._most:
            return None
        key = self.key(place, request)
        if key in self._sights:
            return AwaitedAnswer(self, key)
        if len(self._sights) >= MOST_SIGHTS:
            self._sights.clear()
        self._sights.add(key)
        return None

    def keep(self, key: bytes, answer: KeptAnswer) -> None:
        """Keep an answer, unless its version is over or it is long."""
        if answer.size > self._most // LARGEST_PART:
            return
        with self._lock:
            if answer.version != self._version:
                return
            if self._size + answer.size > self._most:
                self._forget(self._version)
            old = self._answers.get(key)
            self._answers[key] = answer
            self._size += answer.size - (old.size if old is not None else 0)

    def _forget(self, version: Hashable | None) -> None:
        self._version = version
        if self._answers:
            self._answers, self._size = {}, 0


class AwaitedAnswer:
    """An answer on its way into the memory: begun before the application is called.

    The application sets `repetition` where the answer may be given again.
    """

    __slots__ = ("_key", "_memory", "_version", "repetition")

    def __init__(self, memory: AnswerMemory, key: bytes) -> None:
        self._memory, self._key = memory, key
        self._version: Hashable | None = None
        self.repetition: Repetition | None = None

    def begin(self) -> None:
        """Learn the version that the answer will be of: should it be of a later one, it is soon forgotten."""
        self._version = self._memory.look()

    def keep(self, start: bytes, rest: bytes) -> None:
        """Keep an answer that was sent whole: the line of its status, and all that follows the date."""
        repetition = self.repetition
        if repetition is not None and self._version is not None:
            pieces = rest.split(repetition.id.encode())
            size = len(start) + len(rest) + OVERHEAD
            self._memory.keep(self._key, KeptAnswer(start, pieces, repetition, self._version, size))
