"""Lists of resources of all kinds, for the pages of their owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from handlers.pages.items.item_path import OWNER, GroupPath, group_of, pictured_at, titles_of
from handlers.pages.request import PageRequest
from handlers.pages.visuals.pictures import small_picture
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind, kind_in, rights_in_words
from vfs.path import Path

MOST = 30
LOOKS = frozenset("rx")


def things(request: PageRequest, base: Path) -> list[Mapping[str, Any]]:
    """Return the folders of all kinds below a path that are not empty, as the caller sees them."""
    every = request.world.service.kinds
    kinds = sorted(every.values(), key=lambda kind: not kind.paged)
    found = ((kind, request.peek(base / (kind.family, kind.folder), ())) for kind in kinds)
    return [
        {
            "title": kind.title,
            "icon": kind.name,
            "rows": _rows(request, kind, rows[:MOST], every),
            "more": max(len(rows) - MOST, 0),
        }
        for kind, rows in found
        if rows
    ]


def _rows(
    request: PageRequest, kind: ResourceKind, rows: Sequence[Any], kinds: Kinds
) -> list[Mapping[str, Any]]:
    places = [Path.parse(row.target or row.uri) for row in rows]
    titles = titles_of(request, kind, places)
    return [_row(request, *one, kinds) for one in zip(rows, places, titles, strict=True)]


def _row(request: PageRequest, row: Any, place: Path, title: str, kinds: Kinds) -> Mapping[str, Any]:
    """Return an item's title and page and, if it is not the caller's own, what the caller may do.

    `owner` is its owner, for lists of several people's items.
    """
    letters = (row.extra or {}).get("permissions", row.permissions)
    kind = kind_in(place[3], place[4], kinds)
    own = place[2] == request.caller.name
    visual = pictured_at(place, kinds) if LOOKS.intersection(letters) else None
    return {
        "name": title,
        "owner": place[OWNER] if row.name.startswith("@") else "",
        "path": page_of(place, kinds),
        "changed": row.last_modified,
        "may": rights_in_words(kind, letters) if kind is not None and not own else "",
        "picture": small_picture(visual, row.last_modified) if visual else None,
    }


def page_of(path: Path, kinds: Kinds) -> Path:
    """Return the page for a path of the API, also for a comment's; the path itself if there is no page."""
    match path[1:] if path[:1] == API else ():
        case ("users", user):
            return Path(("u", user))
        case ("users", user, family, folder, name) | ("users", user, family, folder, name, "runs", _):
            kind = kind_in(family, folder, kinds)
            own = ("u", user, kind.letter, name, *path[7:]) if kind is not None and kind.has_page else path
            return Path(own)
        case ("admin", "groups", ref) if "~" in ref:
            return group_of(ref).page
        case ("users", user, "groups", group, "threads", *_):
            return GroupPath(user, group).page
        case ("admin", "orgs", org) | ("orgs", org, "threads", *_):
            return GroupPath(org, org=True).page
        case ("admin", "orgs", org, "groups", group) | ("orgs", org, "groups", group, "threads", *_):
            return GroupPath(org, group, org=True).page
    return path
