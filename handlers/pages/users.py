"""The page of a user: its profile, its groups, its things, and the reader's own invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.forms import SentForm
from handlers.pages.groups import INVITES, group_of
from handlers.pages.inbox import notice_groups
from handlers.pages.people.answers import answer
from handlers.pages.request import PageRequest
from handlers.pages.resource_lists import things
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.services.descriptions import description_html
from vfs.access import Verb
from vfs.errors import Invalid
from vfs.path import Path

MOST_GROUPS = 6
GROUPS = API / "groups"
ORGS = API / ("admin", "orgs")
CONNECTIONS = API / ("admin", "social", "connections")


def show(user: str, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated if the caller does not see the user."""
    at = API / ("users", user)
    card = request.read(at / "profile")
    own = request.caller.name == user
    facts: dict[str, Any] = {
        "user": user,
        "at": at,
        "card": card,
        "own": own,
        "title": card["name"] or f"@{user}",
        "about": description_html(request.world, card["description"], user) if card["description"] else "",
        "picture": _picture(request, user),
        "groups": _groups(request, at, own=own),
        "invitations": request.peek(INVITES, ()) if own else (),
        "notices": notice_groups(request, MOST_GROUPS, invitations=False) if own else ((), 0),
        "connects": request.caller.name is not None and request.peek(CONNECTIONS / user) is None,
        "things": things(request, at),
        "makes_org": own and card["account_type"] == "organisation" and request.peek(ORGS / user) is None,
    }
    return Page("user.html", facts)


def act(user: str, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page: answer an invitation, connect, or found an organisation."""
    page = str(Path(("u", user)))
    if form["do"] == "answer" and form["ref"]:
        return answer(request, form["ref"], form, page)
    if form["do"] == "connect":
        request.call(Verb.CREATE, CONNECTIONS / user)
        return Redirect(page, done="asked", told={"who": f"@{user}"})
    if form["do"] == "organisation" and request.caller.name is not None:
        request.call(Verb.CREATE, ORGS / request.caller.name)
        return Redirect(f"/o/{request.caller.name}", done="founded")
    raise Invalid("this page cannot do what the form asks for: open the page again")


def _groups(request: PageRequest, at: Path, *, own: bool) -> list[Mapping[str, Any]]:
    """Return the user's groups that the caller sees; for the caller itself with organisations."""
    if own:
        refs = [row.name for row in request.peek(GROUPS, ())]
    else:
        user = at[2]
        rows = request.peek(at / "groups", ())
        refs = [row.name if row.name.startswith("@") else f"@{user}~{row.name}" for row in rows]
    return [{"ref": ref, "path": group_of(ref).page} for ref in refs]


def _picture(request: PageRequest, user: str) -> Path | None:
    at = API / ("u", user, "img")
    return at if request.peek(at) is not None else None
