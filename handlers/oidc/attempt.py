"""A sign-in that has begun in a browser: what the provider's answer must fit to, sealed in a cookie."""

from __future__ import annotations

import hmac
import json
import secrets
from typing import NamedTuple
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.identity.identify import cookie_of
from handlers.oidc.provider import AUTHORIZATION, Provider
from handlers.services.world import World
from vfs.errors import Invalid, VfsError
from vfs.ports.people import Limit

COOKIE, CONTEXT = "curlew_oidc", "sign-in by a provider"
SECONDS = 600
AGAIN = "this sign-in is older than ten minutes, was used, or began in another browser: sign in again"


class SignInAttempt(NamedTuple):
    """A sign-in; `link` is the number of the session whose account is linked by it."""

    state: str
    nonce: str
    verifier: str
    to: str
    until: float
    link: int | None = None


def begin(world: World, to: str, link: int | None = None) -> SignInAttempt:
    """Return a new attempt, which leads to a path of this site."""
    until = world.service.deadlines.now().timestamp() + SECONDS
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return SignInAttempt(state, nonce, verifier, to, until, link)


def address(attempt: SignInAttempt, provider: Provider, scopes: str, redirect: str) -> str:
    """Return the address at the provider to which the browser is sent. Raises Unavailable."""
    at = provider.document[AUTHORIZATION]
    asked = {
        "response_type": "code",
        "client_id": provider.client,
        "redirect_uri": redirect,
        "scope": scopes,
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": create_s256_code_challenge(attempt.verifier),
        "code_challenge_method": "S256",
    }
    return f"{at}{'&' if '?' in at else '?'}{urlencode(asked)}"


def keep(attempt: SignInAttempt | None, answer: Answer, head: RequestHead, world: World) -> None:
    """Set the cookie of an attempt, or remove it (None)."""
    value = world.service.seal.close(json.dumps(attempt), CONTEXT) if attempt else ""
    secure = "; Secure" if head.secure else ""
    answer.cookies.append(
        f"{_name(head)}={value}; Path=/; Max-Age={SECONDS if attempt else 0}; HttpOnly; SameSite=Lax{secure}"
    )


def require(head: RequestHead, world: World, state: str) -> SignInAttempt:
    """Return the attempt of this browser, once. Raises Invalid if it is not the one that `state` names."""
    sent = cookie_of(head.environ.get("HTTP_COOKIE", ""), _name(head)) or ""
    try:
        found = SignInAttempt(*json.loads(world.service.seal.open(sent, CONTEXT)))
    except (VfsError, TypeError, ValueError):
        raise Invalid(AGAIN) from None
    is_same = hmac.compare_digest(found.state.encode(), state.encode("utf-8", "replace"))
    if not is_same or found.until <= world.service.deadlines.now().timestamp():
        raise Invalid(AGAIN)
    if world.people.rates.take([Limit(f"provider's answer {found.state}", 1, SECONDS)]):
        raise Invalid(AGAIN)
    return found


def _name(head: RequestHead) -> str:
    """Return the name of the cookie: over TLS no other host can set it."""
    return f"__Host-{COOKIE}" if head.secure else COOKIE
