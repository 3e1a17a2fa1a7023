"""Notices about what others do to a resource, to users at the levels that they chose."""

from __future__ import annotations

from handlers.services.posting import AT_THINGS, Message, post
from handlers.services.world import World
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject


def person_source(name: str) -> str:
    """Return the source of notices about the actions of a person."""
    return f"@{name}"


def notify(
    world: World, item: Item, kind: str, text: str, sender: str, *users: str, below: str = "",
    comment: int | None = None,
) -> None:  # fmt: skip
    """Notify users of what the sender did to an item, or to a comment below it."""
    post(world, Message(kind, NoticeSubject(item.id, comment), text, person_source(sender), below), *users)


def listeners(world: World, item: Item) -> list[str]:
    """Return the users who chose a level there, by name."""
    return [mark.rel.removeprefix(f"{AT_THINGS}/@") for mark in world.leaves.under(item.id, AT_THINGS)]
