"""What lies in the folders of all kinds, for the pages of those whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handlers.pages.desk import Desk
from vfs.path import Path

MOST = 30
THINGS = (
    ("Jobs", "code/jobs"),
    ("Documents", "vis/docs"),
    ("Plots", "vis/plots"),
    ("Grids", "vis/grids"),
    ("Mails", "vis/mails"),
    ("Repositories", "code/repos"),
    ("Spaces", "code/spaces"),
)


def things(desk: Desk, base: Path) -> list[Mapping[str, Any]]:
    """What lies in the folders of all kinds below a path, as the caller sees it: those with something."""
    found = ((title, desk.peek(base / kind.split("/"), ())) for title, kind in THINGS)
    return [
        {"title": title, "rows": [_row(row) for row in rows[:MOST]], "more": max(len(rows) - MOST, 0)}
        for title, rows in found
        if rows
    ]


def _row(row: Any) -> Mapping[str, Any]:
    """A thing by its name, with its page where it has one, else its folder."""
    path = Path.parse(row.target or row.uri)
    letters = (row.extra or {}).get("permissions", row.permissions)
    match path:
        case ("v1", "users", user, "code", "jobs", job):
            path = Path(("u", user, "j", job))
    return {"name": row.name, "path": path, "changed": row.last_modified, "letters": letters}
