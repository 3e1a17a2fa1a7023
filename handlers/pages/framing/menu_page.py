"""The page that lists what both menus hold, for browsers without popovers."""

from __future__ import annotations

from handlers.pages.acting.view import PagePart, View
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.kinds import Kinds
from vfs.path import Path

PAGE = Path(("menu",))


def show(request: PageRequest) -> Page:
    """The page."""
    return Page("menu.html", {})


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    return View(show) if path == PAGE else None


MENU = PagePart(find)
