"""Addresses of a plot, grid, document or mail: its folder, its page, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from handlers.rules.addresses import API
from vfs.path import Path

KINDS = {"p": "plot", "g": "grid", "d": "doc", "m": "mail"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class VisualPath:
    """A plot, grid, document or mail, as the address of its page names it."""

    kind: str
    user: str
    name: str

    @property
    def api(self) -> Path:
        """Its folder in the tree."""
        return API / ("users", self.user, "vis", f"{self.kind}s", self.name)

    @property
    def page(self) -> Path:
        """Its page."""
        return Path(("u", self.user, LETTERS[self.kind], self.name))

    def file_path(self, form: str) -> Path:
        """The path of a rendered form of it."""
        return self.api / ("files", f"{self.kind}.{form}")

    def file(self, form: str, **options: str) -> str:
        """The address of a rendered form of it, with these options."""
        query = f"?{urlencode(options)}" if options else ""
        return f"{self.file_path(form)}{query}"


def visual_at(path: Path) -> VisualPath | None:
    """The plot or grid at a path of the API; None for all else: others have no small pictures."""
    match path[1:] if path[:1] == API else ():
        case ("users", user, "vis", ("plots" | "grids") as folder, name):
            return VisualPath(folder[:-1], user, name)
    return None
