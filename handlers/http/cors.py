"""Pages of other origins: preflights answered apart, and what a setting allows them (the Fetch standard)."""

from __future__ import annotations

from http import HTTPStatus

from handlers.http.request_head import Asked, Front
from handlers.http.response import Answer

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_HEADERS = (
    "Accept, Authorization, Content-Type, If-Match, If-None-Match, Prefer, Range, X-History, X-Request-ID"
)
_EXPOSED = (
    "Allow, Content-Disposition, ETag, Location, Retry-After, "
    "X-NVM-Default, X-NVM-Permissions, X-NVM-Type, X-Request-ID"
)


def is_preflight(ask: Asked) -> bool:
    """Whether a browser asks what a page may send, rather than a client what it may do."""
    environ = ask.environ
    return (
        ask.method == "OPTIONS"
        and "HTTP_ORIGIN" in environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
    )


def preflight(ask: Asked, front: Front) -> Answer:
    """The answer to a preflight: empty, and with permissions for the origins of the setting alone."""
    answer = Answer(HTTPStatus.NO_CONTENT)
    if _allowed(ask, front):
        answer.add("Access-Control-Allow-Methods", _METHODS)
        answer.add("Access-Control-Allow-Headers", _HEADERS)
        answer.add("Access-Control-Max-Age", "600")
    return answer


def admit(ask: Asked, front: Front, answer: Answer) -> None:
    """Let the page that asked read the answer, when its origin is in the setting;
    cookies are never admitted.
    """
    if not front.origins:
        return
    origin = _allowed(ask, front)
    if origin:
        answer.add("Access-Control-Allow-Origin", origin)
        answer.add("Access-Control-Expose-Headers", _EXPOSED)


def _allowed(ask: Asked, front: Front) -> str | None:
    origin = ask.environ.get("HTTP_ORIGIN")
    if "*" in front.origins and origin:
        return "*"
    return origin if origin in front.origins else None
