"""Parts of documents, mails and grids that their readers cannot open, or that a copy lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from handlers.pages.forms import SentForm
from handlers.pages.items.item_path import ItemPath, item_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Redirect
from handlers.services.documents.found_parts import unseen_parts
from handlers.services.documents.part_requests import USER
from handlers.services.grid_cells import unseen_references
from handlers.services.rights import find_closed
from handlers.services.viewer import Viewer
from handlers.trees.visuals.docs import KIND as DOCUMENT
from handlers.trees.visuals.docs import RECIPE as DOCUMENT_RECIPE
from handlers.trees.visuals.grids import KIND as GRID
from handlers.trees.visuals.grids import RECIPE as GRID_RECIPE
from handlers.trees.visuals.mails import KIND as MAIL
from handlers.words.plot import plain_words
from vfs.access import Verb
from vfs.body import TextBody
from vfs.errors import Conflict, Invalid, Unavailable
from vfs.ports.items import Item

MOST_ASKED = 20
THREADS = "threads"


@dataclass(frozen=True, slots=True)
class ClosedPart:
    """A part that readers see but cannot open: its title and page, and to whom it is closed."""

    at: ItemPath
    title: str
    own: bool
    targets: Sequence[str]


def closed_parts(at: ItemPath, request: PageRequest) -> list[ClosedPart] | None:
    """Return the parts of an own item that its readers cannot open; without readers, those not public.

    Returns None if the renderer, which reads the text, is busy or unavailable.
    """
    viewer = _viewer(at, request)
    if viewer is None or at.kind.name not in SHOWN or request.caller.name != at.user:
        return []
    try:
        shown = SHOWN[at.kind.name](viewer)
    except Unavailable:
        return None
    closed = list(find_closed(request.world, viewer.item, shown, ("",)))
    texts = request.world.leaves.texts_of([one.item.id for one in closed], ("config/title", "name"))
    kinds = request.world.service.kinds
    return [
        ClosedPart(
            ItemPath(kinds[one.item.kind], one.item.owner, one.item.name),
            plain_words(texts.get(one.item.id, {}).get("config/title", "").strip())
            or texts.get(one.item.id, {}).get("name", "").strip()
            or one.item.name,
            one.item.owner == at.user,
            [target for target in one.targets if target],
        )
        for one in closed
    ]


def _in_document(viewer: Viewer) -> Mapping[str, Item]:
    """Return the items with a chart, picture or value in a document, by their paths."""
    found = DOCUMENT_RECIPE.parts.find(viewer, viewer.item)
    items = {path: one for path, one in found.items.items() if path.kind != USER}
    return {"/".join(path): one for path, one in items.items() if one.id != viewer.item.id}


def _in_grid(viewer: Viewer) -> Mapping[str, Item]:
    return GRID_RECIPE.named_plots(viewer.world, viewer.item)


SHOWN: Mapping[str, Callable[[Viewer], Mapping[str, Item]]] = {
    DOCUMENT.name: _in_document,
    MAIL.name: _in_document,
    GRID.name: _in_grid,
}
"""Functions that return the items which an item shows, by the names of its kind."""


def lacks_of(at: ItemPath, request: PageRequest) -> list[str] | None:
    """Return the names of items that a copy of another user's item would not show; None as `closed_parts`.

    The names are in the item's texts, so only callers who may copy the texts get them.
    """
    viewer = _viewer(at, request)
    if viewer is None or at.kind.name not in SHOWN or request.caller.name in (None, at.user):
        return []
    if Verb.RENAME not in (request.call(None, at.api).allow or ()):
        return []
    try:
        if at.kind.name == GRID.name:
            return unseen_references(viewer, viewer.me)
        return unseen_parts(viewer, viewer.item, viewer.me)
    except Unavailable:
        return None


def may_ask(at: ItemPath, request: PageRequest) -> bool:
    """Return whether the caller may ask the owner, in a comment."""
    return request.may(Verb.CREATE, at.api / (THREADS, "x"))


def ask_for_parts(at: ItemPath, request: PageRequest, form: SentForm) -> Redirect:
    """Ask the owner, in a comment, to share what a copy would lack; each request is posted once."""
    names = [name for name in lacks_of(at, request) or () if name.startswith("/u/")][:MOST_ASKED]
    if not names:
        raise Invalid("a copy lacks nothing that can be asked for: copy it")
    owners = dict.fromkeys((at.user, *(name.split("/")[2] for name in names)))
    whom = " ".join(f"@{one}" for one in owners)
    named = ", ".join(f"[{name}]({name}/share)" for name in names)
    text = f"{whom}: my copy of this would lack {named}. Please share them with me."
    thread = sha256(f"{request.caller.name} {text}".encode()).hexdigest()[:10]
    with suppress(Conflict):
        request.call(Verb.CREATE, at.api / (THREADS, thread), TextBody(text))
    return Redirect(f"{at.page}#comments", done="asked for parts", values={"owner": at.user})


def _viewer(at: ItemPath, request: PageRequest) -> Viewer | None:
    """Return the caller as a viewer of the item; None without the item."""
    item = item_of(request, at)
    return Viewer(request.world, item, request.caller) if item is not None else None
