"""Refusals of a worker: what it turns away before the application answers, and the words for why."""

from __future__ import annotations

from collections.abc import Callable

from gunicorn.http.errors import (
    ExpectationFailed,
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)

MALFORMED = "malformed"
BROKEN = "broken"
CONNECTIONS = "connections"
MEMORY = "memory"
REQUESTS = "requests"
SHARE = "share"
SLOW = "slow"

_ANSWERED = (
    "line",
    "headers",
    "expectation",
    "coding",
    MALFORMED,
    BROKEN,
    CONNECTIONS,
    MEMORY,
    REQUESTS,
    SHARE,
)
TURNED_AWAY = frozenset(
    {*((word, True) for word in _ANSWERED), *((word, False) for word in (CONNECTIONS, MEMORY, SLOW))}
)
"""Each word with whether the client is answered, or its connection only closed, maybe amid an answer."""

Refuse = Callable[[str, str], bytes]
"""The whole answer to what never became a request, by the word for why and a sentence."""
CountRefusal = Callable[[str, bool], object]
"""Counts what was turned away, as TURNED_AWAY names it."""

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
        """Return the whole answer to a request that is turned away."""
        self._count(word, True)
        return self._refuse(word, detail)

    def note_closed(self, word: str) -> None:
        """Note that a connection is closed for a reason of ours."""
        self._count(word, False)


def malformed_word(error: BaseException) -> str:
    """Return the word for bytes that are no request."""
    return next((word for kind, word in _WORDS.items() if isinstance(error, kind)), MALFORMED)
