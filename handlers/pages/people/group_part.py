"""The pages of groups and organisations: their addresses, and what their forms tell."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.groups import GroupPath
from handlers.pages.people import group_page, group_settings, new_group
from handlers.rules.kinds import Kinds
from vfs.path import Path

DONE = {
    "changed": "The role is given.",
    "invited": "The invitation is on its way: it waits for an answer.",
    "joined": "You are in.",
    "untaken": "The invitation is taken back.",
    "left": "You left it.",
    "founded": "It is there, and you are its founder.",
    "set": "Saved.",
}


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    if path == new_group.PAGE:
        return View(new_group.show, new_group.act)
    *at, last = tuple(path) or ("",)
    is_settings = last == "settings"
    group = group_at(tuple(at) if is_settings else tuple(path))
    if group is None:
        return None
    page = group_settings if is_settings else group_page
    return View(partial(page.show, group), partial(page.act, group))


def group_at(names: tuple[str, ...]) -> GroupPath | None:
    """The group that the names of a page's address lead to; None where they lead elsewhere."""
    match names:
        case ("o", org):
            return GroupPath(org, org=True)
        case ("o", org, "g", group):
            return GroupPath(org, group, org=True)
        case ("u", user, "grp", group):
            return GroupPath(user, group)
    return None


GROUPS = PagePart(find, DONE)
