"""Facts that all pages of a space show: its head with its tabs, and the addresses of what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from handlers.pages.items.item_head import ItemHead, item_head, users_of
from handlers.pages.items.item_path import ItemPath
from handlers.pages.request import PageRequest
from vfs.access import Verb
from vfs.call import Reply
from vfs.errors import Outdated
from vfs.path import Path
from vfs.ports.blobs import Ref

AT, CHANGES = "at", "changes"
RESERVED = frozenset((AT, CHANGES, "settings", "share", "activity", "edit"))
"""First names behind a space that are pages; what is called so stands behind `at`."""
Expect = Callable[[Reply | None, Reply | None], None]


@dataclass(frozen=True, slots=True)
class SpaceFacts:
    """A space as its caller sees it."""

    at: ItemPath
    head: ItemHead
    title: str
    writes: bool
    used_by: Sequence[Mapping[str, Any]]

    @property
    def content(self) -> Path:
        """The folder of all that it holds, in the tree."""
        return self.at.api / "content"

    def page_of(self, names: Sequence[str]) -> Path:
        """The page of a folder or file."""
        return page_of(self.at, names)


def page_of(at: ItemPath, names: Sequence[str]) -> Path:
    """The page of a folder or file of a space."""
    way = (AT,) if names and names[0] in RESERVED else ()
    return at.page / (*way, *names)


def space_facts(request: PageRequest, at: ItemPath) -> SpaceFacts:
    """The facts. Raises NotFound or Unauthenticated if the caller sees no such space."""
    entry = request.entry(at.api)
    texts = request.texts(at.api)
    title = texts.get("name") or at.name
    head = item_head(request, at, title=title, lead=texts.get("summary", ""), writes=False, entry=entry)
    writes = request.may(Verb.CREATE, at.api / ("content", "-"))
    return SpaceFacts(at, head, title, writes, users_of(request, at))


def expect_version(tag: str) -> Expect:
    """The condition that a file still is what the page showed; "" that nothing is there."""

    def expect(present: Reply | None, replaced: Reply | None) -> None:
        value = replaced.value if replaced is not None else None
        now = f'"{value.digest}"' if isinstance(value, Ref) else ""
        if now != tag:
            said = "somebody changed this file meanwhile" if tag and now else "somebody removed it meanwhile"
            raise Outdated(f"{said if tag else 'a file of that name is there already'}: nothing was stored")

    return expect
