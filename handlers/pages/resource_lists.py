"""Lists of resources of all kinds, for the pages of those whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.request import PageRequest
from handlers.pages.visuals.pictures import small_picture
from handlers.pages.visuals.visual_path import visual_at
from handlers.rules.addresses import API
from vfs.path import Path

MOST = 30
LOOKS = frozenset("rx")


def things(request: PageRequest, base: Path) -> list[Mapping[str, Any]]:
    """The folders of all kinds below a path that have something in them, as the caller sees it."""
    kinds = sorted(request.world.service.kinds.values(), key=lambda kind: not kind.paged)
    found = ((kind.title, request.peek(base / (kind.family, kind.folder), ())) for kind in kinds)
    return [
        {"title": title, "rows": [_row(row) for row in rows[:MOST]], "more": max(len(rows) - MOST, 0)}
        for title, rows in found
        if rows
    ]


def _row(row: Any) -> Mapping[str, Any]:
    """A thing by its name, with its page."""
    place = Path.parse(row.target or row.uri)
    letters = (row.extra or {}).get("permissions", row.permissions)
    visual = visual_at(place) if LOOKS.intersection(letters) else None
    return {
        "name": row.name,
        "path": page_of(place),
        "changed": row.last_modified,
        "letters": letters,
        "picture": small_picture(visual, row.last_modified) if visual else None,
    }


def page_of(path: Path) -> Path:
    """The page of what lies at a path of the API; the path itself of what has none."""
    match path[1:] if path[:1] == API else ():
        case ("users", user):
            return Path(("u", user))
        case ("users", user, "vis", ("plots" | "grids" | "docs" | "mails") as folder, name):
            return Path(("u", user, folder[0], name))
        case ("users", user, "code", "jobs", job):
            return Path(("u", user, "j", job))
        case ("users", user, "code", "jobs", job, "runs", run):
            return Path(("u", user, "j", job, run))
        case ("admin", "groups", ref) if "~" in ref:
            owner, _, group = ref.removeprefix("@").partition("~")
            return Path(("u", owner, "grp", group))
        case ("admin", "orgs", org):
            return Path(("o", org))
        case ("admin", "orgs", org, "groups", group):
            return Path(("o", org, "g", group))
    return path
