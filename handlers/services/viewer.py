"""Viewer: who looks at an item, and what drawing it may ask of the one that waits for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from handlers.services.world import World
from vfs.access import Caller
from vfs.call import Ongoing, Unsupervised
from vfs.ports.items import Item

PROMPT = 0.5
"""Seconds after which a caller may have lost the right that it came with."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A caller who looks at an item of the world: all that is needed to draw it, to send it or to copy it.

    The trees make one of the place of a call (`handlers.trees.facets.viewers`). Whatever else draws, such as
    a runner, the schedule or a backup, names an item and a caller, and needs neither a call nor a place.
    `ongoing` supervises what goes on for long: it takes a place among what may, and checks that the caller
    still has the right to it. Nobody supervises where there is no request.
    """

    world: World
    item: Item
    caller: Caller
    ongoing: Ongoing = field(default_factory=Unsupervised)

    def check_since(self, moment: float) -> None:
        """Raise what the caller would be refused with now, where its rights were asked long before."""
        if monotonic() - moment > PROMPT:
            self.ongoing.check()

    @property
    def me(self) -> str:
        """The caller's name, empty for anonymous callers."""
        return self.caller.name or ""
