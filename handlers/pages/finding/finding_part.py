"""The pages that find, by their paths."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.finding import home_page, list_pages
from handlers.rules.kinds import Kinds
from vfs.path import Path


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    match tuple(path):
        case ():
            return View(home_page.show, home_page.act)
        case ("search",):
            return View(list_pages.show_search)
        case ("shared",):
            return View(list_pages.show_shared)
        case (name,):
            kind = next((one for one in kinds.values() if one.list_page == name), None)
            return View(partial(list_pages.show_kind, kind)) if kind is not None else None
    return None


DONE = {
    "example": "The example is made. It is yours: change it, or delete it in its settings.",
    "examples": "The examples are made. They are yours: change them, or delete each in its settings.",
}
FINDING = PagePart(find, DONE)
