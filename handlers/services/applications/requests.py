"""Applications' requests for approval, validated before the person is asked (RFC 6749, 7636, 9700)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from handlers.rules.redirects import admits
from handlers.rules.scopes import is_within, scope_words
from handlers.services.applications.self_registration import UNSTORED, registered
from handlers.services.world import World
from vfs.errors import Invalid
from vfs.ports.applications import Application

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
LONGEST_STATE = 2_048
FIELDS = (
    "client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method",
    "resource",
)  # fmt: skip
RESOURCES = ("", "/", "/v1", "/mcp")
"""Paths below the address of the service that a token may be requested for (RFC 8707): all tokens are for
all of them."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A valid request, ready to be shown to the person."""

    application: Application
    redirect: str
    scopes: tuple[str, ...]
    challenge: str
    state: str

    @property
    def scope(self) -> str:
        """The scopes as one string, separated by spaces."""
        return " ".join(self.scopes)


class RefusedRequest(Invalid):
    """A request whose refusal is sent to the application, at one of its registered redirects.

    `error`: the error code of RFC 6749, section 4.1.2.1. The browser is not redirected automatically to an
    address that a user registered: otherwise this service would be an open redirector (RFC 9700, 4.11.2).
    """

    def __init__(self, error: str, detail: str, application: Application, redirect: str, state: str) -> None:
        super().__init__(detail)
        self.error = error
        self.redirect = redirect
        self.state = state
        self.sent_on = application.owner is None and application.id != UNSTORED


def find_application(world: World, client: str) -> Application | None:
    """Return the application with this id; None without one, or while its owner is locked."""
    if (itself := registered(world, client)) is not None:
        return itself
    found = world.people.applications.find(client) if len(client) <= 200 else None
    return found if found is not None and not found.locked else None


def read_request(world: World, sent: Mapping[str, str], origin: str) -> ApprovalRequest:
    """Return the request with these fields, to the service at this origin.

    Raises Invalid, for the person alone, if the application or the redirect is unknown, and otherwise
    RefusedRequest.
    """
    application = find_application(world, sent.get("client_id", ""))
    if application is None:
        raise Invalid("the application is not registered here: its operator does that with  curlew app add")
    redirect = sent.get("redirect_uri") or (
        application.redirects[0] if len(application.redirects) == 1 else ""
    )
    if not admits(application.redirects, redirect):
        raise Invalid(f"the address to return to is not registered for {application.client}")
    state = sent.get("state", "")
    if wrong := _flaw(sent) or flaw_of_resource(sent, origin):
        raise RefusedRequest(*wrong, application, redirect, state)
    try:
        scopes = scope_words(sent.get("scope") or application.scopes[0])
    except Invalid as wrong_scope:
        raise RefusedRequest("invalid_scope", wrong_scope.detail, application, redirect, state) from None
    if not is_within(scopes, application.scopes):
        detail = f"the application may ask for no more than {' '.join(application.scopes)}"
        raise RefusedRequest("invalid_scope", detail, application, redirect, state)
    return ApprovalRequest(application, redirect, scopes, sent["code_challenge"], state)


def flaw_of_resource(sent: Mapping[str, str], origin: str) -> tuple[str, str] | None:
    """Return the error code and the reason if a token is requested for another service (RFC 8707)."""
    resource = sent.get("resource")
    if resource is None or resource in [origin + path for path in RESOURCES]:
        return None
    return "invalid_target", f"resource is not this service: it is {origin}/mcp for agents"


def _flaw(sent: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the error code and the reason why a request is invalid; None if it is valid."""
    if len(sent.get("state", "")) > LONGEST_STATE:
        return "invalid_request", f"state is longer than {LONGEST_STATE} characters"
    if not sent.get("response_type"):
        return "invalid_request", "response_type is missing: send code"
    if sent["response_type"] != "code":
        return "unsupported_response_type", "response_type must be code"
    if sent.get("code_challenge_method") != "S256":
        return "invalid_request", "code_challenge_method must be S256 (RFC 7636)"
    if not CHALLENGE.fullmatch(sent.get("code_challenge", "")):
        return (
            "invalid_request",
            "code_challenge must be the SHA-256 of the verifier in base64url, 43 characters",
        )
    return None
