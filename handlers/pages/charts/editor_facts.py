"""Facts, saving and previews of the editors of plots and grids."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.http.headers import SANDBOX, WITHIN
from handlers.http.negotiation import accept_media
from handlers.pages.editing.conflict_page import GO_ON, conflict_page, settle
from handlers.pages.editing.edited_texts import EditedText, ShownText, save
from handlers.pages.forms import Json, SentForm
from handlers.pages.framing.look import LIGHT, look_of
from handlers.pages.items.item_head import EDIT, item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.templates import render
from handlers.pages.visuals.pictures import Window, picture_set
from handlers.pages.visuals.visual_page import version_of
from vfs.access import Verb
from vfs.call import Data, Form
from vfs.errors import Denied, NotFound, Outdated, Unauthenticated, VfsError
from vfs.path import Path

HTML, JSON = "text/html", "application/json"
PREVIEW = "preview"
PreviewDraft = tuple[Mapping[str, str], Mapping[str, Any]]
"""The texts of a draft, and words about them for the script."""
OPTIONS = ("mode", "width")
"""Drawing options that are allowed in the address of a preview."""
WIDTH = 720


def draw_preview(request: PageRequest, path: Path, draft: Callable[[], PreviewDraft]) -> Piece:
    """Return the picture that a preview draws of a draft: a page for a frame, or JSON for the script.

    Both report what cannot be read, with line and column. Raises Unauthenticated.
    """
    told: dict[str, Any] = {}
    try:
        texts, words = draft()
        told |= words
        told |= draw(request, path, texts)
    except Unauthenticated:
        raise
    except VfsError as error:
        told |= {"trouble": error.detail, "rejected": rejected_places(error)}
    if accept_media(request.ask.environ.get("HTTP_ACCEPT"), (JSON, HTML), HTML) == JSON:
        return Piece(json.dumps(told).encode(), JSON, SANDBOX)
    facts = {"understood": "", "body": "", "log": [], "trouble": "", "rejected": [], "mode": _mode(request)}
    return Piece(render("chart_preview.html", {**facts, **told}), f"{HTML}; charset=utf-8", WITHIN)


def _mode(request: PageRequest) -> str:
    """Return the chosen look of a preview, or light: only a script can detect a dark system."""
    return look_of(request.ask) or LIGHT


def rejected_places(error: VfsError) -> list[dict[str, Any]]:
    """Return the positions in an error: field, line and column (0: none), reason and excerpt."""
    told = error.members.get("rejected") or []
    return [{"field": "", "line": 0, "column": 0, "reason": "", "excerpt": "", **one} for one in told]


def draw(request: PageRequest, path: Path, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the preview of the API at a path: form, media, body and log. Raises vfs.errors."""
    asked = {"mode": _mode(request), **{one: said for one, said in request.query.items() if one in OPTIONS}}
    reply = request.call(
        Verb.WRITE,
        path,
        Json(dict(texts)),
        want=Form.DATA,
        query={"width": str(WIDTH), **asked, "form": "svg"},
    )
    assert isinstance(reply.value, Data)
    return dict(reply.value.value)


WINDOWS = (Window(0, 720),)
MOST_TOLD = 5
LARGEST_SHOWN = 256 * 1024
"""Maximum characters of data that are put into a form, and that are compared."""
TITLES = {
    "data": "Data",
    "layout": "Drawing",
    "mapping": "What stands in the boxes",
    "config/type": "Type",
    "name": "Title",
    "config/title": "Another title in the picture",
    "config/subtitle": "Subtitle",
    "config/caption": "Caption",
}
DraftPage = Callable[[VfsError | None], Page]
"""Returns the editor with the input and the error of the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The data around an editor's fields: the item, its texts as they were shown, the error."""

    at: ItemPath
    title: str
    seen: Mapping[str, ShownText]
    unsaved: bool
    error: VfsError | None


def refuse_strangers(request: PageRequest, at: ItemPath, source: str) -> None:
    """Raise Denied for a reader who may not write, NotFound for a caller without any access."""
    request.entry(at.api)
    if not request.may(Verb.WRITE, at.api / source) or not request.may(Verb.READ, at.api / source):
        raise Denied(
            f"editing needs read and write access (rw) to this {at.kind.noun}: ask @{at.user}, its owner"
        )


def editor_facts(request: PageRequest, around: Around) -> dict[str, Any]:
    """Return the template values: head and tabs of the item, the stored picture, and the errors."""
    at, error = around.at, around.error
    name = request.peek(at.api / "name", "").strip()
    title = name or around.title.strip() or at.name
    version = version_of(at, request)
    return {
        "at": at,
        "title": title,
        "head": item_head(request, at, title=title, writes=True),
        "texts": around.seen,
        "preview": f"{at.page}/{EDIT}/{PREVIEW}",
        "follow": at.file_path("svg"),
        "picture": picture_set(at, WINDOWS, version, "As it is stored", lambda options: 0, {}),
        "unsaved": around.unsaved,
        "trouble": _trouble(error),
        "rejected": rejected_places(error)[:MOST_TOLD] if error else (),
    }


def act(
    request: PageRequest, at: ItemPath, form: SentForm, made: Sequence[EditedText], draft_page: DraftPage
) -> Answered:
    """Save the texts of an editor's form; `draft_page` shows them again. Raises vfs.errors."""
    if form["do"] == GO_ON:
        return draft_page(None)
    texts = settle(form, made)
    try:
        conflicts = save(request, at.api, texts)
    except (Unauthenticated, NotFound):
        raise
    except VfsError as error:
        return draft_page(error)
    if not conflicts:
        return Redirect(str(at.page), done=f"{at.kind.name}-saved")
    compared = [*(one.text for one in texts if one.is_changed), *(one.theirs.text for one in conflicts)]
    if max(map(len, compared)) > LARGEST_SHOWN:
        names = ", ".join(one.mine.rel for one in conflicts)
        said = "this is too large to be compared: look at what is stored, and save again to write over it"
        return draft_page(Outdated(f"somebody else changed {names} meanwhile, and {said}"))
    return conflict_page(at, texts, conflicts, TITLES)


def _trouble(error: VfsError | None) -> str | None:
    """Return the sentence on the error; None if the list of errors shows it at its position."""
    return f"Not saved: {error.detail}." if error is not None else None
