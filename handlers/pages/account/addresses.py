"""The page of the e-mail addresses of the caller's account."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid, Unauthenticated
from vfs.path import Path

PAGE = Path(("addresses",))
EMAILS = API / ("admin", "profile", "emails")


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated for whoever is not signed in."""
    if request.caller.name is None:
        raise Unauthenticated("sign in to see the e-mail addresses of your account")
    addresses = [{"name": row.name, **(row.extra or {})} for row in request.read(EMAILS)]
    return Page("addresses.html", {"addresses": addresses, "commands": _commands(request)})


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Take a form of the page: add an address, mail its code again, make it the primary one, or remove it."""
    place = EMAILS / form["name"].strip()
    match form["do"]:
        case "add":
            request.call(Verb.CREATE, place)
            return Redirect(str(PAGE), done="mailed")
        case "primary":
            request.call(Verb.WRITE, place / "primary", TextBody("yes"))
            return Redirect(str(PAGE), done="primary")
        case "remove":
            request.call(Verb.REMOVE, place)
            return Redirect(str(PAGE), done="removed")
    raise Invalid("this page cannot do what the form asks for: open the page again")


def _commands(request: PageRequest) -> list[Command]:
    emails = f"{request.origin}{EMAILS}"
    return [
        Command("Your addresses", f"{SIGNED} {emails}"),
        Command("Add one, or have its code mailed again", f"{SIGNED} -X PUT {emails}/NAME@HOST"),
        Command("Remove one", f"{SIGNED} -X DELETE {emails}/NAME@HOST"),
    ]
