"""The frame of a page: its links, the reader's notices, and their time zone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from handlers.pages.request import PageRequest
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind
from handlers.services.accounts import is_operator
from vfs.access import Verb
from vfs.errors import VfsError
from vfs.path import Path

NOTICES, ZONE = API / ("admin", "notifications"), API / ("admin", "profile", "timezone")
PAGE, SECTION = "page", "true"
"""Values of `aria-current` for a link to the present page, and for one to its section."""


class NavLink(NamedTuple):
    """A link of the navigation; `current` is its `aria-current`, "" for other pages."""

    title: str
    path: str
    current: str


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The frame around a page.

    `unread` is the number of notices, `operates` shows the `/operator` link, and `sends_mail` is whether
    mails leave this server.
    """

    places: Sequence[NavLink] = ()
    kinds: Sequence[ResourceKind] = ()
    unread: int = 0
    zone: str = "UTC"
    operates: bool = False
    sends_mail: bool = True


def frame(request: PageRequest, here: Path) -> PageFrame:
    """Return the frame of the page at a path, without the parts that the caller may not see."""
    settings = request.world.service.settings
    if request.caller.name is None:
        return PageFrame(sends_mail=settings.sends_mail)
    kinds, notices = request.world.service.kinds, request.world.social.notices
    try:
        # Count, as each page would otherwise read a list that may be long.
        unread = notices.count(request.caller.name) if request.may(Verb.READ, NOTICES) else 0
        zone = str(request.peek(ZONE, "UTC")).strip()
    except VfsError:
        unread, zone = 0, "UTC"
    operates = is_operator(request.world, request.caller)
    return PageFrame(
        places(kinds, here), list(kinds.values()), unread, zone, operates, sends_mail=settings.sends_mail
    )


def bare_frame(request: PageRequest, here: Path) -> PageFrame:
    """Return the frame of a page after an internal error, without values that need further calls."""
    if request.caller.name is None:
        return PageFrame()
    kinds = request.world.service.kinds
    return PageFrame(places(kinds, here), list(kinds.values()))


def places(kinds: Kinds, here: Path) -> list[NavLink]:
    """Return links to home and to the lists of all kinds; the one of the present path is marked."""
    found = [NavLink("Home", "/", PAGE if not here else "")]
    for kind in kinds.values():
        at = tuple(here)
        inside = at[:2] == ("new", kind.noun) or (at[:1] == ("u",) and at[2:3] == (kind.letter,))
        current = PAGE if at == (kind.list_page,) else SECTION if inside else ""
        found.append(NavLink(kind.list_page.capitalize(), f"/{kind.list_page}", current))
    return found
