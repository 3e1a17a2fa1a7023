"""The page of a folder of a space: what it holds, a hundred at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handlers.pages.browsing import page_of_entries
from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.spaces.space_facts import SpaceFacts, space_facts
from vfs.call import Entry
from vfs.errors import Denied


def show(at: ItemPath, names: Sequence[str], request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated if the caller sees no such space or folder."""
    space = space_facts(request, at)
    folder = space.content / names
    try:
        rows: Sequence[Entry] | None = request.read(folder)
    except Denied:
        rows = None
    facts: dict[str, Any] = {
        "space": space,
        "head": space.head,
        "title": space.title,
        "names": list(names),
        "api": folder,
        "page": page_of_entries(rows or (), request.query),
        "closed": rows is None,
        "commands": _commands(request, space, names),
    }
    return Page("space.html", facts)


def _commands(request: PageRequest, space: SpaceFacts, names: Sequence[str]) -> list[Command]:
    api = f"{request.origin}{space.content / names}"
    shown = [Command("List the folder", f"{SIGNED} {api}")]
    if space.writes:
        shown.append(Command("Put a file there", f"{SIGNED} -T orders.csv {api}/orders.csv"))
        shown.append(Command("Remove one", f"{SIGNED} -X DELETE {api}/orders.csv"))
    return shown
