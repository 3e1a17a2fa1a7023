"""Addresses of items and of groups, and common queries about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from handlers.pages.request import PageRequest
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind, kind_in
from vfs.access import Verb
from vfs.call import Entry
from vfs.errors import Denied
from vfs.path import Path
from vfs.ports.items import Item

INVITES = API / ("admin", "invites")


@dataclass(frozen=True, slots=True)
class GroupPath:
    """A group of a user or, with `org`, of an organisation, as in the address of its page.

    An organisation itself has no `group`.
    """

    owner: str
    group: str = ""
    org: bool = False

    @property
    def ref(self) -> str:
        """The reference in shares and invitations."""
        return f"{'+' if self.org else '@'}{self.owner}" + (f"~{self.group}" if self.group else "")

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        if self.org:
            return API / ("orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("users", self.owner, "groups", self.group)

    @property
    def admin(self) -> Path:
        """The folder of its administration."""
        if self.org:
            return API / ("admin", "orgs", self.owner) / (("groups", self.group) if self.group else ())
        return API / ("admin", "groups", self.ref)

    @property
    def page(self) -> Path:
        """Its page."""
        if self.org:
            return Path(("o", self.owner)) / (("g", self.group) if self.group else ())
        return Path(("u", self.owner, "grp", self.group))


def group_of(ref: str) -> GroupPath:
    """Return the group of a reference."""
    owner, _, group = ref[1:].partition("~")
    return GroupPath(owner, group, org=ref.startswith("+"))


@dataclass(frozen=True, slots=True)
class ItemPath:
    """An item as in the address of its page."""

    kind: ResourceKind
    user: str
    name: str

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        return API / ("users", self.user, self.kind.family, self.kind.folder, self.name)

    @property
    def page(self) -> Path:
        """Its page."""
        return Path(("u", self.user, self.kind.letter, self.name))

    def file_path(self, form: str) -> Path:
        """Return the path of a rendered form of a visual."""
        return self.api / ("files", f"{self.kind.name}.{form}")

    def file(self, form: str, **options: str) -> str:
        """Return the address of a rendered form of a visual, with these options."""
        query = f"?{urlencode(options)}" if options else ""
        return f"{self.file_path(form)}{query}"


def item_at(path: Path, kinds: Kinds) -> tuple[ItemPath, tuple[str, ...]] | None:
    """Return the item in a page's address and the names after it; None for all other addresses."""
    match tuple(path):
        case ("u", user, letter, name, *rest):
            kind = next((kind for kind in kinds.values() if kind.letter == letter), None)
            return (ItemPath(kind, user, name), tuple(rest)) if kind is not None else None
    return None


def item_of(request: PageRequest, at: ItemPath) -> Item | None:
    """Return the stored item; None if there is none. It may be hidden from the caller."""
    found = request.world.items.find(at.kind.name, at.user, at.name, request.caller.name)
    return found.item if found is not None else None


def require_writer(request: PageRequest, at: ItemPath) -> Entry:
    """Return the row of an item whose source the caller may read and write.

    Raises NotFound for an item that the caller does not see, Denied for its readers.
    """
    entry, source = request.entry(at.api), at.api / at.kind.takes
    if not request.may(Verb.WRITE, source) or not request.may(Verb.READ, source):
        raise Denied(
            f"editing needs read and write access (rw) to this {at.kind.noun}: ask @{at.user}, its owner"
        )
    return entry


def pictured_at(path: Path, kinds: Kinds) -> ItemPath | None:
    """Return the visual at a path of the API; None for other paths and for kinds without small pictures."""
    match path[1:] if path[:1] == API else ():
        case ("users", user, family, folder, name):
            kind = kind_in(family, folder, kinds)
            return ItemPath(kind, user, name) if kind is not None and kind.pictured else None
    return None


OWNER, NAME = 2, 5
"""Positions of the owner and of the resource's name in an address of the API."""


def titles_of(request: PageRequest, kind: ResourceKind, places: Sequence[Path]) -> Sequence[str]:
    """Return the titles of a kind's resources that the caller was shown; names for those without one."""
    named = [(place[OWNER], place[NAME]) for place in places]
    found = request.world.items.all_named(kind.name, named, (), request.caller.name)
    ids = {(one.item.owner, one.item.name): one.item.id for one in found}
    texts = request.world.leaves.texts_of(list(ids.values()), ("name",))
    said = (texts.get(ids.get(one, 0), {}).get("name", "").strip() for one in named)
    return [title or name for title, (_, name) in zip(said, named, strict=True)]
