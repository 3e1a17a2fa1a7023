"""The page on which one makes a group."""

from __future__ import annotations

from handlers.pages.acting.fields import typed_name
from handlers.pages.forms import SentForm
from handlers.pages.groups import GroupPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Page, Redirect
from handlers.rules.addresses import API
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Invalid, Unauthenticated, VfsError
from vfs.path import Path

PAGE = Path(("new", "group"))
GROUPS = API / ("admin", "groups")


def show(request: PageRequest) -> Page:
    """The page. Raises Unauthenticated if the caller is not signed in."""
    _name(request)
    return _page(request, "", "", None)


def act(request: PageRequest, form: SentForm) -> Page | Redirect:
    """Make the group with its display name, all or nothing; what was typed stays where it is refused."""
    me = _name(request)
    title, name = form["title"].strip(), form["name"].strip()
    try:
        if not typed_name(form, "name"):
            raise Invalid("no group was made: say the name that its address is to have")
        with request.world.atomic():
            request.call(Verb.CREATE, GROUPS / name)
            if title:
                at = GroupPath(me, name)
                request.call(Verb.WRITE, at.admin / ("profile", "name"), TextBody(title))
    except VfsError as wrong:
        return _page(request, title, name, wrong)
    return Redirect(str(GroupPath(me, name).page), done="founded")


def _name(request: PageRequest) -> str:
    if request.caller.name is None:
        raise Unauthenticated("sign in to make a group")
    return request.caller.name


def _page(request: PageRequest, title: str, name: str, error: VfsError | None) -> Page:
    facts = {
        "shown": title,
        "name": name,
        "trouble": error.detail if error else "",
        "refused": {"name": error.detail} if error else {},
    }
    return Page("new_group.html", facts, error=error)
