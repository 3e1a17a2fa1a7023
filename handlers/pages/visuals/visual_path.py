"""Addresses of a visual: those of an item, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from handlers.pages.items.item_path import ItemPath
from handlers.rules.addresses import API
from handlers.rules.kinds import Kinds, kind_in
from vfs.path import Path


@dataclass(frozen=True, slots=True)
class VisualPath(ItemPath):
    """A plot, grid, document, mail or another visual, as the address of its page names it."""

    def file_path(self, form: str) -> Path:
        """The path of a rendered form of it."""
        return self.api / ("files", f"{self.kind.name}.{form}")

    def file(self, form: str, **options: str) -> str:
        """The address of a rendered form of it, with these options."""
        query = f"?{urlencode(options)}" if options else ""
        return f"{self.file_path(form)}{query}"


def pictured_at(path: Path, kinds: Kinds) -> VisualPath | None:
    """The visual at a path of the API; None for all else, and for kinds that have no small pictures."""
    match path[1:] if path[:1] == API else ():
        case ("users", user, family, folder, name):
            kind = kind_in(family, folder, kinds)
            return VisualPath(kind, user, name) if kind is not None and kind.pictured else None
    return None
