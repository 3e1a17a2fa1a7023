"""The changes of a space, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.job_parts import SIGNED, Command
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.pages.spaces.space_facts import space_facts
from vfs.access import Verb
from vfs.call import Data
from vfs.errors import Denied, Gone, Unauthenticated

MOST = 100
SEARCHED = 1_000
"""Rows of the journal in which the changes of one file are looked for."""
WORDS = {"create": "made", "update": "changed", "move": "moved", "delete": "deleted"}


def show(at: ItemPath, request: PageRequest) -> Page:
    """The page, the newest hundred or those before `?before=`. Raises as `space_facts`."""
    space = space_facts(request, at)
    latest = _page(request, at, 0, 1).get("latest_seq", 0)
    asked = request.query.get("before", "")
    before = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else latest + 1
    before = min(before, latest + 1)
    since = max(0, before - 1 - MOST)
    told = _page(request, at, since, before - 1 - since)
    rows = [_row(change) for change in reversed(told.get("changes", ())) if change["seq"] < before]
    facts = {
        "space": space,
        "head": space.head,
        "title": space.title,
        "rows": rows,
        "newer": before <= latest,
        "older": rows[-1]["seq"] if rows and rows[-1]["seq"] > 1 and len(rows) == MOST else 0,
        "closed": not space.at or told == {},
        "commands": [Command("Follow the changes", f"{SIGNED} '{request.origin}{at.api}/changes?since=0'")],
    }
    return Page("space_changes.html", facts)


def newest_changes(request: PageRequest, at: ItemPath, path: str) -> list[Mapping[str, Any]]:
    """Changes of a file, newest first, among the last thousand changes of its space."""
    latest = _page(request, at, 0, 1).get("latest_seq", 0)
    told = _page(request, at, max(0, latest - SEARCHED), SEARCHED)
    return [
        _row(change)
        for change in reversed(told.get("changes", ()))
        if path in (change["path"], change["old_path"])
    ]


def _page(request: PageRequest, at: ItemPath, since: int, limit: int) -> Mapping[str, Any]:
    """A page of the journal; empty without read access. Changes that are no longer stored are skipped."""
    if limit <= 0:
        return {}
    query = {"since": str(since), "limit": str(limit)}
    try:
        reply = request.send(Verb.READ, at.api / "changes", query=query)
    except Gone:
        return _page(request, at, 0, limit) if since else {}
    except (Denied, Unauthenticated):
        return {}
    assert isinstance(reply.value, Data)
    told: Mapping[str, Any] = reply.value.value
    return told


def _row(change: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        **change,
        "word": WORDS[str(change["change"])],
        "names": change["path"].split("/"),
        "is_there": change["change"] != "delete",
    }
