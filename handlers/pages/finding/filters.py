"""Filters of lists: what a query asks for, as links that change one part of it and as tags that drop it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

PARTS = ("q", "kind", "owner", "whose", "tag", "sort")
WHOSE = (
    ("", "All that I may see"),
    ("mine", "Mine"),
    ("shared", "Shared with me"),
    ("public", "Shared with everybody"),
)
SORTS = (("", "Last changed"), ("name", "By title"), ("created", "Newest"))
SYSTEM = {"fav": "Favourites", "like": "Liked", "wip": "Work in progress", "archived": "Archived"}


class Chosen(NamedTuple):
    """A part of what is asked for: what it says, and the address without it."""

    says: str
    without: str


@dataclass(frozen=True, slots=True)
class Filter:
    """The wishes of the address of a list, at the path of the list."""

    path: str
    query: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return self.query.get(name, "")

    def address(self, **changes: str) -> str:
        """The address of the list with some parts changed, from its beginning."""
        asked = {name: self[name] for name in PARTS} | changes
        sent = {name: text for name, text in asked.items() if text}
        return f"{self.path}?{urlencode(sent)}" if sent else self.path

    @property
    def chosen(self) -> Sequence[Chosen]:
        """The parts that narrow the list."""
        told = {
            "q": f"“{self['q']}”",
            "kind": self["kind"],
            "owner": f"@{self['owner'].removeprefix('@')}",
            "whose": dict(WHOSE).get(self["whose"], self["whose"]),
            "tag": tag_name(self["tag"]),
        }
        return [Chosen(said, self.address(**{name: ""})) for name, said in told.items() if self[name]]

    @property
    def first(self) -> str:
        """The address of the first page, on a later one."""
        return self.address() if self["after"] else ""


class Narrowing(NamedTuple):
    """A way to narrow a list: what it says, how much it leaves, and where; the present one is `current`."""

    says: str
    number: int
    address: str
    current: bool = False


class Facet(NamedTuple):
    """Ways to narrow a list by one thing, such as the owner."""

    title: str
    ways: Sequence[Narrowing]


def tag_name(tag: str) -> str:
    """A tag as people read it: own ones and categories without their sign."""
    return SYSTEM.get(tag, tag.lstrip("+="))
