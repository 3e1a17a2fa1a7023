"""The page that invites colleagues: by a one-time link, or by asking a user to be connected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.acting.fields import at_field, name_of
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import NAME, Path

PAGE = Path(("invite",))
SOCIAL = API / ("admin", "social")
LINKS, CONNECTIONS, REGISTER = SOCIAL / "links", SOCIAL / "connections", API / "register"
PENDING = "I-"


def show(request: PageRequest, made: Mapping[str, Any] | None = None) -> Page:
    """Return the page; `made` is a new link, which is shown once. Raises Unauthenticated."""
    request.me("invite a colleague")
    facts = {
        "made": made,
        "links": request.peek(LINKS, ()),
        "asked": [row for row in request.peek(CONNECTIONS, ()) if row.name.startswith(PENDING)],
        "registers": request.world.service.settings.registration == "invited"
        or request.may(Verb.WRITE, REGISTER),
    }
    return Page("invite.html", facts)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Handle a form of the page; a new link is shown at once, so there is no redirect."""
    match form["do"]:
        case "link":
            name = name_of(form["for"]) or "colleague"
            with at_field("for"):
                return show(request, request.answer(Verb.CREATE, LINKS / name))
        case "end" if form["name"]:
            request.remove(LINKS / form["name"])
            return Redirect(str(PAGE), done="link-ended")
        case "ask":
            return _ask(request, form["name"].strip().lower().removeprefix("@"))
        case "withdraw" if form["name"]:
            request.remove(CONNECTIONS / f"{PENDING}{form['name']}")
            undo = {"do": "ask", "name": form["name"]}
            return Redirect(str(PAGE), done="unasked", values={"who": f"@{form['name']}"}, undo=undo)
    raise unknown_form()


def _ask(request: PageRequest, name: str) -> Redirect:
    """Ask a user to be connected; the result is the same if there is no such user."""
    with at_field("name"):
        if NAME.fullmatch(name) is None:
            raise Invalid("that is not a user name: enter one, such as @bob")
        if name == request.caller.name:
            raise Invalid("you cannot invite yourself: enter another user name")
        request.create(CONNECTIONS / name)
    return Redirect(str(PAGE), done="asked", values={"who": f"@{name}"})
