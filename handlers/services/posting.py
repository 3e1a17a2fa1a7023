"""Creation of all notices: the events, and the level at which each user is notified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from handlers.services.rights import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.ports.items import Item
from vfs.ports.notices import ChosenLevels, NoticeSubject

MAILED = "important"
DEFAULT = "info"
IGNORED = "ignore"
LEVELS = (IGNORED, DEFAULT, MAILED)

AT_THINGS, IN_ACCOUNTS = "notifications", "notices"
"""Folders of the files that store levels: an item has one per user, an account one per event."""


class NoticeEvent(NamedTuple):
    """An event: the kind of its notices, its description, and the levels that an account may choose.

    `usual` is the level of an account that chose none.
    """

    kind: str
    words: str
    usual: str = DEFAULT
    levels: tuple[str, ...] = LEVELS


EVENT_GROUPS: tuple[tuple[str, tuple[NoticeEvent, ...]], ...] = (
    (
        "Runs of jobs",
        (
            NoticeEvent("waiting", "a run waits for your answer"),
            NoticeEvent("failed", "a run failed"),
            NoticeEvent("unwritten", "a run ended well, and its results could not be written"),
            NoticeEvent("unsent", "a mail could not be sent by its schedule, or after a run"),
            NoticeEvent("rejected", "a run that nobody waits for was rejected"),
            NoticeEvent("paused", "a job was paused"),
            NoticeEvent("success", "a run ended well", usual=IGNORED),
        ),
    ),
    ("Your account", (NoticeEvent("hook", "a hook of yours was paused, or events did not reach it"),)),
    (
        "Alerts",
        (
            NoticeEvent("alert", "an alert starts: of a value, a late schedule or a slow run"),
            NoticeEvent("recovered", "what an alert was about is well again"),
        ),
    ),
    (
        "What people do",
        (
            NoticeEvent("shared", "somebody shares a thing with you"),
            NoticeEvent("mentioned", "a comment names you"),
            NoticeEvent("answered", "somebody answers in a thread that you wrote in, or on a thing of yours"),
            NoticeEvent("commented", "somebody begins a thread on a thing of yours"),
        ),
    ),
    (
        "Groups and connections",
        (
            NoticeEvent("invite", "you are invited to a group, or asked to be connected"),
            NoticeEvent("joined", "somebody accepts your invitation"),
            NoticeEvent("declined", "somebody declines your invitation"),
            NoticeEvent("connected", "you are connected with somebody"),
            # A warning to founders: an intruder in their account cannot switch it off.
            NoticeEvent(
                "entered", "somebody enters a group of yours by a role above it", levels=(DEFAULT, MAILED)
            ),
        ),
    ),
)
EVENTS = {event.kind: event for _, events in EVENT_GROUPS for event in events}


def level_of(kind: str, chosen: ChosenLevels) -> str:
    """Return the level for a notice: the one chosen for the item, else for the account.

    `info` is the default level of an item, so it does not raise an event that the account ignores by default.
    """
    event = EVENTS[kind]
    usual = chosen.usual if chosen.usual in event.levels else event.usual
    if chosen.there == DEFAULT and event.usual == IGNORED:
        return min(usual, DEFAULT, key=LEVELS.index)
    return chosen.there or usual


NOTHING = ChosenLevels(None, None)


@dataclass(frozen=True, slots=True)
class Message:
    """A message to people: its kind, its subject, its text, and its source.

    Words in braces are replaced when the notice is read (`handlers.services.notices`).
    """

    kind: str
    about: NoticeSubject
    text: str
    source: str
    below: str = ""


def post(world: World, message: Message, *users: str) -> None:
    """Put a message into the inboxes of these users, at the level of each; one statement for all."""
    levels = world.social.notices.chosen_levels(message.kind, users, message.about.item)
    for user in users:
        _put(world, message, user, level_of(message.kind, levels.get(user, NOTHING)))


def post_to_readers(world: World, message: Message, mailed: str = "") -> None:
    """Put a message into the inboxes of an item's owner and of its readers who chose a level there.

    The user `mailed` gets a mail, too, unless that user ignores such messages.
    """
    listening = world.social.notices.listening(message.kind, message.about.item)
    levels = {user: level_of(message.kind, chosen) for user, chosen in listening.items()}
    wanting = [user for user, level in levels.items() if level != IGNORED]
    found = world.items.at(message.about.item, None) if wanting else None
    for user in wanting:
        if found is not None and Access.READ in person_access(world, found.item, user):
            _put(world, message, user, MAILED if user == mailed else levels[user])


def _put(world: World, message: Message, user: str, level: str) -> None:
    if level != IGNORED:
        world.social.notices.add(
            user, message.kind, message.below, message.text, about=message.about, level=level,
            mail=level == MAILED, source=message.source,
        )  # fmt: skip


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
