"""Lists: the search over all kinds, the items of one kind, shared items; and their filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from handlers.pages.finding.hits import FoundPage, find
from handlers.pages.items.item_head import tag_label
from handlers.pages.request import PageRequest
from handlers.pages.result import Page
from handlers.rules.addresses import API
from handlers.rules.kinds import ResourceKind
from vfs.errors import Invalid
from vfs.path import Path

PARTS = ("q", "kind", "owner", "whose", "tag", "sort")
WHOSE = (
    ("", "Everything you can see"),
    ("mine", "Mine"),
    ("shared", "Shared with me"),
    ("public", "Shared with everybody"),
)
SORTS = (("", "Last changed"), ("name", "By title"), ("created", "Newest"))


class Chosen(NamedTuple):
    """A part of the filter: its label, and the address without it."""

    says: str
    without: str


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter in the query of a list's address, with the path of the list."""

    path: str
    query: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.query.get(name, "")

    def address(self, **changes: str) -> str:
        """Return the address of the list with some parts changed, from the first page."""
        asked = {name: self[name] for name in PARTS} | changes
        sent = {name: text for name, text in asked.items() if text}
        return f"{self.path}?{urlencode(sent)}" if sent else self.path

    @property
    def chosen(self) -> Sequence[Chosen]:
        """The parts that narrow the list."""
        words = {
            "q": f"“{self['q']}”",
            "kind": self["kind"],
            "owner": f"@{self['owner'].removeprefix('@')}",
            "whose": dict(WHOSE).get(self["whose"], self["whose"]),
            "tag": tag_label(self["tag"]),
        }
        return [Chosen(said, self.address(**{name: ""})) for name, said in words.items() if self[name]]

    @property
    def first(self) -> str:
        """The address of the first page, if this is a later one."""
        return self.address() if self["after"] else ""


class Narrowing(NamedTuple):
    """A way to narrow a list: its label, its number of hits, and its address; the active one is `current`."""

    says: str
    number: int
    address: str
    current: bool = False


class Facet(NamedTuple):
    """Ways to narrow a list by one property, such as the owner."""

    title: str
    ways: Sequence[Narrowing]


TAGS = API / ("admin", "tags")
STATE = {"state": "yes"}


def show_search(request: PageRequest) -> Page:
    """Return the page of the search over all items that the reader may see."""
    chosen = filter_of(request, Path(("search",)))
    found, error = _find(request, chosen, {"counts": "yes" if chosen["q"] else ""})
    facts = {"kinds": _kinds(request), "facets": _facets(request, chosen, found)}
    return Page("search.html", {**facts, **_facts(request, chosen, found, error)}, error)


def _facets(request: PageRequest, chosen: Filter, found: FoundPage) -> list[Facet]:
    """Return ways to narrow a search, with the number of hits of each; empty if these were not counted."""
    if found.counts is None:
        return []
    facets = [Facet("Kinds", kinds_counted(request, chosen, found.counts))]
    me, owners, tags = request.caller.name, found.owners or {}, found.tags or {}
    if len(owners) > 1:
        said = ("You" if name == me else f"@{name}" for name in owners)
        facets.append(Facet("Owners", _ways(chosen, "owner", owners, said)))
    if not chosen["tag"] and tags:
        facets.append(Facet("Tags", _ways(chosen, "tag", tags, map(tag_label, tags))))
    return facets


def kinds_counted(request: PageRequest, chosen: Filter, counts: Mapping[str, int]) -> list[Narrowing]:
    """Return the ways to narrow a list to one of its kinds; the first is the whole list."""
    kinds = [
        Narrowing(
            kind.list_page.capitalize(),
            counts[kind.name],
            chosen.address(kind=kind.name),
            chosen["kind"] == kind.name,
        )
        for kind in _kinds(request)
        if kind.name in counts
    ]
    every = Narrowing("All kinds", sum(counts.values()), chosen.address(kind=""), not chosen["kind"])
    return [every, *kinds]


def _ways(chosen: Filter, part: str, counted: Mapping[str, int], said: Iterable[str]) -> list[Narrowing]:
    """Return the ways to narrow a search by one part of its address."""
    rows = zip(said, counted.items(), strict=True)
    return [Narrowing(says, number, chosen.address(**{part: word})) for says, (word, number) in rows]


def show_kind(kind: ResourceKind, request: PageRequest) -> Page:
    """Return the page of the items of a kind."""
    chosen = filter_of(request, Path((kind.list_page,)))
    found, error = _find(request, chosen, {"kind": kind.name, **STATE})
    facts = {"kind": kind, "cards": kind.pictured}
    return Page("list.html", {**facts, **_facts(request, chosen, found, error)}, error)


def show_shared(request: PageRequest) -> Page:
    """Return the page of the items that others share with the reader, with the way of sharing."""
    chosen = filter_of(request, Path(("shared",)))
    found, error = _find(request, chosen, {"whose": "shared", **STATE})
    return Page("shared.html", {"kinds": _kinds(request), **_facts(request, chosen, found, error)}, error)


def filter_of(request: PageRequest, path: Path) -> Filter:
    """Return the filter in the query of a list's address."""
    return Filter(str(path), {name: text.strip() for name, text in request.query.items()})


def _find(request: PageRequest, chosen: Filter, fixed: Mapping[str, str]) -> tuple[FoundPage, Invalid | None]:
    """Return the hits; none, with the error, for an invalid query."""
    try:
        return find(request, {**chosen.query, **fixed}), None
    except Invalid as error:
        return FoundPage(), error


def _kinds(request: PageRequest) -> list[ResourceKind]:
    return list(request.world.service.kinds.values())


def _facts(request: PageRequest, chosen: Filter, found: FoundPage, error: Invalid | None) -> dict[str, Any]:
    known = [(row.name, tag_label(row.name)) for row in request.peek(TAGS, ())] if request.caller.name else []
    return {
        "filter": chosen,
        "trouble": error.detail if error is not None else None,
        "found": found,
        "tags": known,
        "whose": WHOSE,
        "sorts": SORTS,
    }
