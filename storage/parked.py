"""Items of which the parked spaces reach whoever may execute the parked run's job, at this moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chains.book import Run
from vfs.access import Reach
from vfs.world import Found, Items


class ParkedItems:
    """Items (vfs.world.Items) over others. `parked(space)` is the run whose files a space holds for a hold.

    Execution that came through a public share counts for the caller who triggered the run alone (R-13, R-17).
    """

    def __init__(self, items: Items, parked: Callable[[int], Run | None]) -> None:
        self._items = items
        self._parked = parked
        self.create = items.create
        self.rename = items.rename
        self.copy = items.copy
        self.remove = items.remove
        self.touch = items.touch

    def find(self, kind: str, owner: str, name: str, caller: str | None) -> Found | None:
        """As Items.find."""
        return self._opened(self._items.find(kind, owner, name, caller), caller)

    def at(self, id: int, caller: str | None) -> Found | None:
        """As Items.at."""
        return self._opened(self._items.at(id, caller), caller)

    def by_shortname(self, shortname: str, caller: str | None) -> Found | None:
        """As Items.by_shortname."""
        return self._opened(self._items.by_shortname(shortname, caller), caller)

    def visible(self, kind: str, owner: str | None, caller: str | None) -> Sequence[Found]:
        """As Items.visible; parked spaces of others are not listed."""
        return self._items.visible(kind, owner, caller)

    def _opened(self, found: Found | None, caller: str | None) -> Found | None:
        # Only names that the service makes carry a "-".
        if found is None or caller is None or found.item.kind != "space" or "-" not in found.item.name:
            return found
        run = self._parked(found.item.id) if found.item.owner != caller else None
        job = self._items.at(run.job, caller) if run is not None else None
        if run is None or job is None:
            return found
        grants = (reach for reach in job.reaches if "x" in reach.letters)
        opened = any(reach.target != "public" or run.by == caller for reach in grants)
        return Found(found.item, (*found.reaches, Reach(f"@{caller}", "rw"))) if opened else found
