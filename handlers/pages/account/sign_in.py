"""Signing in and out with a browser: a password or a passkey, and a code if the account needs one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import orjson

from handlers.http.headers import SANDBOX
from handlers.http.session_cookie import browser_of
from handlers.identity.credentials import digest
from handlers.identity.passkeys import asker_at, trouble_at
from handlers.pages import forms
from handlers.pages.acting import kept_form
from handlers.pages.acting.fields import blame_field
from handlers.pages.acting.kept_form import KeptForm
from handlers.pages.forms import Json, SentForm
from handlers.pages.framing.frame import ZONE, frame
from handlers.pages.provider_link import provider_facts
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.rules.addresses import API
from handlers.services.accounts import account_of
from vfs.access import Caller, Verb
from vfs.errors import Invalid, TooMany, Unauthenticated, VfsError
from vfs.path import Path
from vfs.ports.factors import FactorKind

MOST_FIELDS = 32
WRONG = "The user name or the password is wrong."
AUTH, LOGOUT, REGISTER = API / "auth", API / "logout", API / "register"
JSON = "application/json"
CODE, TICKET, PASSKEY = "second_code", "ticket", "passkey"
"""Fields of the form: a code, the ticket for a correct password, and the answer of a passkey."""


def address(path: str) -> str:
    """Return the address of the sign-in page that leads back to a path of this site."""
    return f"/login?next={quote(path, safe='/@~')}" if path not in ("", "/") else "/login"


def safe(path: str) -> str:
    """Return the page to go to after signing in: always a path of this site with its query."""
    place, _, query = path.partition("?")
    try:
        found = str(Path.parse(place))
        fields = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
        return f"{found}?{urlencode(fields)}" if fields else found
    except (Invalid, ValueError):
        return "/"


def show(request: PageRequest) -> Page | Redirect:
    """Return the sign-in page; redirect callers who are already signed in, unless they sign in again."""
    to = safe(request.query.get("next", "/"))
    if request.caller.name is not None and not request.query.get("again"):
        return Redirect(to)
    return _page(request, to, name=request.caller.name or "")


def sign_in(request: PageRequest, form: SentForm) -> Answered:
    """Start a session, or show the error on the page; return a challenge to the script of a passkey."""
    if form["do"] == "challenge":
        return _challenge(request, form)
    to, kept = safe(form["next"] or "/"), kept_form.find_carried(form)
    name = form["username"].strip()

    def again(said: str, error: VfsError) -> Page:
        if kept is not None:
            return kept_form.page(request, kept, error, name=name, said=said)
        return _page(request, to, name=name, said=said, error=error)

    try:
        reply = request.call(Verb.WRITE, AUTH, Json(_credentials(request, form)))
    except TooMany as wrong:
        if kept is None and form[TICKET]:
            return _refused(request, to, form, wrong)
        seconds = wrong.members.get("retry_after", 60)
        said = f"Too many failed attempts for this account. Wait {seconds} seconds, then try again."
        return again(said, wrong)
    except Unauthenticated as wrong:
        return _refused(request, to, form, wrong) if not form["password"] else again(WRONG, wrong)
    except VfsError as wrong:
        if kept is None and is_asked(wrong):
            return _code_page(request, to, form, wrong)
        return again(wrong.detail, wrong)
    signed = begun(request, reply.session, form)
    if kept is not None and reply.session:
        return _sent_on(signed, kept, reply.session)
    return Redirect(to, session=reply.session)


def _refused(request: PageRequest, to: str, form: SentForm, wrong: VfsError) -> Page:
    """Return the page for a ticket or passkey that was not accepted."""
    people, ticket = request.world.people, form[TICKET]
    if people.proofs.account_of(ticket, browser_of(request.ask)) is not None:
        return _code_page(request, to, form, wrong)
    return _page(request, to, said=f"{wrong.detail[:1].upper()}{wrong.detail[1:]}.", error=wrong)


def begun(request: PageRequest, session: str | None, form: SentForm) -> PageRequest:
    """Return the request with a new session; store the browser's time zone if the account has none."""
    token = request.world.people.tokens.by_digest(digest(session or ""))
    if token is None:
        return request
    signed = replace(request, caller=Caller(token.user, token.via, None, token.id))
    item = account_of(request.world, token.user).item
    if form["zone"] not in ("", "UTC") and request.world.leaves.get(item, ZONE[-1]) is None:
        with suppress(VfsError):  # the server may not know the browser's zone
            signed.write(ZONE, form["zone"])
    return signed


