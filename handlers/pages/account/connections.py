"""The page of the applications that the caller let act for it, each of which is disconnected alone."""

from __future__ import annotations

from handlers.pages.forms import SentForm
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.rules.scopes import SCOPES
from handlers.services.applications.connections import connections_of
from vfs.access import Verb
from vfs.errors import Invalid, Unauthenticated
from vfs.path import Path

PAGE = Path(("connections",))
TOKENS = API / ("admin", "tokens")


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated for whoever is not signed in."""
    if request.caller.name is None:
        raise Unauthenticated("sign in to see the applications that are connected to your account")
    request.read(TOKENS)  # refuses credentials that never see those of others
    facts = {
        "connections": connections_of(request.world, request.caller.name),
        "rights": SCOPES,
        "commands": _commands(request),
    }
    return Page("connections.html", facts)


def act(request: PageRequest, form: SentForm) -> Redirect:
    """Take the form of the page: end one connection."""
    if form["do"] != "disconnect" or not form["name"]:
        raise Invalid("this page cannot do what the form asks for: open the page again")
    request.call(Verb.REMOVE, TOKENS / form["name"])
    return Redirect(str(PAGE), done="disconnected")


def _commands(request: PageRequest) -> list[Command]:
    tokens = f"{request.origin}{TOKENS}"
    return [
        Command("Your tokens, those of applications among them", f"{SIGNED} {tokens}"),
        Command("What one was used for", f"{SIGNED} {tokens}/NAME/log"),
        Command("Disconnect one", f"{SIGNED} -X DELETE {tokens}/NAME"),
    ]
