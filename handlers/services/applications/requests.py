"""Applications: those that register themselves, and requests for approval."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

import orjson

from handlers.rules.accounts import display_name
from handlers.rules.redirects import LOOPBACK, OUT_OF_BAND, admits, redirect
from handlers.rules.scopes import PROPOSE, READ, is_within, scope_words
from handlers.services.world import World
from vfs.errors import Invalid
from vfs.ports.applications import Application

PREFIX = "self~"
USUAL = (READ, "vis", "code")
"""The scopes that an agent should ask for: what its tools use, and nothing of the account."""
ASKABLE = (*USUAL, PROPOSE)
"""The most that such an application may ask for."""
UNSTORED = 0
"""The number of an application that has registered itself."""
MOST_REDIRECTS = 5
LONGEST = 1_200
LONGEST_NAME = 60
UNNAMED = "a program without a name"
_PORT = re.compile(r":[0-9]+(?=[/?]|$)")


class BadRedirect(Invalid):
    """A redirect that no application may register for itself."""


def register(world: World, sent: Mapping[str, object]) -> Application:
    """Return an application with this name and these redirects. Raises Invalid."""
    name, given = sent.get("client_name"), sent.get("redirect_uris")
    name = display_name(name) or UNNAMED
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(f"client_name is one line of at most {LONGEST_NAME} characters")
    if not isinstance(given, list) or not 0 < len(given) <= MOST_REDIRECTS:
        raise BadRedirect(f"redirect_uris is a list of 1 to {MOST_REDIRECTS} addresses")
    payload = urlsafe_b64encode(orjson.dumps([name, *map(_redirect, given)])).rstrip(b"=").decode()
    if len(payload) > LONGEST:
        raise BadRedirect("the name and the addresses are too long together")
    return _application(f"{PREFIX}{payload}.{world.service.seal.mark(PREFIX + payload)}", payload)


def registered(world: World, client: str) -> Application | None:
    """Return the application of an id that was given here; None for any other id."""
    payload, dot, mark = client.removeprefix(PREFIX).partition(".")
    if not client.startswith(PREFIX) or not dot or len(payload) > LONGEST:
        return None
    if not world.service.seal.is_mark_of(mark, PREFIX + payload):
        return None
    return _application(client, payload)


def stored_client(client: str, user: str) -> str:
    """Return the id under which the connections of a user with an application are stored."""
    if not client.startswith(PREFIX):
        return client
    payload = client.removeprefix(PREFIX).partition(".")[0]
    name = re.sub(r"[^a-z0-9]+", "-", _content(payload)[0].lower()).strip("-")[:40]
    return f"@{user}~{name or 'program'}-{sha256(payload.encode()).hexdigest()[:16]}"


def keep(world: World, application: Application, user: str) -> str:
    """Store an application that a user approves as the user's; return its stored id. Raises Conflict."""
    client = stored_client(application.client, user)
    if application.id == UNSTORED and world.people.applications.find(client) is None:
        facts = {"redirects": application.redirects, "scopes": application.scopes}
        world.people.applications.add(client, user, name=application.name, description="", **facts)
    return client


def _redirect(given: object) -> str:
    """Return a redirect; the port of a loopback address is left out, as any may be used (RFC 8252, 7.3)."""
    try:
        address = redirect(given if isinstance(given, str) else "")
    except Invalid as wrong:
        raise BadRedirect(wrong.detail) from None
    if address == OUT_OF_BAND:
        raise BadRedirect("a code is shown to nobody here: register an address to return to")
    parts = urlsplit(address)
    if parts.scheme == "http" and parts.hostname in LOOPBACK:
        return parts._replace(netloc=_PORT.sub("", parts.netloc)).geturl()
    return address


def _application(client: str, payload: str) -> Application:
    name, *redirects = _content(payload)
    return Application(UNSTORED, client, None, name, "", tuple(redirects), ASKABLE, "")


def _content(payload: str) -> list[str]:
    found: list[str] = orjson.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return found


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
