"""Facts that the pages of all visuals have in common."""

from __future__ import annotations

from typing import Any

from handlers.pages.items.item_head import item_head
from handlers.pages.job_parts import Command
from handlers.pages.request import PageRequest
from handlers.pages.visuals.visual_page import Onlooker, VisualPage
from handlers.pages.visuals.visual_path import VisualPath
from handlers.words.marked_words import plain_words
from handlers.words.plot import MARKED
from vfs.access import Verb
from vfs.errors import NotFound, Unavailable


def visual_facts(page: VisualPage, at: VisualPath, request: PageRequest) -> dict[str, Any]:
    """The facts. Raises NotFound or Unauthenticated if the caller sees no such thing."""
    entry = request.entry(at.api)
    reads = "r" in entry.permissions
    # One by one: beside data of many megabytes each look-up costs, and a folder's texts are many.
    config = {key: request.peek(at.api / ("config", key), "").strip() for key in page.words if reads}
    own = request.caller.name == at.user
    name = request.peek(at.api / "name", "").strip()
    summary = request.peek(at.api / "summary", "").strip()
    config |= {key: plain_words(text) for key, text in config.items() if key in MARKED}
    title = config.get("title") or config.get("subject") or name or at.name
    writes = request.may(Verb.WRITE, at.api / page.source)
    lead = config.get("subtitle") or summary
    return {
        "head": item_head(request, at, title=title, lead=lead, writes=writes, entry=entry),
        "at": at,
        "entry": entry,
        "own": own,
        "reads": reads,
        "looks": reads or "x" in entry.permissions,
        "writes": writes,
        "config": config,
        "title": title,
        "name": name or at.name,
        "summary": summary,
        "about": request.peek(at.api / "description", {"html": ""})["html"],
        "address": request.peek(at.api / "url", ""),
    }


def version_of(at: VisualPath, request: PageRequest, form: str = "svg") -> str:
    """The version of what is shown, "" while it cannot be told: the page is shown all the same."""
    try:
        return request.version(at.file_path(form))
    except (NotFound, Unavailable):
        return ""


def commands_of(
    page: VisualPage, at: VisualPath, request: PageRequest, facts: dict[str, Any]
) -> list[Command]:
    """The lines that do what the page does; of an empty visual, those that give it content."""
    onlooker = Onlooker(
        request.origin,
        at,
        signed=request.caller.name is not None,
        looks=facts["looks"],
        reads=facts["reads"],
        writes=facts["writes"],
        config=facts["config"],
    )
    return page.first(onlooker) if facts["empty"] and facts["writes"] else page.commands(onlooker)
