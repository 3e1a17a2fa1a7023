"""The comments on an item or in a group as a page shows them, with the reader's permissions."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from handlers.pages.items.item_path import GroupPath, ItemPath, item_of
from handlers.pages.request import PageRequest
from handlers.services.descriptions import description_html
from vfs.access import Verb
from vfs.path import Path
from vfs.ports.items import Item
from vfs.ports.social import TOP, Comment

THREADS, ANSWERS, TEXT = "threads", "comments", "msg"
NAME_BYTES = 5
MOST_SHOWN = 100
"""Maximum comments on an item's page; the oldest are shown."""
SHORT = 1500
"""Maximum characters of a text in an Undo."""


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment; `at` is its path inside the item.

    `changes` and `removes` are whether the reader may do so. A `light` one is short enough for Undo.
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
        """The fragment of the comment within the page."""
        return self.at.replace("/", ".").replace("@", "")


class TalkPlace(NamedTuple):
    """The subject of comments: its folder in the tree, its page, its item, and its title."""

    api: Path
    page: Path
    item: Item
    noun: str


class OwnAndOthers(NamedTuple):
    """A value for the reader's own comments, and one for those of others."""

    own: bool
    others: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """The comments on a subject; `open` if the reader may write one, `more` if not all are shown.

    `fresh` is the name for a new comment, so that a form that is sent twice writes only one.
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
    """Return the comments on an item that the caller may read; None if there are none to read."""
    item = item_of(request, at)
    return talk_at(request, TalkPlace(at.api, at.page, item, at.kind.noun)) if item is not None else None


def talk_at(request: PageRequest, place: TalkPlace) -> Talk | None:
    """Return the comments on a subject that the caller may read, by one query; None if there are none."""
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
    """Return the paths of comments inside their item; each is below the one that it answers."""
    paths: dict[int, str] = {}
    for one in comments:
        above = f"{paths[one.parent]}/{ANSWERS}" if one.parent != TOP else THREADS
        paths[one.id] = f"{above}/{one.name}"
    return paths


def _may_remove(
    request: PageRequest, place: TalkPlace, comments: Sequence[Comment], paths: Mapping[int, str]
) -> OwnAndOthers:
    """Return whether the reader may remove comments: checked for the first own and the first other one."""
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
    """Return the comments of a group that the caller may read; None without read access."""
    relation = request.world.people.groups.find(at.ref, request.caller.name)
    if relation is None:
        return None
    noun = "group" if at.group else "organisation"
    return talk_at(request, TalkPlace(at.api, at.page, relation.group.item, noun))
