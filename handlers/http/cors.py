"""CORS: preflights, and the headers that let pages of other origins read answers (the Fetch standard)."""

from __future__ import annotations

from http import HTTPStatus

from handlers.http.request_head import Front, RequestHead
from handlers.http.response import Answer

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_HEADERS = (
    "Accept, Authorization, Content-Type, If-Match, If-None-Match, Mcp-Method, Mcp-Name, "
    "MCP-Protocol-Version, Prefer, Range, X-History, X-Request-ID"
)
_EXPOSED = (
    "Allow, Content-Disposition, ETag, Location, Retry-After, "
    "X-NVM-Default, X-NVM-Permissions, X-NVM-Type, X-Request-ID"
)


def is_preflight(head: RequestHead) -> bool:
    """Return whether this is a browser's preflight, rather than a client's OPTIONS."""
    environ = head.environ
    return (
        head.method == "OPTIONS"
        and "HTTP_ORIGIN" in environ
        and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
    )


def preflight(head: RequestHead, front: Front) -> Answer:
    """Return the response to a preflight: empty, with permissions only for configured origins."""
    answer = Answer(HTTPStatus.NO_CONTENT)
    if _allowed_origin(head, front):
        answer.add("Access-Control-Allow-Methods", _METHODS)
        answer.add("Access-Control-Allow-Headers", _HEADERS)
        answer.add("Access-Control-Max-Age", "600")
    return answer


def add_cors_headers(head: RequestHead, front: Front, answer: Answer) -> None:
    """Allow a page of a configured origin to read the response; cookies are never allowed."""
    if not front.origins:
        return
    origin = _allowed_origin(head, front)
    if origin:
        answer.add("Access-Control-Allow-Origin", origin)
        answer.add("Access-Control-Expose-Headers", _EXPOSED)


def _allowed_origin(head: RequestHead, front: Front) -> str | None:
    origin = head.environ.get("HTTP_ORIGIN")
    if "*" in front.origins and origin:
        return "*"
    return origin if origin in front.origins else None
