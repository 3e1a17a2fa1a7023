"""Refusals of a worker: what it turns away before the application answers, and the words for why."""

from __future__ import annotations

from collections.abc import Callable

from gunicorn.http.errors import (
    ExpectationFailed,
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)

from handlers.server.application import Refuse

MALFORMED = "malformed"
BROKEN = "broken"
CONNECTIONS = "connections"
MEMORY = "memory"
REQUESTS = "requests"
SHARE = "share"
SLOW = "slow"
WORDS = frozenset({"line", "headers", "expectation", "coding", MALFORMED, BROKEN})
"""What is wrong with a request, or with us."""
LIMITS = frozenset({CONNECTIONS, MEMORY, REQUESTS, SHARE, SLOW})
"""Limits that were reached; SHARE is that of one client, SLOW its time."""

CountRefusal = Callable[[str, bool], object]
"""Counts what was turned away by the word for why; whether it was answered, or its connection only closed."""

_WORDS: dict[type[BaseException], str] = {
    LimitRequestLine: "line",
    LimitRequestHeaders: "headers",
    ExpectationFailed: "expectation",
    UnsupportedTransferCoding: "coding",
}


class Refusals:
    """The one way in which a worker turns somebody away, so that all of it is counted."""

    def __init__(self, refuse: Refuse, count: CountRefusal) -> None:
        self._refuse = refuse
        self._count = count

    def answer(self, word: str, detail: str) -> bytes:
        """The whole answer to a request that is turned away."""
        self._count(word, True)
        return self._refuse(word, detail)

    def note_closed(self, word: str) -> None:
        """Note that a connection is closed without an answer, or in the middle of one."""
        self._count(word, False)


def malformed_word(error: BaseException) -> str:
    """The word for bytes that are no request."""
    return next((word for kind, word in _WORDS.items() if isinstance(error, kind)), MALFORMED)
