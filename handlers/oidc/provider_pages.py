"""The pages below `/oidc/`: to the provider and back, with a session at the end.

`/oidc/sign-in` and `/oidc/link` lead to the provider, which leads back to `/oidc/callback`. Only the page of
the user's settings can begin a link: else another site could link its own identity with an account.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from handlers.http.request_head import RequestHead
from handlers.http.session_cookie import browser_of
from handlers.identity.passwords import too_many
from handlers.oidc.accounts import account_for, require_admitted, set_groups, shown_name
from handlers.oidc.provider import AUTHORIZATION, END_SESSION, Provider, require_claims
from handlers.pages.account.sign_in import safe
from handlers.pages.provider_link import is_link_mark
from handlers.pages.request import PageRequest
from handlers.pages.responses import is_browser
from handlers.pages.result import Answered, Page, Redirect, View
from handlers.pages.settings.signin_page import HERE
from handlers.rules.hosts import network
from handlers.security.events import ACCOUNT_LINKED, ACCOUNT_MADE, PROVIDER_SIGN_IN
from handlers.security.log_lines import REFUSED, SecurityLine
from handlers.services.world import World
from handlers.trees.account.session import new_session
from vfs.access import Via
from vfs.errors import Conflict, Denied, Invalid, VfsError
from vfs.path import Path
from vfs.ports.people import Limit

PURPOSE, SECONDS = "sign in by the provider", 600
AGAIN = "this sign-in is older than ten minutes, was used, or began in another browser: sign in again"
FOLDER, CALLBACK = "oidc", Path(("oidc", "callback"))
NAMES_ITSELF = "authorization_response_iss_parameter_supported"
SIGNED_IN = PROVIDER_SIGN_IN.name
MINUTE = 60
LONGEST_PATH = 1_000
"""Most characters of a path to return to, which is part of the address at the provider."""
ERRORS = {
    "access_denied": "the provider let nobody in: it was declined, or you may not use this service there",
    "temporarily_unavailable": "the provider is busy: try again in a few minutes",
    "login_required": "the provider wants you to sign in there first: try again",
}


class SignInAttempt(NamedTuple):
    """An attempt to sign in; `link` is the number of the session whose account it links."""

    nonce: str
    verifier: str
    to: str
    link: int | None = None


class ProviderPages:
    """The pages below `/oidc/`; `idle` releases the database connection during calls of the provider."""

    def __init__(self, world: World, idle: Callable[[], AbstractContextManager[object]]) -> None:
        self._world = world
        self._idle = idle
        self._settings = world.service.settings
        self._provider = Provider(self._settings)
        self._record = world.service.security.record

    def views(self) -> Mapping[Path, View]:
        """Return the pages by their paths."""
        pages: Mapping[Path, Callable[[PageRequest], Answered]] = {
            Path((FOLDER, "sign-in")): self._begin,
            Path((FOLDER, "link")): self._begin_link,
            CALLBACK: self._finish,
            Path((FOLDER, "sign-out")): self._sign_out,
        }
        return {path: View(partial(self._show, page)) for path, page in pages.items()}

    def _show(self, page: Callable[[PageRequest], Answered], request: PageRequest) -> Answered:
        try:
            return page(request)
        except VfsError as error:
            self._record(SecurityLine(SIGNED_IN, REFUSED, why=error.detail), request.ask.notes)
            request.ask.notes.is_logged = True
            if not is_browser(request.ask):
                raise
            # Without the address of this page, which contains the code.
            facts = {"said": error.detail, "name": self._settings.provider_name, "here": "/", "back": "/"}
            return Page("provider_refused.html", facts, error)

    def _begin(self, request: PageRequest) -> Redirect:
        to = safe(request.query.get("next", "/"))
        to = to if len(to) <= LONGEST_PATH else "/"
        if request.caller.name is not None and "again" not in request.query:
            return Redirect(to)
        return self._to_provider(request, to)

    def _begin_link(self, request: PageRequest) -> Redirect:
        if not is_link_mark(self._world, request.caller, request.query.get("mark", "")):
            raise Denied("this page is out of date: open your settings and link your account there")
        if not self._world.people.proofs.is_fresh(request.caller):
            raise Denied(
                "a link needs a session of the last 15 minutes: sign in again, then link your account"
            )
        return self._to_provider(request, HERE, request.caller.token)

    def _to_provider(self, request: PageRequest, to: str, link: int | None = None) -> Redirect:
        began = SignInAttempt(secrets.token_urlsafe(32), secrets.token_urlsafe(32), to, link)
        browser = browser_of(request.ask)
        asked = {
            "response_type": "code",
            "client_id": self._provider.client,
            "redirect_uri": f"{request.origin}{CALLBACK}",
            "scope": self._settings.oidc_scopes,
            "state": self._world.people.tickets.make(PURPOSE, browser, began, SECONDS),
            "nonce": began.nonce,
            "code_challenge": create_s256_code_challenge(began.verifier),
            "code_challenge_method": "S256",
        }
        return Redirect(_with_query(self._document()[AUTHORIZATION], asked), browser=browser)

    def _sign_out(self, request: PageRequest) -> Redirect:
        """Redirect to the provider's page for signing out, which leads back (RP-Initiated Logout)."""
        if not (at := self._document()[END_SESSION]):
            raise Invalid("the provider has no page of signing out: close the browser, or sign out there")
        back = {"client_id": self._provider.client, "post_logout_redirect_uri": f"{request.origin}/login"}
        return Redirect(_with_query(at, back))

    def _document(self) -> Mapping[str, Any]:
        with self._idle():
            return self._provider.document

    def _finish(self, request: PageRequest) -> Redirect:
        world, sent = self._world, request.query
        began = _require_attempt(request.ask, world, sent.get("state", ""))
        counted = self._count(request)
        with self._idle():
            claims = self._claims(request, began, sent)
        world.people.rates.give_back(counted)
        require_admitted(world, claims)
        return self._link(request, began, claims) if began.link else self._sign_in(request, began, claims)

    def _count(self, request: PageRequest) -> list[str]:
        """Count a response as a failure of an address; return the counters. Raises TooMany.

        Clients without a known address are not counted: they would lock each other out.
        """
        if not (source := request.ask.source):
            return []
        subject = f"provider sign-in from {network(source)}"
        limit = Limit(subject, self._settings.signin_attempts_address, MINUTE)
        if wait := self._world.people.rates.take([limit]):
            raise too_many(wait)
        return [subject]

    def _claims(
        self, request: PageRequest, began: SignInAttempt, sent: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return the provider's claims about the person. Raises Denied, Invalid, Unavailable."""
        provider = self._provider
        named = sent.get("iss")
        if named != provider.issuer and (named is not None or provider.document.get(NAMES_ITSELF)):
            raise Denied("the answer came from another provider: sign in again")
        if "error" in sent:
            raise Denied(ERRORS.get(sent["error"], "the provider reported an error: try again later"))
        if not sent.get("code"):
            raise Invalid(AGAIN)
        tokens = provider.exchange(sent["code"], began.verifier, f"{request.origin}{CALLBACK}")
        access, now = tokens.get("access_token"), self._world.service.deadlines.now().timestamp()
        claims = require_claims(tokens.get("id_token"), provider, began.nonce, access, now)
        wanted = {"email", "preferred_username", self._settings.oidc_groups_claim} - {""}
        if wanted <= claims.keys() or not isinstance(access, str):
            return claims
        more = provider.claims(access)
        if more and more.get("sub") != claims["sub"]:
            raise Denied("the provider's answers are about two people: tell the operator")
        return {**more, **claims}

    def _sign_in(self, request: PageRequest, began: SignInAttempt, claims: Mapping[str, Any]) -> Redirect:
        """Begin a session, and end the browser's previous one."""
        world, caller = self._world, request.caller
        with world.atomic():
            user, is_new = account_for(world, self._provider.issuer, claims)
            changed = set_groups(world, user.name, claims)
            session = new_session(world, user.name, request.ask.client)
            if caller.via is Via.SESSION and caller.token is not None:
                world.people.tokens.revoke(caller.token)
        if is_new:
            self._record(SecurityLine(ACCOUNT_MADE.name, account=user.name), request.ask.notes)
        for why in ("", *changed):
            line = SecurityLine(SIGNED_IN, account=user.name, target=session.name, why=why)
            self._record(line, request.ask.notes)
        return Redirect(began.to, session=session.value)

    def _link(self, request: PageRequest, began: SignInAttempt, claims: Mapping[str, Any]) -> Redirect:
        """Link the account of the session that requested it."""
        me, caller = request.caller.name, request.caller
        if me is None or caller.via is not Via.SESSION or caller.token != began.link:
            raise Denied("your session ended meanwhile: sign in, and link your account again")
        try:
            self._world.people.provider_links.add(
                self._provider.issuer, claims["sub"], me, shown_name(claims)
            )
        except Conflict:
            raise Conflict(
                "this person at the provider is linked with an account here, or yours is: unlink that first"
            ) from None
        self._record(SecurityLine(ACCOUNT_LINKED.name, account=me), request.ask.notes)
        return Redirect(began.to, done="linked")


def _with_query(address: str, query: Mapping[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _require_attempt(head: RequestHead, world: World, state: str) -> SignInAttempt:
    """Return the attempt with this `state`, once, and only in its browser. Raises Invalid."""
    tickets = world.people.tickets
    found = tickets.read(state, PURPOSE, browser_of(head))
    if found is None or not tickets.spend(found, SECONDS):
        raise Invalid(AGAIN)
    return SignInAttempt(*found.content)
