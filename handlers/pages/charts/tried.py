"""Previews of an editor: drawn by the API from what was typed, for a frame or for the page's script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from handlers.http.headers import SANDBOX, WITHIN
from handlers.http.negotiation import accept_media
from handlers.pages.forms import Json
from handlers.pages.framing.look import LIGHT, look_of
from handlers.pages.request import PageRequest
from handlers.pages.result import Piece
from handlers.pages.templates import render
from vfs.access import Verb
from vfs.call import Data, Form
from vfs.errors import Unauthenticated, VfsError
from vfs.path import Path

HTML, JSON = "text/html", "application/json"
PREVIEW = "preview"
OPTIONS = ("mode", "width")
"""Options of the drawing that the address of a preview may have."""
WIDTH = 720


def preview(request: PageRequest, item: Path, texts: Mapping[str, str]) -> Piece:
    """The picture of an item with these texts: a page for a frame, or JSON for the script that asks for it.

    What cannot be read is told in either, at its line and column. Raises Unauthenticated.
    """
    try:
        told = draw(request, item, texts)
    except Unauthenticated:
        raise
    except VfsError as error:
        told = {"trouble": error.detail, "rejected": rejected_places(error)}
    if accept_media(request.ask.environ.get("HTTP_ACCEPT"), (JSON, HTML), HTML) == JSON:
        return Piece(json.dumps(told).encode(), JSON, SANDBOX)
    facts = {"body": "", "log": [], "trouble": "", "rejected": [], "mode": _mode(request), **told}
    return Piece(render("chart_preview.html", facts), f"{HTML}; charset=utf-8", WITHIN)


def _mode(request: PageRequest) -> str:
    """The look of a preview: light in a frame of a system that is dark, which only a script can tell."""
    return look_of(request.ask) or LIGHT


def rejected_places(error: VfsError) -> list[dict[str, Any]]:
    """The places that a refusal tells of: field, line and column (0: none), reason and excerpt."""
    told = error.members.get("rejected") or []
    return [{"field": "", "line": 0, "column": 0, "reason": "", "excerpt": "", **one} for one in told]


def draw(request: PageRequest, item: Path, texts: Mapping[str, str]) -> dict[str, Any]:
    """The preview of the API: form, media, body and log. Raises vfs.errors."""
    asked = {"mode": _mode(request), **{one: said for one, said in request.query.items() if one in OPTIONS}}
    reply = request.call(
        Verb.WRITE,
        item / PREVIEW,
        Json(dict(texts)),
        want=Form.DATA,
        query={"width": str(WIDTH), **asked, "form": "svg"},
    )
    assert isinstance(reply.value, Data)
    return dict(reply.value.value)
