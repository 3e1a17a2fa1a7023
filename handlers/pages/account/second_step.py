"""The second step of signing in with a browser: a code, or a passkey, after the right password."""

from __future__ import annotations

from collections.abc import Mapping

from handlers.http.session_cookie import browser_of
from handlers.pages.acting.fields import blame_field
from handlers.pages.forms import SentForm
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from vfs.errors import VfsError

CODE, TICKET = "second_code", "ticket"
"""Fields of the form: a code of the second factor, and the ticket of a right password."""


def is_asked(error: VfsError) -> bool:
    """Return whether an error says that the code of a second factor is missing or wrong."""
    return error.members.get("needs") == "code"


def credentials(request: PageRequest, form: SentForm) -> Mapping[str, str]:
    """Return what a sign-in form proves, for /v1/auth: a password, or a ticket, with a code."""
    code = {"code": form[CODE].strip()} if form[CODE].strip() else {}
    if form[TICKET]:
        return {"ticket": form[TICKET], "browser": browser_of(request.ask), **code}
    return {"username": form["username"].strip(), "password": form["password"], **code}


def page(request: PageRequest, to: str, form: SentForm, error: VfsError) -> Page:
    """Return the page that asks for the code; a wrong code is refused there, a missing one is no error."""
    browser = browser_of(request.ask)
    account = request.ask.notes.account or ""
    ticket = form[TICKET] or request.world.people.proofs.ticket(account, browser)
    said = "The code is wrong, too old, or was used before." if form[CODE].strip() else ""
    facts = {"next": to, "ticket": ticket, "zone": form["zone"], "account": account, "said": said}
    return Page("second_step.html", facts, error=error if said else None, browser=browser)


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
