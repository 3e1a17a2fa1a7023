"""Problem details (RFC 9457, decisions B7): one table of statuses and one format of error bodies."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from chains.runs.states import RunFailed
from chains.spaces.locks import Locked
from handlers.http.headers import SANDBOX
from handlers.http.listings import METHODS, allow, methods
from handlers.http.request_head import RequestHead
from handlers.http.response import PLAIN, Answer
from handlers.words.terminal_signs import safe_json, safe_text
from vfs import errors
from vfs.ports.disk import RETRY_SECONDS

PROBLEM = "application/problem+json"


class ProblemType(NamedTuple):
    """The status of a class of errors, the anchor of its explanation, and its title."""

    status: HTTPStatus
    slug: str
    title: str


PROBLEM_TYPES: Mapping[type[errors.VfsError], ProblemType] = {
    errors.Invalid: ProblemType(HTTPStatus.BAD_REQUEST, "invalid", "malformed value or body"),
    errors.Unauthenticated: ProblemType(HTTPStatus.UNAUTHORIZED, "unauthenticated", "no valid credential"),
    errors.Denied: ProblemType(HTTPStatus.FORBIDDEN, "denied", "not allowed"),
    errors.NotFound: ProblemType(HTTPStatus.NOT_FOUND, "not-found", "not found"),
    errors.Unsupported: ProblemType(HTTPStatus.METHOD_NOT_ALLOWED, "unsupported", "not possible here"),
    errors.Conflict: ProblemType(HTTPStatus.CONFLICT, "conflict", "conflict with the present state"),
    errors.Gone: ProblemType(HTTPStatus.GONE, "gone", "past its retention"),
    errors.Outdated: ProblemType(HTTPStatus.PRECONDITION_FAILED, "outdated", "changed meanwhile"),
    errors.TooLarge: ProblemType(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", "too large"),
    errors.WrongMedia: ProblemType(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "wrong-media", "wrong media type"),
    errors.Unsatisfiable: ProblemType(
        HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, "unsatisfiable", "no such range"
    ),
    errors.QuotaReached: ProblemType(HTTPStatus.TOO_MANY_REQUESTS, "quota", "quota reached"),
    RunFailed: ProblemType(HTTPStatus.UNPROCESSABLE_ENTITY, "run-failed", "the run failed"),
    Locked: ProblemType(HTTPStatus.LOCKED, "locked", "locked"),
    errors.TooEarly: ProblemType(HTTPStatus.TOO_EARLY, "too-early", "already in progress"),
    errors.Unmet: ProblemType(HTTPStatus.FAILED_DEPENDENCY, "unmet", "requirement not met"),
    errors.TooMany: ProblemType(HTTPStatus.TOO_MANY_REQUESTS, "too-many", "too many requests"),
    errors.Unavailable: ProblemType(HTTPStatus.SERVICE_UNAVAILABLE, "unavailable", "unavailable for now"),
    errors.NoSpace: ProblemType(HTTPStatus.INSUFFICIENT_STORAGE, "no-space", "no space left"),
}
BROKEN = ProblemType(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "internal error")
MISDIRECTED = ProblemType(HTTPStatus.MISDIRECTED_REQUEST, "misdirected", "another host")
UNKNOWN_METHOD = ProblemType(HTTPStatus.NOT_IMPLEMENTED, "unsupported", "unknown method")

MALFORMED = {
    "malformed": ProblemType(HTTPStatus.BAD_REQUEST, "invalid", "malformed request"),
    "line": ProblemType(HTTPStatus.REQUEST_URI_TOO_LONG, "too-large", "the address is too long"),
    "headers": ProblemType(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too-large", "the headers are too large"
    ),
    "expectation": ProblemType(HTTPStatus.EXPECTATION_FAILED, "invalid", "unknown expectation"),
    "coding": ProblemType(HTTPStatus.NOT_IMPLEMENTED, "unsupported", "unknown transfer coding"),
    "share": PROBLEM_TYPES[errors.TooMany],
    "requests": PROBLEM_TYPES[errors.Unavailable],
    "memory": PROBLEM_TYPES[errors.Unavailable],
    "connections": PROBLEM_TYPES[errors.Unavailable],
}

# Members that are sent in a header only.
_ONLY_HEADERS = {"location", "size"}
OTHER_METHODS = frozenset({"TRACE", "CONNECT", "QUERY"})
_SANDBOXED = "".join(f"{name}: {value}\r\n" for name, value in SANDBOX)
_PATIENCE = 1
_LATER = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_BASIC = 'Basic realm="curlew", charset="UTF-8"'
_BEARER = 'Bearer realm="curlew"'


def refusal(error: errors.VfsError, head: RequestHead) -> Answer:
    """Return the response to an error, with the headers of its kind."""
    members = error.members
    answer = problem(problem_type_of(error), error.detail, head, members)
    if "location" in members:
        answer.add("Location", members["location"])
    if isinstance(error, errors.Unsupported):
        answer.add("Allow", allow(members.get("allow", ())))
    elif isinstance(error, errors.Unauthenticated):
        answer.add("WWW-Authenticate", _BASIC if head.by_password else _BEARER)
    elif isinstance(error, errors.QuotaReached) and "retry_after" not in members:
        pass
    elif (seconds := retry_after(error)) is not None:
        answer.add("Retry-After", str(seconds))
    elif isinstance(error, errors.Unsatisfiable):
        answer.add("Content-Range", f"bytes */{members['size']}")
    return answer


def retry_after(error: errors.VfsError) -> int | None:
    """Return the seconds after which a retry may succeed; None when waiting does not help."""
    usual = RETRY_SECONDS if isinstance(error, errors.NoSpace) else _PATIENCE
    passing = isinstance(error, errors.TooMany | errors.Unavailable | errors.NoSpace)
    seconds: int | None = error.members.get("retry_after", usual if passing else None)
    return seconds


def internal_error(head: RequestHead) -> Answer:
    """Return the response to an internal error: only the number under which the log has details."""
    return problem(BROKEN, f"the server failed on this request; its log has the error under {head.id}", head)


def unknown_method(head: RequestHead) -> Answer:
    """Return the response to a method that no file here accepts, or that HTTP does not have."""
    if head.method in OTHER_METHODS:
        return refusal(errors.Unsupported(f"no file here takes {head.method}", allow=tuple(METHODS)), head)
    return problem(UNKNOWN_METHOD, f'"{head.method[:40]}" is no method that this service knows', head)


def wrong_host(head: RequestHead) -> Answer:
    """Return the response to a request for a host that is not served; it links to this server."""
    port = str(head.environ.get("SERVER_PORT", ""))
    here = f"{head.environ['wsgi.url_scheme']}://localhost{':' * bool(port)}{port}"
    return problem(
        MISDIRECTED,
        "this server is on loopback and has no base_url, so it answers loopback names only, and this is"
        " another: use localhost or 127.0.0.1; to allow another name, set base_url to the address that people"
        " use (CURLEW_BASE_URL, or base_url in curlew.toml)",
        replace(head, origin=here),
    )


def problem_type_of(error: errors.VfsError) -> ProblemType:
    """Return the problem type of an error or of its nearest ancestor."""
    return next((PROBLEM_TYPES[one] for one in type(error).__mro__ if one in PROBLEM_TYPES), BROKEN)


def problem(
    kind: ProblemType, detail: str, head: RequestHead, members: Mapping[str, Any] = MappingProxyType({})
) -> Answer:
    """Return a problem as problem+json, or as one line when text was requested by name."""
    answer = Answer(kind.status, why=reason(kind, detail))
    if head.plain:
        line = " ".join(detail.split())
        said = safe_text(f"{kind.status.value} {kind.title}: {line}\n")
        answer.body = said.encode("utf-8", "backslashreplace")
        answer.add("Content-Type", PLAIN)
        return answer
    body = _body(kind, detail, head.origin, head.instance, head.id)
    for name, value in members.items():
        if name == "allow":
            body[name] = methods(tuple(value)) or ("OPTIONS",)
        elif name not in _ONLY_HEADERS:
            body[name] = value
    answer.body = indented_json(body)
    answer.add("Content-Type", PROBLEM)
    return answer


def reason(kind: ProblemType, detail: str) -> str:
    """Return why a request was refused, for the access log."""
    return f"{kind.slug}: {detail}"


def _body(
    kind: ProblemType, detail: str, origin: str | None, instance: str, request: str
) -> dict[str, object]:
    """Return the members of every error body; the published clients read `message` and `error`."""
    return {
        "type": f"{origin or ''}/docs/errors#{kind.slug}",
        "title": kind.title,
        "status": kind.status.value,
        "detail": detail,
        "instance": instance,
        "request_id": request,
        "message": detail,
        "error": detail,
    }


def indented_json(body: Mapping[str, object]) -> bytes:
    """Serialise a small JSON object, indented; text that is not valid UTF-8 is escaped."""
    layout = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return safe_json(orjson.dumps(body, str, layout))
    except TypeError:
        safe = {name: str(value).encode("ascii", "backslashreplace").decode() for name, value in body.items()}
        return safe_json(orjson.dumps(safe, None, layout))


def raw_answer(word: str, detail: str) -> bytes:
    """Return a whole response to bytes that are not a valid request; its connection is closed after it.

    `word` is one of the server's (`refusals`): a key of MALFORMED, or "broken".
    """
    kind = MALFORMED.get(word, BROKEN)
    body = indented_json(_body(kind, detail, None, "", uuid.uuid4().hex))
    later = f"Retry-After: {_PATIENCE}\r\n" if kind.status in _LATER else ""
    head = (
        f"HTTP/1.1 {kind.status.value} {kind.status.phrase}\r\nContent-Type: {PROBLEM}\r\n"
        f"Content-Length: {len(body)}\r\n{_SANDBOXED}{later}Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
