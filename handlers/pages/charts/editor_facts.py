"""Facts, saving and previews of the editors of plots and grids."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from handlers.http.headers import SANDBOX, WITHIN
from handlers.http.negotiation import accept_media
from handlers.pages.editing.edited_texts import EditedText, ShownText
from handlers.pages.editing.editor_frame import Editing, frame_facts, rejected_places, save_form
from handlers.pages.forms import Json, SentForm
from handlers.pages.framing.reader import LIGHT, look_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.result import Answered, Page, Piece, Redirect
from handlers.pages.templates import render
from handlers.pages.visuals.pictures import Window, picture_set
from handlers.pages.visuals.visual_page import version_of
from vfs.access import Verb
from vfs.errors import Unauthenticated, VfsError
from vfs.path import Path

HTML, JSON = "text/html", "application/json"


class PreviewDraft(NamedTuple):
    """The texts of a draft, facts about them for the script, and the picture's ratio of height to width.

    With a ratio of 0 the picture has its default height.
    """

    texts: Mapping[str, str]
    words: Mapping[str, Any]
    ratio: float = 0


OPTIONS = ("mode", "width")
"""Drawing options that are allowed in the address of a preview."""
WIDTH = 720
SHOWN = Window(0, WIDTH)


def draw_preview(request: PageRequest, path: Path, draft: Callable[[], PreviewDraft]) -> Piece:
    """Return the preview of a draft: a page for a frame, or JSON for the script.

    Both report mistakes in the texts with line and column. Raises Unauthenticated.
    """
    reported: dict[str, Any] = {}
    try:
        texts, words, ratio = draft()
        reported |= words
        reported |= draw(request, path, texts, ratio)
    except Unauthenticated:
        raise
    except VfsError as error:
        reported |= {"trouble": error.detail, "rejected": rejected_places(error)}
    if accept_media(request.ask.environ.get("HTTP_ACCEPT"), (JSON, HTML), HTML) == JSON:
        return json_piece(reported)
    facts = {"understood": "", "body": "", "log": [], "trouble": "", "rejected": [], "mode": _mode(request)}
    return Piece(render("chart_preview.html", {**facts, **reported}), f"{HTML}; charset=utf-8", WITHIN)


def json_piece(reported: Mapping[str, Any]) -> Piece:
    """Return a JSON response for the script of an editor."""
    return Piece(json.dumps(reported).encode(), JSON, SANDBOX)


def _mode(request: PageRequest) -> str:
    """Return the chosen look of a preview, or light: only a script can detect a dark system."""
    return look_of(request.ask) or LIGHT


def draw(request: PageRequest, path: Path, texts: Mapping[str, str], ratio: float = 0) -> dict[str, Any]:
    """Return the preview of the API at a path: form, media, body and log. Raises vfs.errors."""
    asked = {"mode": _mode(request), "width": str(WIDTH)}
    asked |= {one: said for one, said in request.query.items() if one in OPTIONS}
    if ratio and asked["width"].isdecimal():
        asked["height"] = str(round(int(asked["width"][:6]) * ratio))
    return dict(request.answer(Verb.WRITE, path, Json(dict(texts)), query={**asked, "form": "svg"}))


LARGEST_SHOWN = 256 * 1024
"""Maximum characters of data that are put into a form, and that are compared."""
TITLES = {
    "data": "Data",
    "layout": "Drawing",
    "mapping": "Contents of the boxes",
    "config/type": "Type",
    "name": "Title",
    "config/title": "Title in the picture",
    "config/subtitle": "Subtitle",
    "config/caption": "Caption",
}


def editor_facts(
    request: PageRequest,
    at: ItemPath,
    seen: Mapping[str, ShownText],
    *,
    title: str = "",
    unsaved: bool,
    error: VfsError | None,
    window: Window = SHOWN,
) -> dict[str, Any]:
    """Return the template values that these editors share, with the stored picture."""
    facts = frame_facts(request, at, seen, title=title, unsaved=unsaved, error=error)
    version = version_of(at, request)
    picture = picture_set(at, (window,), version, "As it is stored", lambda options: 0, {})
    return {**facts, "follow": at.file_path("svg"), "picture": picture}


def act(
    request: PageRequest,
    at: ItemPath,
    form: SentForm,
    made: Sequence[EditedText],
    again: Callable[[VfsError | None], Page],
) -> Answered:
    """Save the texts of an editor's form; `again` shows them if that fails. Raises vfs.errors."""
    done = f"{at.kind.name}-saved"
    how = Editing(
        titles=TITLES,
        again=again,
        saved=lambda: Redirect(str(at.page), done=done),
        largest=LARGEST_SHOWN,
    )
    return save_form(request, at, form, made, how)
