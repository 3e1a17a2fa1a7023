"""A sign-in that has begun in a browser: what the provider's answer must fit to, as a ticket in `state`."""

from __future__ import annotations

import secrets
from typing import NamedTuple
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from handlers.http.request_head import RequestHead
from handlers.http.session_cookie import browser_of
from handlers.oidc.provider import AUTHORIZATION, Provider
from handlers.services.world import World
from vfs.errors import Invalid

PURPOSE, SECONDS = "sign in by the provider", 600
AGAIN = "this sign-in is older than ten minutes, was used, or began in another browser: sign in again"


class SignInAttempt(NamedTuple):
    """A sign-in; `link` is the number of the session whose account is linked by it."""

    nonce: str
    verifier: str
    to: str
    link: int | None = None


def begin(to: str, link: int | None = None) -> SignInAttempt:
    """Return a new attempt, which leads to a path of this site."""
    return SignInAttempt(secrets.token_urlsafe(32), secrets.token_urlsafe(32), to, link)


def address(attempt: SignInAttempt, provider: Provider, scopes: str, redirect: str, state: str) -> str:
    """Return the address at the provider to which the browser is sent. Raises Unavailable."""
    at = provider.document[AUTHORIZATION]
    asked = {
        "response_type": "code",
        "client_id": provider.client,
        "redirect_uri": redirect,
        "scope": scopes,
        "state": state,
        "nonce": attempt.nonce,
        "code_challenge": create_s256_code_challenge(attempt.verifier),
        "code_challenge_method": "S256",
    }
    return f"{at}{'&' if '?' in at else '?'}{urlencode(asked)}"


def require(head: RequestHead, world: World, state: str) -> SignInAttempt:
    """Return the attempt of this browser, once. Raises Invalid for any other `state`."""
    tickets = world.people.tickets
    found = tickets.read(state, PURPOSE, browser_of(head))
    if found is None or not tickets.spend(found, SECONDS):
        raise Invalid(AGAIN)
    return SignInAttempt(*found.content)
