"""Words for what never reaches the application: malformed requests, and those beyond the server's limits."""

from __future__ import annotations

from gunicorn.http.errors import (
    ExpectationFailed,
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)

MALFORMED = "malformed"
BROKEN = "broken"
TOO_MANY = "too many"
UNAVAILABLE = "unavailable"

_WORDS: dict[type[BaseException], str] = {
    LimitRequestLine: "line",
    LimitRequestHeaders: "headers",
    ExpectationFailed: "expectation",
    UnsupportedTransferCoding: "coding",
}


def malformed_word(error: BaseException) -> str:
    """The word for bytes that are no request."""
    return next((word for kind, word in _WORDS.items() if isinstance(error, kind)), MALFORMED)
