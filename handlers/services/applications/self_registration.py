"""Applications that register themselves (RFC 7591), as programs of agents do before they ask a person.

A client id contains what was registered, with a mark of this installation. So nothing is stored, and nobody
can fill the database, before a person approves: then the application is one of those of this person.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlsplit

import orjson

from handlers.rules.accounts import display_name
from handlers.rules.redirects import LOOPBACK, OUT_OF_BAND, redirect
from handlers.rules.scopes import PROPOSE, READ
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
