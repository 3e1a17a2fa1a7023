"""The frame of a page: where one can go from it, what waits for its reader, and their time zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.pages.request import PageRequest
from handlers.rules.accounts import is_operator
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind
from vfs.access import Verb
from vfs.errors import VfsError
from vfs.path import Path

NOTICES, ZONE = API / ("admin", "notifications"), API / ("admin", "profile", "timezone")
PAGE, SECTION = "page", "true"
"""How a link is marked that leads to the present page, or to what the present page belongs to."""


class NavLink(NamedTuple):
    """A link of the navigation; `current` is how it is marked, "" where one is elsewhere."""

    title: str
    path: str
    current: str


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The things around each page; `unread` are the notices that wait, `operates` leads to `/operator`."""

    places: Sequence[NavLink] = ()
    kinds: Sequence[ResourceKind] = ()
    unread: int = 0
    zone: str = "UTC"
    operates: bool = False


def frame(request: PageRequest, here: Path) -> PageFrame:
    """The frame of the page at a path; does without what the caller is refused."""
    if request.caller.name is None:
        return PageFrame()
    kinds, notices = request.world.service.kinds, request.world.social.notices
    try:
        # Not the listing, which may be long and is made for each page.
        unread = notices.count(request.caller.name) if request.may(Verb.READ, NOTICES) else 0
        zone = str(request.peek(ZONE, "UTC")).strip()
    except VfsError:
        unread, zone = 0, "UTC"
    operates = is_operator(request.world.service.settings.operators, request.caller)
    return PageFrame(places(kinds, here), list(kinds.values()), unread, zone, operates)


def places(kinds: Kinds, here: Path) -> list[NavLink]:
    """Home and the lists of all kinds, with the one that a path belongs to marked."""
    found = [NavLink("Home", "/", PAGE if not here else "")]
    for kind in kinds.values():
        at = tuple(here)
        inside = at[:2] == ("new", kind.noun) or (at[:1] == ("u",) and at[2:3] == (kind.letter,))
        current = PAGE if at == (kind.list_page,) else SECTION if inside else ""
        found.append(NavLink(kind.list_page.capitalize(), f"/{kind.list_page}", current))
    return found
