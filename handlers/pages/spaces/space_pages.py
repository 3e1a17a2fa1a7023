"""The addresses of a space's pages, and the views at them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from handlers.pages.acting.view import PagePart, View
from handlers.pages.browsing import LARGEST_FORM
from handlers.pages.editing.conflict_page import BOTH, GO_ON, MINE, THEIRS
from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath, item_at
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page
from handlers.pages.spaces import browse_page, changes_page, file_page
from handlers.pages.spaces.folder_deeds import DEEDS
from handlers.pages.spaces.space_facts import AT, CHANGES, RESERVED
from handlers.rules.kinds import Kinds
from handlers.trees.code.spaces import KIND
from vfs.call import About, Data
from vfs.errors import Denied, Invalid, NotFound
from vfs.path import Path

SAVES = ("save", BOTH, GO_ON, MINE, THEIRS)
DONE = {
    "filesaved": "Saved.",
    "foldermade": "The folder is made.",
    "filemade": "The file is made: write it, then save.",
    "moved": "{name} is {to} now.",
    "dropped": "Deleted {name}.",
}


def find(path: Path, kinds: Kinds) -> View | None:
    """The view at a path; None where a space has no page there."""
    found = item_at(path, kinds)
    if found is None or found[0].kind is not KIND:
        return None
    at, names = found
    if names == (CHANGES,):
        return View(partial(changes_page.show, at))
    if len(names) == 1 and names[0] in RESERVED:
        return None
    within = names[1:] if names[:1] == (AT,) else names
    return View(partial(show, at, within), partial(act, at, within), LARGEST_FORM)


def show(at: ItemPath, names: Sequence[str], request: PageRequest) -> Page:
    """The page of the folder or file at a path. Raises NotFound or Unauthenticated."""
    shown = file_page.show if _is_file(at, names, request) else browse_page.show
    return shown(at, names, request)


def act(at: ItemPath, names: Sequence[str], request: PageRequest, form: SentForm) -> Answered:
    """Take a form of the page."""
    do = form["do"] or "save"
    if do in DEEDS:
        return DEEDS[do](at, names, request, form)
    if names and do in SAVES:
        return file_page.save(at, names, request, form)
    if names and do == "remove":
        return file_page.remove(at, names, request)
    raise Invalid("this page cannot do what the form asks for: open the page again")


def _is_file(at: ItemPath, names: Sequence[str], request: PageRequest) -> bool:
    """Whether a file is at a path; the folder of all is none, whoever may not look into it."""
    if not names:
        return False
    path = at.api / ("content", *names)
    try:
        told = request.call(None, path).value
    except Denied:
        return False
    assert isinstance(told, Data)
    about: About = told.value
    if about.vacant:
        raise NotFound(f"there is no {path}")
    return about.entry.type == "file"


SPACE_PAGES = PagePart(find, DONE)
