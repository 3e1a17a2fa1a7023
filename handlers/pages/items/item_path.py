"""Addresses of an item of any kind: its folder in the tree, and its pages."""

from __future__ import annotations

from dataclasses import dataclass

from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, ResourceKind
from vfs.path import Path


@dataclass(frozen=True, slots=True)
class ItemPath:
    """An item, as the address of its page names it."""

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


def item_at(path: Path, kinds: Kinds) -> tuple[ItemPath, tuple[str, ...]] | None:
    """The item that the address of a page names, and the names after it; None for all other addresses."""
    match tuple(path):
        case ("u", user, letter, name, *rest):
            kind = next((kind for kind in kinds.values() if kind.letter == letter), None)
            return (ItemPath(kind, user, name), tuple(rest)) if kind is not None else None
    return None