def _sent_on(signed: PageRequest, kept: KeptForm, session: str) -> Page:
    """Return the page that shows a form again after its sender has signed in."""
    facts = {
        "caller": signed.caller.name,
        "token": forms.token(signed.world, signed.caller),
        "frame": frame(signed, Path()),
    }
    shown = kept_form.page(signed, kept, None)
    return replace(shown, facts={**shown.facts, **facts}, session=session)


def sign_out(request: PageRequest, form: SentForm) -> Redirect:
    """End the session and delete the browser's cookie."""
    if request.caller.name is not None:
        request.call(Verb.WRITE, LOGOUT)
    provider = request.world.service.settings.oidc_issuer
    return Redirect("/login?out=yes" if provider else "/login", session="")


def _page(
    request: PageRequest, to: str, *, name: str = "", said: str = "", error: VfsError | None = None
) -> Page:
    registers = request.may(Verb.WRITE, REGISTER)
    facts: dict[str, Any] = {"next": to, "username": name, "said": said, "registers": registers}
    facts |= {**provider_facts(request), "out": "out" in request.query}
    facts["has_passkeys"] = facts["passwords"] and not trouble_at(request.origin)
    return Page("login.html", facts, error=error)


def is_asked(error: VfsError) -> bool:
    """Return whether an error says that the code of a second factor is missing or wrong."""
    return error.members.get("needs") == "code"


def _credentials(request: PageRequest, form: SentForm) -> Mapping[str, str]:
    """Return the credentials of a form for /v1/auth: a password, a ticket or a passkey, with a code."""
    code = {"code": form[CODE].strip()} if form[CODE].strip() else {}
    ticket = {TICKET: form[TICKET]} if form[TICKET] else {}
    browser = {"browser": browser_of(request.ask)}
    if form[PASSKEY]:
        return {PASSKEY: form[PASSKEY], **browser, **ticket}
    if ticket:
        return {**ticket, **browser, **code}
    return {"username": form["username"].strip(), "password": form["password"], **code}


def _code_page(request: PageRequest, to: str, form: SentForm, error: VfsError) -> Page:
    """Return the page that asks for the code, with an error if the code was wrong."""
    browser, people = browser_of(request.ask), request.world.people
    account = people.proofs.account_of(form[TICKET], browser) or request.ask.notes.account or ""
    ticket = form[TICKET] or people.proofs.ticket(account, browser)
    said = ""
    if form[PASSKEY] or not is_asked(error):
        said = f"{error.detail[:1].upper()}{error.detail[1:]}."
    elif form[CODE].strip():
        said = "The code is wrong, too old, or was used before."
    kinds = {one.kind for one in people.factors.of(account)}
    facts: dict[str, object] = {
        "next": to,
        "ticket": ticket,
        "zone": form["zone"],
        "account": account,
        "said": said,
    }
    facts |= {"has_app": FactorKind.APP in kinds, "has_passkey": FactorKind.PASSKEY in kinds}
    return Page("second_step.html", facts, error=error if said else None, browser=browser)


def _challenge(request: PageRequest, form: SentForm) -> Piece:
    """Return the WebAuthn options for signing in; with a ticket, those of its account."""
    browser, people = browser_of(request.ask), request.world.people
    account = people.proofs.account_of(form[TICKET], browser) if form[TICKET] else None
    options = people.passkeys.ask_to_sign(account, asker_at(request.origin, browser))
    return Piece(orjson.dumps(options), JSON, SANDBOX, browser)


def asks_code(request: PageRequest) -> bool:
    """Return whether the caller must enter a code in forms that ask for the password."""
    people, name = request.world.people, request.caller.name
    return name is not None and people.second.are_on(name) and not people.proofs.is_fresh(request.caller)


def blame_secret(error: VfsError) -> VfsError:
    """Return the error at the field that is wrong: the code or the password."""
    return (
        blame_field(error, CODE, "it is missing, wrong, or was used before")
        if is_asked(error)
        else blame_field(error, "password", "it is wrong")
    )
