"""Facts that the pages of both editors have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from handlers.pages.charts.tried import rejected_places
from handlers.pages.items.item_head import EDIT, item_head
from handlers.pages.request import PageRequest
from handlers.pages.visuals.pictures import Window, picture_set
from handlers.pages.visuals.visual_facts import version_of
from handlers.pages.visuals.visual_path import VisualPath
from vfs.access import Verb
from vfs.errors import Denied, Invalid, Outdated

WINDOWS = (Window(0, 720),)
MOST_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The surroundings of an editor's fields: the item, and what became of what was typed."""

    at: VisualPath
    title: str
    unsaved: bool
    error: Invalid | Outdated | None


def refuse_strangers(request: PageRequest, at: VisualPath, source: str) -> None:
    """Raise Denied for a reader who may not write, NotFound for whoever sees nothing."""
    request.entry(at.api)
    if not request.may(Verb.WRITE, at.api / source) or not request.may(Verb.READ, at.api / source):
        raise Denied(
            f"editing needs read and write access (rw) to this {at.kind.noun}: ask @{at.user}, its owner"
        )


def editor_facts(request: PageRequest, around: Around) -> dict[str, Any]:
    """The facts: head and tabs of the item, the stored picture, and what was refused."""
    at, error = around.at, around.error
    name = request.peek(at.api / "name", "").strip()
    title = around.title.strip() or name or at.name
    version = version_of(at, request)
    return {
        "at": at,
        "title": title,
        "head": item_head(request, at, title=title, writes=True),
        "current": EDIT,
        "picture": picture_set(at, WINDOWS, version, "As it is stored", lambda options: 0, {}),
        "unsaved": around.unsaved,
        "trouble": _trouble(error),
        "rejected": rejected_places(error)[:MOST_TOLD] if error else [],
    }


def _trouble(error: Invalid | Outdated | None) -> str | None:
    if error is None:
        return None
    if isinstance(error, Outdated):
        return (
            f"{error.detail[:1].upper()}{error.detail[1:]}. What you typed is still here and nothing of it "
            "was saved: look at what is stored now, then Save writes yours over it."
        )
    return f"Not saved: {error.detail}."
