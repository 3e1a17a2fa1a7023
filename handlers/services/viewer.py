"""Viewer: the caller who looks at an item, and the supervision of long work for that caller."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

from handlers.services.world import World
from vfs.access import Caller
from vfs.call import Ongoing, Unsupervised
from vfs.ports.items import Item

PROMPT = 0.5
"""Seconds after which the caller's rights are checked again."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A caller who looks at an item of the world: all that is needed to draw, send or copy it.

    The trees make one from the context of a call (`handlers.trees.facets.contexts`). Other code that draws,
    such as the runner, the schedule or a backup, makes one from an item and a caller, without a call.
    `ongoing` supervises long work: it takes one of a limited number of slots, and checks that the caller
    still has the right. Without a request there is no supervision.
    """

    world: World
    item: Item
    caller: Caller
    ongoing: Ongoing = field(default_factory=Unsupervised)

    def check_since(self, moment: float) -> None:
        """Raise the refusal that the caller would get now, if its rights were checked long ago."""
        if monotonic() - moment > PROMPT:
            self.ongoing.check()

    @property
    def me(self) -> str:
        """The caller's name, empty for anonymous callers."""
        return self.caller.name or ""
