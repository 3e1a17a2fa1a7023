"""Empty texts in place of others: told to who writes one, as it is seldom what was meant."""

from __future__ import annotations

from vfs.access import Verb
from vfs.call import Data
from vfs.nodes import File
from vfs.permission import allowed_verbs
from vfs.ports.world import KernelWorld
from vfs.spot import Visit


def remark_on_emptying(place: Visit[KernelWorld], node: File) -> str:
    """What there is to say when nothing is written over a text; "" where nothing is there to be lost.

    It is asked before the write, and tells nothing to who may not read what was there.
    """
    may = allowed_verbs(place)
    if place.vacant or Verb.READ not in may or not _plain_text(place):
        return ""
    method = place.advice.methods.get(Verb.REMOVE.value, Verb.REMOVE.value)
    clears = "brings back what it says by default" if node.default else "clears it too"
    told = [f"{method} {clears}"] if Verb.REMOVE in may and place.holder is None else []
    told += [place.advice.emptied] if place.advice.emptied else []
    return f"{place.asked} is empty now{': ' * bool(told)}{'; '.join(told)}\n"


def _plain_text(place: Visit[KernelWorld]) -> str:
    """The text that is read at a place; "" where it is something else."""
    itself = place.itself()
    value = itself.spot.read(itself).value
    if isinstance(value, Data):
        return value.text(value.value) if value.text is not None else ""
    return value if isinstance(value, str) else ""
