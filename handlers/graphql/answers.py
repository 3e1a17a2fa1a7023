"""Responses of the GraphQL view: data, and errors with the sentence and the kind of a problem."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from graphql.error import GraphQLError

from handlers.http.problems import BROKEN, problem_type_of
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, Answer
from handlers.words.terminal_signs import safe_json
from vfs.errors import Invalid, VfsError

log = logging.getLogger("curlew")

ErrorFacts = dict[str, Any]


def answer(facts: Mapping[str, Any], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Return a response with this JSON."""
    made = Answer(status, body=safe_json(orjson.dumps(facts)))
    made.add("Content-Type", JSON)
    return made


def refusal(error: VfsError, head: RequestHead, status: HTTPStatus | None = None) -> Answer:
    """Return the response to a request that is refused as a whole."""
    made = answer({"errors": [error_of(error, head)]}, status or problem_type_of(error).status)
    if (seconds := error.members.get("retry_after")) is not None:
        made.add("Retry-After", str(seconds))
    return made


def internal_error(head: RequestHead) -> Answer:
    """Return the response to an internal error."""
    log.exception("request %s failed: %s %s", head.id, head.method, head.instance)
    return answer({"errors": [_own_error(head)]}, BROKEN.status)


def errors_of(errors: Sequence[GraphQLError], head: RequestHead) -> list[ErrorFacts]:
    """Return the errors of a query, each with its position."""
    return [_error_at(one, head) for one in errors]


def error_of(error: VfsError, head: RequestHead) -> ErrorFacts:
    """Return a refusal in the form of a GraphQL error."""
    kind = problem_type_of(error)
    return _shape(error.detail, head, kind.slug, kind.status)


def _error_at(error: GraphQLError, head: RequestHead) -> ErrorFacts:
    cause = error.original_error
    if cause is None or isinstance(cause, GraphQLError):
        facts = error_of(Invalid(error.message), head)
    elif isinstance(cause, VfsError):
        facts = error_of(cause, head)
    else:
        log.error("request %s failed: %s %s", head.id, head.method, head.instance, exc_info=cause)
        facts = _own_error(head)
    if error.locations:
        facts["locations"] = [{"line": one.line, "column": one.column} for one in error.locations]
    if error.path:
        facts["path"] = error.path
    return facts


def _own_error(head: RequestHead) -> ErrorFacts:
    said = f"something went wrong here; the service's log knows it as {head.id}"
    return _shape(said, head, BROKEN.slug, BROKEN.status)


def _shape(message: str, head: RequestHead, slug: str, status: HTTPStatus) -> ErrorFacts:
    about = {"type": f"{head.origin or ''}/docs/errors#{slug}", "status": status.value}
    return {"message": message, "extensions": about}
