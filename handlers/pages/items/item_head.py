"""The head of an item's page: title, audience, tags, the reader's permissions, and tabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from handlers.pages.items.item_path import ItemPath
from handlers.pages.items.talk import Talk, talk_of
from handlers.pages.request import PageRequest
from vfs.call import Entry
from vfs.path import Path

FAVOURITE = "fav"
SYSTEM = {FAVOURITE: "Favourites", "like": "Liked", "wip": "Work in progress", "archived": "Archived"}
"""Labels of the tags that every account has."""
EVERYBODY = "public"
VIEW, EDIT, ACTIVITY, SETTINGS, SHARE = "view", "edit", "activity", "settings", "share"


class Tab(NamedTuple):
    """A page of an item: its key, its title and its address."""

    word: str
    title: str
    path: str


class ShownTag(NamedTuple):
    """A tag of the reader: its name, and its label."""

    name: str
    words: str


def tag_label(name: str) -> str:
    """Return a tag for display: own tags and categories without their sign."""
    return SYSTEM.get(name, name.lstrip("+="))


class _Seen(NamedTuple):
    """The words for an item's audience."""

    words: str
    public: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHead:
    """The lines above an item, and the comments below it if `talk` is set.

    `favourite` is None for a caller without tags, `tags` are their other tags. `comments` is the number of
    comments, None if they are not shown. `seen_by` names the audience, only the owner if `alone`; `lead`
    says what the item is. `writes` is whether the reader may edit it.
    """

    at: ItemPath
    title: str
    talk: Callable[[], Talk | None] = lambda: None
    lead: str = ""
    own: bool = False
    writes: bool = False
    favourite: bool | None = None
    tags: Sequence[ShownTag] = ()
    comments: int | None = None
    seen_by: str = ""
    public: bool = False
    alone: bool = False
    changed: str = ""
    tabs: Sequence[Tab] = ()

    @property
    def share(self) -> Path:
        """The page on which the item is shared."""
        return self.at.page / SHARE

    @property
    def settings(self) -> Path:
        """The page of the item's settings, which also takes the form of the star."""
        return self.at.page / SETTINGS


def item_head(
    request: PageRequest,
    at: ItemPath,
    *,
    title: str = "",
    lead: str = "",
    writes: bool,
    entry: Entry | None = None,
) -> ItemHead:
    """Return the head of an item that the caller sees, in a few calls. Raises as `entry` does.

    The title is that of the item, unless its page has another one.
    """
    entry = entry if entry is not None else request.entry(at.api)
    me = request.caller.name
    own = me == at.user
    seen = _audience(request, at) if me == at.user else _way(request, at)
    tagged = [row.name for row in request.peek(at.api / "tags", ())] if me is not None else []
    threads = request.peek(at.api / "threads")
    return ItemHead(
        at=at,
        title=title or str(request.peek(at.api / "name", "")).strip() or at.name,
        talk=partial(talk_of, request, at),
        lead=lead,
        own=own,
        writes=writes,
        favourite=FAVOURITE in tagged if me is not None else None,
        tags=[ShownTag(name, tag_label(name)) for name in tagged if name != FAVOURITE],
        comments=len(threads) if threads is not None else None,
        seen_by=seen.words,
        public=seen.public,
        alone=seen.alone,
        changed=entry.last_modified,
        tabs=tabs(at, writes=writes, reads="r" in entry.permissions, own=own, known=me is not None),
    )


def tabs(at: ItemPath, *, writes: bool, reads: bool, own: bool, known: bool) -> list[Tab]:
    """Return the pages of an item that its reader may open."""
    page = str(at.page)
    found = [Tab(VIEW, at.kind.shows, page)]
    found += [Tab(word, title, f"{page}/{word}") for word, title in at.kind.further_pages.items() if reads]
    found += [Tab(EDIT, "Edit", f"{page}/{EDIT}")] * (writes and at.kind.has_editor)
    found += [Tab(ACTIVITY, "Activity", f"{page}/{ACTIVITY}")] * (reads and known)
    found += [Tab(SETTINGS, "Settings", f"{page}/{SETTINGS}")] * known
    return found


def _audience(request: PageRequest, at: ItemPath) -> _Seen:
    """Return the audience of the caller's own item, from the file `seen_by`."""
    facts = request.peek(at.api / "seen_by", {"words": "You", "public": False, "people": (), "groups": ()})
    seen = any(facts.get(one) for one in ("public", "people", "groups", "links"))
    return _Seen(facts["words"], facts["public"], not seen)


def _way(request: PageRequest, at: ItemPath) -> _Seen:
    """Return the way by which the reader sees another owner's item."""
    names = [row.name.rpartition("~")[0] for row in request.peek(at.api / "shared", ())]
    if EVERYBODY in names:
        return _Seen("everybody", True)
    through = next((name for name in names if "~" in name), "")
    return _Seen(f"shared by @{at.user}" + (f" with {through}" if through else ""))


def users_of(request: PageRequest, at: ItemPath) -> Sequence[Mapping[str, Any]]:
    """Return rows of the items that refer to this one and that the reader may read; at most one page."""
    found: Sequence[Mapping[str, Any]] = request.peek(at.api / "used_by", {"found": ()})["found"]
    return found
