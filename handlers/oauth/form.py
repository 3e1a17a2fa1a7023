"""Forms that applications send, and the shape of what they are told (RFC 6749, sections 3.2 and 5)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl

import orjson

from handlers.http.bodies.body import RequestBody
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, Answer

URLENCODED = "application/x-www-form-urlencoded"
LARGEST = 16 << 10
MOST_FIELDS = 32


class OAuthError(Exception):
    """A refusal under one of the words of the standard."""

    def __init__(self, error: str, description: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status


def read_form(head: RequestHead) -> Mapping[str, str]:
    """The fields of a form, each sent once at most; empty ones are none. Raises OAuthError, VfsError."""
    body = RequestBody(head.environ)
    if body.media != URLENCODED:
        raise OAuthError("invalid_request", f"send the fields as {URLENCODED}")
    raw = b"".join(body.chunks(LARGEST))
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise OAuthError("invalid_request", "the form is malformed, or not in UTF-8") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise OAuthError("invalid_request", "a field was sent twice")
    return {name: value for name, value in fields.items() if value}


def need(fields: Mapping[str, str], name: str) -> str:
    """A field that has to be there. Raises OAuthError."""
    if name not in fields:
        raise OAuthError("invalid_request", f"{name} is missing")
    return fields[name]


def json_answer(told: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """An answer that nobody keeps."""
    answer = Answer(status, body=orjson.dumps(told))
    answer.add("Content-Type", JSON)
    answer.add("Pragma", "no-cache")
    return answer


def error_answer(refused: OAuthError) -> Answer:
    """The answer to a refusal; its description holds what the standard allows there alone."""
    plain = refused.description.encode("ascii", "replace").decode().replace('"', "'").replace("\\", "/")
    return json_answer({"error": refused.error, "error_description": plain}, refused.status)
