"""The addresses below `/oidc/`: to the provider and back, with a session at the end.

`/oidc/sign-in` and `/oidc/link` lead to the provider, which leads back to `/oidc/callback`. A link is begun
only by the page of one's settings: else another site could link its own identity with an account.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from handlers.http.problems import refusal
from handlers.http.request_head import RequestHead
from handlers.http.response import Answer
from handlers.http.session_cookie import set_session
from handlers.identity.identify import Identifies
from handlers.identity.passwords import too_many
from handlers.oidc import attempt
from handlers.oidc.accounts import account_for, require_admitted, set_groups, shown_name
from handlers.oidc.attempt import SignInAttempt
from handlers.oidc.id_token import require_claims
from handlers.oidc.provider import END_SESSION, Provider
from handlers.pages.account.sign_in import safe
from handlers.pages.provider_link import is_link_mark
from handlers.pages.request import PageRequest
from handlers.pages.responses import failure_response, is_browser, response
from handlers.pages.result import Page
from handlers.pages.settings.concerns import SIGNIN_PAGE
from handlers.rules.hosts import network
from handlers.security.events import ACCOUNT_LINKED, ACCOUNT_MADE, PROVIDER_SIGN_IN
from handlers.security.log_lines import REFUSED, SecurityLine
from handlers.services.world import World
from handlers.trees.account.session import new_session
from vfs.access import PUBLIC, Verb, Via
from vfs.call import Call, Reply
from vfs.errors import Conflict, Denied, Invalid, Unauthenticated, Unsupported, VfsError
from vfs.path import Path
from vfs.ports.people import Limit

log = logging.getLogger("curlew")

FOLDER, CALLBACK = "oidc", Path(("oidc", "callback"))
NAMES_ITSELF = "authorization_response_iss_parameter_supported"
SIGNED_IN = PROVIDER_SIGN_IN.name
MINUTE = 60
LONGEST_PATH = 1_000
"""Most letters of a path to return to: the cookie of an attempt has room for it."""
ERRORS = {
    "access_denied": "the provider let nobody in: it was declined, or you may not use this service there",
    "temporarily_unavailable": "the provider is busy: try again in a few minutes",
    "login_required": "the provider wants you to sign in there first: try again",
}


class ProviderDoor:
    """Answers all requests below `/oidc/`."""

    def __init__(self, serve: Callable[[Call[World]], Reply], world: World, identify: Identifies) -> None:
        self._serve = serve
        self._world = world
        self._identify = identify
        self._settings = world.service.settings
        self._provider = Provider(self._settings)
        self._pages: Mapping[Path, Callable[[PageRequest], Answer]] = {
            Path((FOLDER, "sign-in")): self._begin,
            Path((FOLDER, "link")): self._begin_link,
            CALLBACK: self._finish,
            Path((FOLDER, "sign-out")): self._sign_out,
        }

    def __call__(self, head: RequestHead, path: Path) -> Answer | None:
        """Return the response to a request below `/oidc/`; None for all other paths."""
        page = self._pages.get(path)
        if page is None:
            return None
        if head.method == "OPTIONS":
            return Answer(HTTPStatus.NO_CONTENT, [("Allow", "GET, OPTIONS")])
        request = self._request(head)
        try:
            if head.method != "GET":
                raise Unsupported(f"{path} takes GET", allow=(Verb.READ,))
            answer = page(request)
        except VfsError as error:
            answer = self._refuse(request, error)
        except Exception:
            log.exception("request %s failed: %s %s", head.id, head.method, head.instance)
            answer = failure_response(request)
        answer.cache = "no-store"
        return answer

    def _request(self, head: RequestHead) -> PageRequest:
        """Return the request with its caller; without one if its session has ended."""
        try:
            with self._world.session():
                caller = self._identify.caller(
                    head.environ,
                    Verb.READ,
                    CALLBACK,
                    address=head.address,
                    source=head.source,
                    origin=head.origin or "",
                    notes=head.notes,
                )
        except (Unauthenticated, Denied):
            caller = PUBLIC
        head.user = caller.name
        return PageRequest(self._serve, self._world, caller, head)

    def _begin(self, request: PageRequest) -> Answer:
        to = safe(request.query.get("next", "/"))
        to = to if len(to) <= LONGEST_PATH else "/"
        if request.caller.name is not None and "again" not in request.query:
            return _redirect(to)
        return self._to_provider(request, attempt.begin(self._world, to))

    def _begin_link(self, request: PageRequest) -> Answer:
        if not is_link_mark(self._world, request.caller, request.query.get("mark", "")):
            raise Denied("this page is out of date: open your settings and link your account there")
        began = attempt.begin(self._world, str(SIGNIN_PAGE.page), request.caller.token)
        return self._to_provider(request, began)

    def _to_provider(self, request: PageRequest, began: SignInAttempt) -> Answer:
        scopes, redirect = self._settings.oidc_scopes, f"{request.origin}{CALLBACK}"
        answer = _redirect(attempt.address(began, self._provider, scopes, redirect))
        attempt.keep(began, answer, request.ask, self._world)
        return answer

    def _sign_out(self, request: PageRequest) -> Answer:
        """Lead to the provider's page of signing out, which leads back (RP-Initiated Logout)."""
        if not (at := self._provider.document[END_SESSION]):
            raise Invalid("the provider has no page of signing out: close the browser, or sign out there")
        back = {"client_id": self._provider.client, "post_logout_redirect_uri": f"{request.origin}/login"}
        return _redirect(f"{at}{'&' if '?' in at else '?'}{urlencode(back)}")

    def _finish(self, request: PageRequest) -> Answer:
        world, sent = self._world, request.query
        with world.session():
            began = attempt.require(request.ask, world, sent.get("state", ""))
            counted = self._count(request)
        claims = self._claims(request, began, sent)
        with world.session():
            world.people.rates.give_back(counted)
            require_admitted(world, claims)
            answer = (
                self._link(request, began, claims) if began.link else self._sign_in(request, began, claims)
            )
        attempt.keep(None, answer, request.ask, world)
        return answer

    def _count(self, request: PageRequest) -> list[str]:
        """Count an answer towards the failures of an address; return what is counted. Raises TooMany.

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
        """Return what the provider says of the person. Raises Denied, Invalid, Unavailable."""
        provider = self._provider
        named = sent.get("iss")
        if named != provider.issuer and (named is not None or provider.document.get(NAMES_ITSELF)):
            raise Denied("the answer came from another provider: sign in again")
        if "error" in sent:
            raise Denied(ERRORS.get(sent["error"], "the provider reported an error: try again later"))
        if not sent.get("code"):
            raise Invalid(attempt.AGAIN)
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

    def _sign_in(self, request: PageRequest, began: SignInAttempt, claims: Mapping[str, Any]) -> Answer:
        """Begin a session, and end the one that the browser had."""
        world, caller = self._world, request.caller
        with world.atomic():
            user, is_new = account_for(world, self._provider.issuer, claims)
            changed = set_groups(world, user.name, claims)
            session = new_session(world, user.name, request.ask.client)
            if caller.via is Via.SESSION and caller.token is not None:
                world.people.tokens.revoke(caller.token)
        if is_new:
            self._note(request, SecurityLine(ACCOUNT_MADE.name, account=user.name))
        for why in ("", *changed):
            self._note(request, SecurityLine(SIGNED_IN, account=user.name, target=session.name, why=why))
        answer = _redirect(began.to)
        set_session(answer, session.value, request.origin)
        return answer

    def _link(self, request: PageRequest, began: SignInAttempt, claims: Mapping[str, Any]) -> Answer:
        """Link the account of the session that asked for it."""
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
        self._note(request, SecurityLine(ACCOUNT_LINKED.name, account=me))
        return _redirect(f"{began.to}?done=linked")

    def _refuse(self, request: PageRequest, error: VfsError) -> Answer:
        self._note(request, SecurityLine(SIGNED_IN, REFUSED, why=error.detail))
        if is_browser(request.ask):
            with self._world.session():
                # Without the address of this page, which has the code in it.
                facts = {"said": error.detail, "name": self._settings.provider_name, "here": "/", "back": "/"}
                answer = response(request, Page("provider_refused.html", facts, error))
        else:
            answer = refusal(error, request.ask)
        attempt.keep(None, answer, request.ask, self._world)
        return answer

    def _note(self, request: PageRequest, line: SecurityLine) -> None:
        ask = request.ask
        ask.notes.is_logged = True
        noted = replace(line, request=ask.id, address=ask.address, client=ask.client)
        self._world.service.security.record(noted)


def _redirect(to: str) -> Answer:
    return Answer(HTTPStatus.SEE_OTHER, [("Location", to)])
