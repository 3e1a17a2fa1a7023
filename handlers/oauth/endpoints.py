"""The token and revocation endpoints, and their metadata (RFC 6749, 7009, 8414)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl

import orjson

from handlers.http.bodies.body import RequestBody
from handlers.http.problems import problem_type_of
from handlers.http.request_head import RequestHead
from handlers.http.response import JSON, Answer
from handlers.rules.addresses import MCP
from handlers.rules.scopes import SCOPES
from handlers.security.events import APPLICATION_CONNECTED, APPLICATION_REFUSED
from handlers.security.log_lines import SecurityLine
from handlers.services.applications.connections import (
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    Issued,
    disconnect,
    exchange,
    renew,
)
from handlers.services.applications.requests import ASKABLE, BadRedirect, flaw_of_resource, register
from handlers.services.world import World
from vfs.errors import Invalid, TooMany, Unavailable, VfsError
from vfs.path import Path

URLENCODED = "application/x-www-form-urlencoded"
LARGEST = 16 << 10
MOST_FIELDS = 32


class OAuthError(Exception):
    """A refusal with one of the standard's error codes."""

    def __init__(self, error: str, description: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status


def read_form(head: RequestHead) -> Mapping[str, str]:
    """Return the fields of a form; empty ones count as missing. Raises OAuthError (repeated), VfsError."""
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
    """Return a required field. Raises OAuthError."""
    if name not in fields:
        raise OAuthError("invalid_request", f"{name} is missing")
    return fields[name]


def json_answer(facts: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """Return a response that is not cached."""
    answer = Answer(status, body=orjson.dumps(facts))
    answer.add("Content-Type", JSON)
    answer.add("Pragma", "no-cache")
    return answer


def error_answer(refused: OAuthError) -> Answer:
    """Return the error response; its description has only the characters that the standard allows."""
    plain = refused.description.encode("ascii", "replace").decode().replace('"', "'").replace("\\", "/")
    return json_answer({"error": refused.error, "error_description": plain}, refused.status)


TOKEN = Path(("oauth", "token"))
REVOKE = Path(("oauth", "revoke"))
REGISTER = Path(("oauth", "register"))
METADATA = Path((".well-known", "oauth-authorization-server"))
RESOURCE = Path((".well-known", "oauth-protected-resource"))
WORDS: Mapping[type[VfsError], str] = {
    BadRedirect: "invalid_redirect_uri",
    InvalidGrant: "invalid_grant",
    InvalidClient: "invalid_client",
    InvalidScope: "invalid_scope",
    TooMany: "temporarily_unavailable",
    Unavailable: "temporarily_unavailable",
}


class OAuthEndpoints:
    """Answers posts of applications: cookies are ignored, and every error has the standard's format.

    All take forms, but the registration, which takes JSON.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._posts: Mapping[Path, Callable[[RequestHead, Mapping[str, str]], Answer]] = {
            TOKEN: self._issue,
            REVOKE: self._revoke,
        }

    def __call__(self, head: RequestHead, path: Path) -> Answer | None:
        """Return the response to a request for an endpoint; None for all other paths."""
        endpoint = self._posts.get(path)
        if endpoint is None and path != REGISTER:
            return None
        if head.method != "POST":
            there = HTTPStatus.NO_CONTENT if head.method == "OPTIONS" else HTTPStatus.METHOD_NOT_ALLOWED
            return Answer(there, [("Allow", "POST, OPTIONS")])
        try:
            with self._world.session():
                return self._register(head) if endpoint is None else endpoint(head, read_form(head))
        except OAuthError as refused:
            return error_answer(refused)
        except VfsError as wrong:
            return self._refuse(head, wrong)

    def _refuse(self, head: RequestHead, wrong: VfsError) -> Answer:
        """Return the response to an error, with the nearest error code of the standard."""
        if isinstance(wrong, InvalidGrant):
            self._note(head, APPLICATION_REFUSED.name, None, wrong.detail)
        status = problem_type_of(wrong).status
        if status < HTTPStatus.INTERNAL_SERVER_ERROR and not isinstance(wrong, TooMany):
            status = HTTPStatus.BAD_REQUEST
        word = next((word for kind, word in WORDS.items() if isinstance(wrong, kind)), "invalid_request")
        answer = error_answer(OAuthError(word, wrong.detail, status))
        if (seconds := wrong.members.get("retry_after")) is not None:
            answer.add("Retry-After", str(seconds))
        return answer

    def _register(self, head: RequestHead) -> Answer:
        """Register an application that asks for it; it gets no secret (RFC 7591)."""
        sent = RequestBody(head.environ).data(LARGEST)
        if not isinstance(sent, dict):
            raise OAuthError("invalid_client_metadata", "send a JSON object")
        try:
            made = register(self._world, sent)
        except BadRedirect:
            raise
        except Invalid as wrong:
            raise OAuthError("invalid_client_metadata", wrong.detail) from None
        facts = {
            "client_id": made.client,
            "client_name": made.name,
            "redirect_uris": sent["redirect_uris"],
            "scope": " ".join(made.scopes),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }
        return json_answer(facts, HTTPStatus.CREATED)

    def _issue(self, head: RequestHead, sent: Mapping[str, str]) -> Answer:
        kind, client = need(sent, "grant_type"), need(sent, "client_id")
        if (flaw := flaw_of_resource(sent, head.origin or "")) is not None:
            raise OAuthError(*flaw)
        if kind == "authorization_code":
            code, verifier = need(sent, "code"), need(sent, "code_verifier")
            issued = exchange(self._world, client, code, verifier, sent.get("redirect_uri"))
            self._note(head, APPLICATION_CONNECTED.name, issued.token.user, issued.token.name)
        elif kind == "refresh_token":
            issued = renew(self._world, client, need(sent, "refresh_token"), sent.get("scope"))
        else:
            raise OAuthError(
                "unsupported_grant_type", "grant_type must be authorization_code or refresh_token"
            )
        head.user = issued.token.user
        return json_answer(_token_document(issued))

    def _revoke(self, head: RequestHead, sent: Mapping[str, str]) -> Answer:
        """End a connection; an unknown credential counts as ended already (RFC 7009, section 2.2)."""
        disconnect(self._world, need(sent, "client_id"), need(sent, "token"))
        return json_answer({})

    def _note(self, head: RequestHead, event: str, user: str | None, target: str) -> None:
        line = SecurityLine(
            event, account=user, target=target, request=head.id, address=head.address, client=head.client[:80]
        )
        self._world.service.security.record(line)


def metadata(head: RequestHead) -> Answer:
    """Return the metadata of the endpoints (RFC 8414, section 2)."""
    origin = head.origin or ""
    return json_answer(
        {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/oauth/authorize",
            "token_endpoint": f"{origin}{TOKEN}",
            "revocation_endpoint": f"{origin}{REVOKE}",
            "registration_endpoint": f"{origin}{REGISTER}",
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": list(SCOPES),
            "authorization_response_iss_parameter_supported": True,
            "service_documentation": f"{origin}/docs",
        }
    )


def resource_metadata(head: RequestHead) -> Answer:
    """Return the metadata of the protected resource: the service, or its endpoint of agents (RFC 9728)."""
    origin = head.origin or ""
    return json_answer(
        {
            "resource": origin + head.raw.rstrip("/").removeprefix(str(RESOURCE)),
            "authorization_servers": [origin],
            "scopes_supported": list(ASKABLE),
            "bearer_methods_supported": ["header"],
            "resource_name": "Curlew",
            "resource_documentation": f"{origin}/docs/agents",
        }
    )


def _token_document(issued: Issued) -> Mapping[str, object]:
    return {
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in": issued.seconds,
        "refresh_token": issued.refresh,
        "scope": issued.scope,
    }


OAUTH_PAGES = {METADATA: metadata, RESOURCE: resource_metadata, RESOURCE / MCP: resource_metadata}
"""Documents about the endpoints, by their paths."""
