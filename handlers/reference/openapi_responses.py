"""The responses that the API's description refers to, and the description of the GraphQL view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from handlers.reference.openapi_schemas import TEXT, ref

SAID = {
    200: "done",
    201: "created",
    202: "accepted, still in progress",
    204: "done, without content",
    206: "a part of the content",
    304: "unchanged",
    400: "a malformed value, name or body; nothing was changed",
    401: "no credential, or an invalid one",
    403: "visible, but not allowed",
    404: "missing, or not visible to the caller",
    405: "a method that this path does not support",
    409: "the current state does not allow it, or the name is taken",
    410: "past its retention",
    412: "a precondition is not met",
    413: "too large",
    415: "a body of the wrong media type",
    416: "a range outside of the content",
    422: "the triggered run failed",
    429: "too many requests",
    503: "full or not available now",
    507: "no space left",
}
WITH: Mapping[int, Mapping[str, str]] = {
    200: {"ETag": "etag", "X-NVM-Type": "type", "X-NVM-Permissions": "letters", "X-NVM-Default": "default"},
    201: {"Location": "location"},
    202: {"Location": "location"},
    206: {"ETag": "etag", "Content-Range": "span"},
    304: {"ETag": "etag"},
    401: {"WWW-Authenticate": "challenge"},
    405: {"Allow": "allow"},
    416: {"Content-Range": "span"},
    429: {"Retry-After": "retry"},
    503: {"Retry-After": "retry"},
}
PROBLEM = ("application/problem+json", "text/plain")
EITHER = ("text/plain", "application/json")
CARRIED = {201: EITHER, 202: EITHER, 206: ("*/*",)}


def common_responses() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each response with its name."""
    yield "about", response(200, ("application/json",), {"Allow": "allow"}, "About")
    yield "folder", response(200, EITHER, WITH[200], "Listing")
    yield "either", response(200, EITHER, WITH[200])
    yield "said", response(200, EITHER)
    yield "result", response(200, ("*/*",))
    for status in SAID:
        if status >= 400:
            yield str(status), response(status, PROBLEM, WITH.get(status, {}), "Problem")
        elif status != 200:
            yield str(status), response(status, CARRIED.get(status, ()), WITH.get(status, {}))


def response(
    status: int,
    media: Iterable[str] = (),
    headers: Mapping[str, str] = MappingProxyType({}),
    schema: str = "",
) -> dict[str, Any]:
    """Return one response: the media types of its body, its headers by name, the schema of its JSON form."""
    described: dict[str, Any] = {"description": SAID[status]}
    if headers:
        described["headers"] = {name: ref("headers", key) for name, key in headers.items()}
    if content := {one: _content(one, schema) for one in media}:
        described["content"] = content
    return described


def _content(media: str, schema: str) -> Mapping[str, Any]:
    if media == "text/plain":
        return TEXT
    return {"schema": ref("schemas", schema)} if schema and "json" in media else {}


ERRORS = {"type": "object", "required": ["errors"], "properties": {"errors": {"type": "array"}}}
GRAPHQL: Mapping[str, Any] = {
    "operationId": "post_gql",
    "tags": ["service"],
    "summary": "the second, read-only view of the tree, in GraphQL (/docs/graphql)",
    "security": [{}, {"token": []}, {"session": []}],
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["query"],
                    "properties": {
                        "query": {"type": "string"},
                        "variables": {"type": ["object", "null"]},
                        "operationName": {"type": ["string", "null"]},
                        "extensions": {},
                    },
                    "additionalProperties": False,
                }
            }
        },
    },
    "responses": {
        "200": {
            "description": "the results of the query, and its errors",
            "content": {"application/json": {"schema": {"type": "object"}}},
        },
        **{
            status: {"description": SAID[int(status)], "content": {"application/json": {"schema": ERRORS}}}
            for status in ("400", "401", "403", "413", "415", "503")
        },
    },
}
