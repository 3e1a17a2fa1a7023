"""The comments on an item as a page shows them: threads with their answers, and what the reader may do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.call import Entry
from vfs.path import Path

THREADS, ANSWERS, TEXT = "threads", "comments", "msg"
MOST_SHOWN = 100
"""Comments of an item that a page shows, the first ones of the oldest threads."""
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


@dataclass(frozen=True, slots=True)
class Talk:
    """The comments on an item. The reader may write one where it is `open`; not all are shown if `more`."""

    at: ItemPath
    said: Sequence[ShownComment]
    open: bool
    more: bool

    @property
    def page(self) -> Path:
        """The page of the comments alone, which takes their forms."""
        return self.at.page / "comments"


def talk_of(request: PageRequest, at: ItemPath) -> Talk | None:
    """The comments that the caller reads; None for an item that has none to read."""
    if request.peek(at.api / THREADS) is None:
        return None
    left = [MOST_SHOWN]
    said = tuple(_read_comments(request, at, THREADS, left))
    opened = request.caller.name is not None and request.may(Verb.CREATE, at.api / THREADS / "x")
    return Talk(at, said, opened, left[0] <= 0)


def _read_comments(
    request: PageRequest, at: ItemPath, folder: str, left: list[int]
) -> Iterator[ShownComment]:
    """The comments of a folder with what was answered, until so many are `left` as there are."""
    for row in request.peek(_inside(at, folder), ()):
        if left[0] <= 0:
            return
        left[0] -= 1
        yield _one(request, at, f"{folder}/{row.name}", row, left)


def _one(request: PageRequest, at: ItemPath, path: str, row: Entry, left: list[int]) -> ShownComment:
    told, extra = request.peek(_inside(at, path, TEXT), {"raw": "", "html": ""}), row.extra or {}
    own = extra["author"] == request.caller.name
    return ShownComment(
        at=path,
        author=extra["author"],
        raw=told["raw"],
        html=told["html"],
        created_on=row.created_on,
        edited_on=extra["edited_on"] or "",
        deleted=extra["deleted"],
        own=own,
        changes=own and not extra["deleted"] and request.may(Verb.WRITE, _inside(at, path, TEXT)),
        removes=Verb.REMOVE in row.verbs and not extra["deleted"],
        light=own and not extra["replies"] and len(told["raw"]) <= SHORT,
        answers=tuple(_read_comments(request, at, f"{path}/{ANSWERS}", left)) if extra["replies"] else (),
    )


def _inside(at: ItemPath, *names: str) -> Path:
    return Path((*at.api, *(one for name in names for one in name.split("/"))))
