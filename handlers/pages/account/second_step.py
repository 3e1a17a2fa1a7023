"""The second step of signing in with a browser: a code, or a passkey, after the right password."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from handlers.http.headers import SANDBOX
from handlers.http.session_cookie import browser_of
from handlers.identity.passkeys import asker_at
from handlers.pages.acting.fields import blame_field
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Piece
from vfs.errors import VfsError
from vfs.ports.factors import FactorKind

JSON = "application/json"
CODE, TICKET, PASSKEY = "second_code", "ticket", "passkey"
"""Fields of the form: a code, the ticket of a right password, and what a passkey signed."""


def is_asked(error: VfsError) -> bool:
    """Return whether an error says that the code of a second factor is missing or wrong."""
    return error.members.get("needs") == "code"


def credentials(request: PageRequest, form: SentForm) -> Mapping[str, str]:
    """Return what a sign-in form proves, for /v1/auth: a password, a ticket or a passkey, with a code."""
    code = {"code": form[CODE].strip()} if form[CODE].strip() else {}
    ticket = {TICKET: form[TICKET]} if form[TICKET] else {}
    browser = {"browser": browser_of(request.ask)}
    if form[PASSKEY]:
        return {PASSKEY: form[PASSKEY], **browser, **ticket}
    if ticket:
        return {**ticket, **browser, **code}
    return {"username": form["username"].strip(), "password": form["password"], **code}


def page(request: PageRequest, to: str, form: SentForm, error: VfsError) -> Page:
    """Return the page that asks for the code; a wrong code is refused there, a missing one is no error."""
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


def challenge(request: PageRequest, form: SentForm) -> Piece:
    """Return the options with which the browser asks a passkey to sign in; those of the ticket's account."""
    browser, people = browser_of(request.ask), request.world.people
    account = people.proofs.account_of(form[TICKET], browser) if form[TICKET] else None
    options = people.passkeys.ask_to_sign(account, asker_at(request.origin, browser))
    return Piece(orjson.dumps(options), JSON, SANDBOX, browser)


def asks_code(request: PageRequest) -> bool:
    """Return whether a form of the caller's that asks for the password needs a code, too."""
    people, name = request.world.people, request.caller.name
    return name is not None and people.second.are_on(name) and not people.proofs.is_fresh(request.caller)


def blame_secret(error: VfsError) -> VfsError:
    """Return the same error at the field of the code or of the password, whichever is wrong."""
    return (
        blame_field(error, CODE, "it is missing, wrong, or was used before")
        if is_asked(error)
        else blame_field(error, "password", "it is wrong")
    )
