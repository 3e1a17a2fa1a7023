"""The addresses of comments and activity."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.items.item_head import ACTIVITY
from handlers.pages.items.item_path import item_at
from handlers.pages.people.group_part import group_at
from handlers.pages.talking import activity_page, comments_page
from handlers.rules.kinds import Kinds
from vfs.path import Path


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    match item_at(path, kinds):
        case (at, ("comments",)):
            return View(partial(comments_page.show, at), partial(comments_page.act, at))
        case (at, (name,)) if name == ACTIVITY:
            return View(partial(activity_page.show, at))
    *above, last = tuple(path) or ("",)
    group = group_at(tuple(above)) if last == "comments" else None
    if group is not None:
        return View(partial(comments_page.show_group, group), partial(comments_page.act, group))
    return None


TALKING = PagePart(find, comments_page.DONE)
