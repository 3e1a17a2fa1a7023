"""Refusals of a worker: requests that it refuses before the application is called, with the reason."""

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
"""Each word, and whether the client gets a response or the connection is just closed."""

Refuse = Callable[[str, str], bytes]
"""Return the whole error response, for the word of the reason and a sentence."""
CountRefusal = Callable[[str, bool], object]
"""Counts refusals by the labels of TURNED_AWAY."""

_WORDS: dict[type[BaseException], str] = {
    LimitRequestLine: "line",
    LimitRequestHeaders: "headers",
    ExpectationFailed: "expectation",
    UnsupportedTransferCoding: "coding",
}


class Refusals:
    """The one way in which a worker refuses clients, so that all refusals are counted."""

    def __init__(self, refuse: Refuse, count: CountRefusal) -> None:
        self._refuse = refuse
        self._count = count

    def answer(self, word: str, detail: str) -> bytes:
        """Return the whole response to a refused request."""
        self._count(word, True)
        return self._refuse(word, detail)

    def note_closed(self, word: str) -> None:
        """Note that a connection is closed by the server."""
        self._count(word, False)


def malformed_word(error: BaseException) -> str:
    """Return the word for bytes that are not a valid request."""
    return next((word for kind, word in _WORDS.items() if isinstance(error, kind)), MALFORMED)
