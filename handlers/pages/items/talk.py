"""The comments on an item or in a group as a page shows them, and what the reader may do."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from handlers.pages.groups import GroupPath
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.services.descriptions import description_html
from vfs.access import Verb
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.social import TOP, Comment

THREADS, ANSWERS, TEXT = "threads", "comments", "msg"
NAME_BYTES = 5
MOST_SHOWN = 100
"""Comments of an item that a page shows, the oldest."""
SHORT = 1500
"""Letters of a text that an Undo may carry."""


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment; `at` is its path inside the item.

    `changes` and `removes` tell what the reader may do with it. A `light` one may be put back once deleted.
    """

    at: str
    author: str
    raw: str
    html: str
    created_on: str
    edited_on: str
    deleted: bool
    own: bool
    changes: bool
    removes: bool
    light: bool
    answers: Sequence[ShownComment] = ()

    @property
    def mark(self) -> str:
        """Its name within the page."""
        return self.at.replace("/", ".").replace("@", "")


class TalkPlace(NamedTuple):
    """The thing that is talked about: its folder in the tree, its page, its item, and what it is called."""

    api: Path
    page: Path
    item: Item
    noun: str


class OwnAndOthers(NamedTuple):
    """An answer for what the reader wrote, and one for what others did."""

    own: bool
    others: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """The comments on a thing. The reader may write one where it is `open`; not all are shown if `more`.

    `fresh` is the name of a comment that is written now: a form that is sent twice names the same one.
    """

    place: TalkPlace
    said: Sequence[ShownComment]
    open: bool
    more: bool
    fresh: str = field(default_factory=lambda: secrets.token_hex(NAME_BYTES))

    @property
    def page(self) -> Path:
        """The page of the comments alone, which takes their forms."""
        return self.place.page / "comments"


def talk_of(request: PageRequest, at: ItemPath) -> Talk | None:
    """The comments on an item that the caller reads; None for an item that has none to read."""
    found = request.world.items.find(at.kind.name, at.user, at.name, request.caller.name)
    if found is None:
        return None
    return talk_at(request, TalkPlace(at.api, at.page, found.item, at.kind.noun))


def talk_at(request: PageRequest, place: TalkPlace) -> Talk | None:
    """The comments on a thing that the caller reads, by one statement; None where there are none to read."""
    if not request.may(Verb.READ, place.api / THREADS):
        return None
    found = request.world.social.threads.whole([place.item.id], MOST_SHOWN + 1)
    shown, below = found[:MOST_SHOWN], dict[int, list[Comment]]()
    for one in shown:
        below.setdefault(one.parent, []).append(one)
    paths = _paths(shown)
    removes = _may_remove(request, place, shown, paths)
    first = next((one for one in shown if _is_own(request, one) and not one.deleted), None)
    changes = first is not None and request.may(Verb.WRITE, _inside(place, paths[first.id], TEXT))
    opened = request.caller.name is not None and request.may(Verb.CREATE, place.api / THREADS / "x")

    def shown_below(parent: int) -> Iterator[ShownComment]:
        for one in below.get(parent, ()):
            own = _is_own(request, one)
            yield ShownComment(
                at=paths[one.id],
                author=one.author,
                raw=one.text,
                html=description_html(request.world, one.text, one.author),
                created_on=one.created_on,
                edited_on=one.last_modified if one.edited else "",
                deleted=one.deleted,
                own=own,
                changes=own and changes and not one.deleted,
                removes=(removes.own if own else removes.others) and not one.deleted,
                light=own and not one.replies and len(one.text) <= SHORT,
                answers=tuple(shown_below(one.id)),
            )

    return Talk(place, tuple(shown_below(TOP)), opened, len(found) > MOST_SHOWN)


def _paths(comments: Sequence[Comment]) -> Mapping[int, str]:
    """The paths of comments inside their item; each stands behind the one that it answers."""
    paths: dict[int, str] = {}
    for one in comments:
        above = f"{paths[one.parent]}/{ANSWERS}" if one.parent != TOP else THREADS
        paths[one.id] = f"{above}/{one.name}"
    return paths


def _may_remove(
    request: PageRequest, place: TalkPlace, comments: Sequence[Comment], paths: Mapping[int, str]
) -> OwnAndOthers:
    """Whether the reader may remove comments: asked for the first own one, and the first one of others."""
    first: dict[bool, str] = {}
    for one in comments:
        if not one.deleted:
            first.setdefault(_is_own(request, one), paths[one.id])
    may = {own: request.may(Verb.REMOVE, _inside(place, path)) for own, path in first.items()}
    return OwnAndOthers(may.get(True, False), may.get(False, False))


def _is_own(request: PageRequest, one: Comment) -> bool:
    return one.author == request.caller.name


def _inside(place: TalkPlace, *names: str) -> Path:
    return Path((*place.api, *(one for name in names for one in name.split("/"))))


def talk_of_group(request: PageRequest, at: GroupPath) -> Talk | None:
    """The comments that the caller reads there; None without read access."""
    standing = request.world.people.groups.find(at.ref, request.caller.name)
    if standing is None:
        return None
    noun = "group" if at.group else "organisation"
    return talk_at(request, TalkPlace(at.api, at.page, standing.group.item, noun))
