"""Hits of the search for pages: each with its page, its picture, and the matched words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from handlers.pages.run_bars import RunBars, run_bars
from handlers.pages.templates import mark_words
from handlers.pages.visuals.pictures import PictureSet, small_picture
from handlers.rules.addresses import API
from handlers.rules.kinds import ResourceKind, rights_in_words
from handlers.rules.plain_lines import balance
from vfs.access import Verb
from vfs.path import Path
from vfs.ports.search import asked_words, marks

SEARCH = API / "search"
LONGEST = 300
"""Maximum characters of a text in a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A hit: its row of the search, with its words marked, its page and its picture.

    `runs` are those of a job; None for other kinds and for readers who may not see them.
    """

    kind: ResourceKind
    row: Mapping[str, Any]
    title: str
    summary: str
    page: Path
    own: bool
    picture: PictureSet | None = None
    runs: RunBars | None = None

    @property
    def may(self) -> str:
        """The reader's permissions in words."""
        return rights_in_words(self.kind, "".join(sorted(self.row["permissions"], key="rwxd".index)))


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of hits; `after` is where the next one begins, "" at the end.

    `counts` has the number of hits of each kind, `owners` and `tags` those of each owner and tag; None if
    they were not requested or there are too many.
    """

    hits: Sequence[Hit] = field(default_factory=tuple)
    after: str = ""
    counts: Mapping[str, int] | None = None
    owners: Mapping[str, int] | None = None
    tags: Mapping[str, int] | None = None


def find(request: PageRequest, query: Mapping[str, str]) -> FoundPage:
    """Return the hits of a query of the search API. Raises Invalid."""
    sent = {name: text for name, text in query.items() if text}
    facts = request.answer(Verb.READ, SEARCH, query=sent)
    wanted = asked_words(sent.get("q", ""))
    counted = {name: facts.get(name) for name in ("counts", "owners", "tags")}
    return FoundPage([_hit(request, row, wanted) for row in facts["found"]], facts["after"], **counted)


def _hit(request: PageRequest, row: Mapping[str, Any], wanted: tuple[str, ...]) -> Hit:
    kind = request.world.service.kinds[row["kind"]]
    at = ItemPath(kind, row["author"], row["id"])
    looks = kind.pictured and set(row["permissions"]) & set("rx")
    return Hit(
        kind=kind,
        row=row,
        title=_mark(row["name"], wanted),
        summary=_mark(row["summary"], wanted),
        page=at.page if kind.has_page else at.api,
        own=row["author"] == request.caller.name,
        picture=small_picture(at, row["updated"]) if looks else None,
        runs=run_bars(row["runs"]) if "runs" in row else None,
    )


def _mark(text: str, wanted: tuple[str, ...]) -> str:
    """Return a text with the searched words marked; a long one is cut, "" if it is empty."""
    line = " ".join(text.split())
    line = balance(line if len(line) <= LONGEST else f"{line[:LONGEST]}…")
    return mark_words(line, marks(line, wanted)) if line else ""
