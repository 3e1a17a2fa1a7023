"""Tells users what happens to a resource, as far as each one's `notifications` there ask for it."""

from __future__ import annotations

from handlers.services.run_notices import DEFAULT, IGNORED, LEVELS, MAILED
from handlers.services.world import World
from vfs.ports.items import Item
from vfs.ports.notices import NoticeSubject


def person_source(name: str) -> str:
    """The source of notices that are a person's doing."""
    return f"@{name}"


def tell(
    world: World, item: Item, user: str, kind: str, text: str, sender: str, *, below: str = "",
    comment: int | None = None,
) -> None:  # fmt: skip
    """Put a notice of the sender's doing into the inbox of a user: about an item, or a comment below it.

    Words of the text in braces are told as they are when it is read (`handlers.services.notices.telling`).
    None at the level `ignore`, mailed too at `important`.
    """
    leaf = world.leaves.get(item.id, f"{LEVELS}/@{user}")
    level = (leaf.text if leaf is not None else None) or DEFAULT
    if level != IGNORED:
        source = person_source(sender)
        world.social.notices.add(
            user, kind, below, text, about=NoticeSubject(item.id, comment), level=level, mail=level == MAILED,
            source=source,
        )  # fmt: skip


def listeners(world: World, item: Item) -> list[str]:
    """The users who chose a level there, by name."""
    return [mark.rel.removeprefix(f"{LEVELS}/@") for mark in world.leaves.under(item.id, LEVELS)]
