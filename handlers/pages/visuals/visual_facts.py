"""Facts that the pages of all visuals have in common."""

from __future__ import annotations

from typing import Any

from handlers.pages.items.item_head import item_head
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.templates import SIGNED
from handlers.pages.visuals.visual_page import CurlLine, VisualPage
from handlers.words.marked_words import plain_words
from handlers.words.plot import MARKED
from vfs.access import Verb
from vfs.errors import NotFound, Unavailable


def visual_facts(page: VisualPage, at: ItemPath, request: PageRequest) -> dict[str, Any]:
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


def version_of(at: ItemPath, request: PageRequest, form: str = "svg") -> str:
    """The version of what is shown, "" while it cannot be told: the page is shown all the same."""
    try:
        return request.version(at.file_path(form))
    except (NotFound, Unavailable):
        return ""


def commands_of(
    page: VisualPage, at: ItemPath, request: PageRequest, facts: dict[str, Any]
) -> list[CurlLine]:
    """The lines that do what the page does; of an empty visual, those that give it content."""
    curl = SIGNED if request.caller.name is not None else "curl"
    words = {
        "name": at.name,
        "folder": f"{request.origin}{at.api}",
        "files": f"{request.origin}{at.file_path('')}".removesuffix("."),
        "curl": curl,
        "sent": f"{curl} -H 'Content-Type: text/plain'",
    }
    lines = page.first if facts["empty"] and facts["writes"] else page.commands
    return [CurlLine(one.what, one.line.format_map(words)) for one in lines if facts[one.needs]]
