"""The pages of what people own, by their addresses."""

from __future__ import annotations

from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.items.item_head import SETTINGS, SHARE
from handlers.pages.items.item_path import item_at
from handlers.pages.owning import new_page, settings_page, share_page
from handlers.rules.kinds import Kinds
from vfs.path import Path

PAGES = {SETTINGS: settings_page, SHARE: share_page}


def find(path: Path, kinds: Kinds) -> View | None:
    """The page at a path."""
    match tuple(path):
        case ("new", noun):
            kind = next((kind for kind in kinds.values() if kind.noun == noun), None)
            return View(partial(new_page.show, kind), partial(new_page.make, kind)) if kind else None
    found = item_at(path, kinds)
    if found is None or len(found[1]) != 1 or found[1][0] not in PAGES:
        return None
    at, page = found[0], PAGES[found[1][0]]
    return View(partial(page.show, at), partial(page.act, at))


OWNING = PagePart(find, {**new_page.DONE, **settings_page.DONE, **share_page.DONE})
