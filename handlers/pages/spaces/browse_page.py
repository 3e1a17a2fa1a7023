"""The page of a folder of a space: what it holds, a hundred at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.spaces.space_facts import SpaceFacts, space_facts
from vfs.call import Entry
from vfs.errors import Denied

MOST = 100
"""Entries of a page. A form of theirs has a field for each chosen one."""
LONGEST_SEARCH = 200


def show(at: ItemPath, names: Sequence[str], request: PageRequest) -> Page:
    """The page. Raises NotFound or Unauthenticated for whoever sees no such space or folder."""
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
        **_page(rows or (), request),
        "closed": rows is None,
        "commands": _commands(request, space, names),
    }
    return Page("space.html", facts)


def _page(rows: Sequence[Entry], request: PageRequest) -> dict[str, Any]:
    """The entries of this page, folders first, those alone whose names hold what is looked for."""
    wanted = request.query.get("q", "").strip()[:LONGEST_SEARCH]
    found = [row for row in rows if wanted.lower() in row.name.lower()]
    found.sort(key=lambda row: (row.type != "dir", row.name))
    names = [row.name for row in found]
    after = request.query.get("after", "")
    begin = names.index(after) + 1 if after in names else 0
    return {
        "rows": found[begin : begin + MOST],
        "begin": begin,
        "older": len(found) > begin + MOST,
        "found": len(found),
        "count": len(rows),
        "size": sum((row.extra or {}).get("size", 0) for row in rows),
        "wanted": wanted,
    }


def _commands(request: PageRequest, space: SpaceFacts, names: Sequence[str]) -> list[Command]:
    api = f"{request.origin}{space.content / names}"
    shown = [Command("List the folder", f"{SIGNED} {api}")]
    if space.writes:
        shown.append(Command("Put a file there", f"{SIGNED} -T orders.csv {api}/orders.csv"))
        shown.append(Command("Remove one", f"{SIGNED} -X DELETE {api}/orders.csv"))
    return shown
