"""Changes of spaces as events: what one request writes triggers the jobs that name it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chains.language.trigger_lines import TriggerKind
from handlers.services.world import World


@contextmanager
def noting_changes(world: World, space: int, cause: str) -> Iterator[None]:
    """Store what the block writes into a space as an event; `cause` is the request, "" for a call of our own.

    Call it in the transaction that writes, which has locked the space.
    """
    spaces = world.code.spaces
    before = spaces.usage(space).seq
    yield
    now = spaces.usage(space).seq
    if now > before:
        world.code.triggers.add(TriggerKind.CHANGED, space, cause or f"{now}", f"{before + 1}-{now}")
