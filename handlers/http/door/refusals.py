"""Answers to what never reaches the application: malformed requests, and those beyond the worker's limits."""

from __future__ import annotations

from gunicorn.http.errors import (
    ExpectationFailed,
    LimitRequestHeaders,
    LimitRequestLine,
    UnsupportedTransferCoding,
)

from handlers.http.problems import raw_answer

_WORDS: dict[type[BaseException], str] = {
    LimitRequestLine: "line",
    LimitRequestHeaders: "headers",
    ExpectationFailed: "expectation",
    UnsupportedTransferCoding: "coding",
}


def malformed_answer(error: BaseException) -> bytes:
    """The whole answer to bytes that are no request."""
    word = next((word for kind, word in _WORDS.items() if isinstance(error, kind)), "malformed")
    return raw_answer(word, f"the request is malformed: {error}")


def broken_answer() -> bytes:
    """The whole answer to a request that failed outside of the application."""
    return raw_answer("broken", "something went wrong here")


def busy_answer(detail: str, *, by_caller: bool = False) -> bytes:
    """The whole answer to a request beyond the limits; `by_caller` when the others have room left."""
    return raw_answer("too many" if by_caller else "unavailable", detail)
