"""The pages of all kinds of visuals, and the way to the page of one."""

from __future__ import annotations

from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.visuals.document_pages import DOCUMENT_PAGE, MAIL_PAGE
from handlers.pages.visuals.grid_page import GRID_PAGE
from handlers.pages.visuals.plot_page import PLOT_PAGE
from handlers.pages.visuals.visual_page import VisualPage
from handlers.pages.visuals.visual_path import VisualPath
from handlers.rules.addresses import API
from handlers.services.access import item_access
from vfs.errors import NotFound

VISUAL_PAGES = (PLOT_PAGE, GRID_PAGE, DOCUMENT_PAGE, MAIL_PAGE)


def show(page: VisualPage, user: str, name: str, request: PageRequest) -> Page:
    """The page of a visual. Raises NotFound or Unauthenticated if the caller sees no such thing."""
    return page.show(page, VisualPath(page.kind, user, name), request)


def show_short(page: VisualPage, short: str, request: PageRequest) -> Page:
    """The page at the address that a visual calls its own. Raises as `show` does."""
    world, caller, kind = request.world, request.caller, page.kind.name
    found = world.items.by_shortname(short, caller.name)
    if found is None or found.item.kind != kind or not item_access(world, found, caller):
        # Refused as what is not there, in the words of the address that was asked for.
        request.call(None, API / ("i", short))
        raise NotFound(f"{short} is not the short id of a {kind}")
    return show(page, found.item.owner, found.item.name, request)
