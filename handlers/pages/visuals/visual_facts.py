"""Facts that the pages of plots, grids, documents and mails have in common."""

from __future__ import annotations

from typing import Any

from handlers.pages.request import PageRequest
from handlers.pages.visuals.visual_path import VisualPath
from vfs.access import Verb
from vfs.errors import NotFound, Unavailable

WORDS = {"plot": ("type", "title", "subtitle", "caption"), "grid": (), "doc": ("type",), "mail": ("subject",)}
SOURCE = {"plot": "data", "grid": "layout", "doc": "content", "mail": "content"}


def visual_facts(at: VisualPath, request: PageRequest) -> dict[str, Any]:
    """The facts. Raises NotFound or Unauthenticated for whoever sees no such thing."""
    entry = request.entry(at.api)
    reads = "r" in entry.permissions
    # One by one: beside data of many megabytes each look-up costs, and a folder's texts are many.
    config = {key: request.peek(at.api / ("config", key), "").strip() for key in WORDS[at.kind] if reads}
    own = request.caller.name == at.user
    name = request.peek(at.api / "name", "").strip()
    return {
        "at": at,
        "entry": entry,
        "own": own,
        "reads": reads,
        "looks": reads or "x" in entry.permissions,
        "writes": request.may(Verb.WRITE, at.api / SOURCE[at.kind]),
        "config": config,
        "title": config.get("title") or config.get("subject") or name or at.name,
        "name": name or at.name,
        "summary": request.peek(at.api / "summary", "").strip(),
        "about": request.peek(at.api / "description", {"html": ""})["html"],
        "address": request.peek(at.api / "url", ""),
        "shares": [row.name for row in request.peek(at.api / "shared", ())] if own else [],
    }


def version_of(at: VisualPath, request: PageRequest, form: str = "svg") -> str:
    """The version of what is shown, "" while it cannot be told: the page is shown all the same."""
    try:
        return request.version(at.file_path(form))
    except (NotFound, Unavailable):
        return ""
