"""The one place where notices are made, which asks whoever would be told at which level."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from handlers.services.posting.events_told import IGNORED, MAILED, level_of
from handlers.services.world import World
from vfs.ports.notices import ChosenLevels, NoticeSubject

NOTHING = ChosenLevels(None, None)


@dataclass(frozen=True, slots=True)
class Message:
    """A message to people: its kind, the thing it is about, its words, and its source.

    Words of the text in braces are told as they are when it is read (`handlers.services.notices.telling`).
    """

    kind: str
    about: NoticeSubject
    text: str
    source: str
    below: str = ""


def post(world: World, message: Message, *users: str) -> None:
    """Put a message into the inboxes of these users, as far as each wants it; one statement asks them all."""
    wishes = world.social.notices.wishes(message.kind, users, message.about.item)
    for user in users:
        _put(world, message, user, level_of(message.kind, wishes.get(user, NOTHING)))


def post_to_listeners(
    world: World, message: Message, may_hear: Callable[[Collection[str]], Collection[str]]
) -> None:
    """Put a message into the inboxes of the owner and of whoever chose a level there.

    `may_hear` tells which of those who want it may be told; it is asked only if there are any.
    """
    listening = world.social.notices.listening(message.kind, message.about.item)
    levels = {user: level_of(message.kind, wish) for user, wish in listening.items()}
    wanting = [user for user, level in levels.items() if level != IGNORED]
    for user in may_hear(wanting) if wanting else ():
        _put(world, message, user, levels[user])


def _put(world: World, message: Message, user: str, level: str) -> None:
    if level != IGNORED:
        world.social.notices.add(
            user, message.kind, message.below, message.text, about=message.about, level=level,
            mail=level == MAILED, source=message.source,
        )  # fmt: skip
