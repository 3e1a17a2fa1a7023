"""The page of a user: its profile, its groups, its items, and the reader's own invitations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.finding.hits import find
from handlers.pages.finding.list_pages import filter_of, kinds_counted
from handlers.pages.forms import SentForm, unknown_form
from handlers.pages.items.item_path import INVITES, group_of
from handlers.pages.people.group_page import answer_invitation
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from handlers.services.descriptions import description_html
from vfs.path import Path

THINGS = {"count": "24", "state": "yes", "counts": "yes"}
"""The query for a page of a user's items, with their numbers by kind."""
GROUPS = API / "groups"
ORGS = API / ("admin", "orgs")
CONNECTIONS = API / ("admin", "social", "connections")


def show(user: str, request: PageRequest) -> Page:
    """Return the page. Raises NotFound or Unauthenticated if the caller does not see the user."""
    at = API / ("users", user)
    card = request.read(at / "profile")
    own = request.caller.name == user
    chosen = filter_of(request, Path(("u", user)))
    kind = request.world.service.kinds.get(chosen["kind"])
    wanted = {"kind": kind.name if kind is not None else "", "after": chosen["after"]}
    found = find(request, {**THINGS, "owner": user, **wanted})
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
        "connects": request.caller.name is not None and request.peek(CONNECTIONS / user) is None,
        "filter": chosen,
        "found": found,
        "cards": kind is None or kind.pictured,
        "ways": kinds_counted(request, chosen, found.counts) if found.counts else (),
        "makes_org": own and card["account_type"] == "organisation" and request.peek(ORGS / user) is None,
    }
    return Page("user.html", facts)


def act(user: str, request: PageRequest, form: SentForm) -> Redirect:
    """Handle a form of the page: answer an invitation, connect, or found an organisation."""
    page = str(Path(("u", user)))
    if form["do"] == "answer" and form["ref"]:
        return answer_invitation(request, form, form["ref"], page)
    if form["do"] == "connect":
        request.create(CONNECTIONS / user)
        return Redirect(page, done="asked", values={"who": f"@{user}"})
    if form["do"] == "organisation" and request.caller.name is not None:
        request.create(ORGS / request.caller.name)
        return Redirect(f"/o/{request.caller.name}", done="founded")
    raise unknown_form()


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
