"""Creation of all notices: the events, and the level at which each user is notified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from handlers.services.rights import person_access
from handlers.services.world import World
from vfs.access import Access
from vfs.ports.notices import ChosenLevels, NoticeSubject

MAILED = "important"
DEFAULT = "info"
IGNORED = "ignore"
LEVELS = (IGNORED, DEFAULT, MAILED)

AT_THINGS, IN_ACCOUNTS = "notifications", "notices"
"""Folders of the files that store levels: an item has one per user, an account one per event."""


class ToldEvent(NamedTuple):
    """An event: the kind of its notices, its description, and the levels that an account may choose.

    `usual` is the level of an account that chose none.
    """

    kind: str
    words: str
    usual: str = DEFAULT
    levels: tuple[str, ...] = LEVELS


EVENT_GROUPS: tuple[tuple[str, tuple[ToldEvent, ...]], ...] = (
    (
        "Runs of jobs",
        (
            ToldEvent("waiting", "a run waits for your answer"),
            ToldEvent("failed", "a run failed"),
            ToldEvent("unwritten", "a run ended well, and its results could not be written"),
            ToldEvent("unsent", "a mail could not be sent by its schedule, or after a run"),
            ToldEvent("rejected", "a run that nobody waits for was rejected"),
            ToldEvent("paused", "a job was paused"),
            ToldEvent("success", "a run ended well", usual=IGNORED),
        ),
    ),
    ("Your account", (ToldEvent("hook", "a hook of yours was paused, or events did not reach it"),)),
    (
        "Alerts",
        (
            ToldEvent("alert", "an alert starts: of a value, a late schedule or a slow run"),
            ToldEvent("recovered", "what an alert was about is well again"),
        ),
    ),
    (
        "What people do",
        (
            ToldEvent("shared", "somebody shares a thing with you"),
            ToldEvent("mentioned", "a comment names you"),
            ToldEvent("answered", "somebody answers in a thread that you wrote in, or on a thing of yours"),
            ToldEvent("commented", "somebody begins a thread on a thing of yours"),
        ),
    ),
    (
        "Groups and connections",
        (
            ToldEvent("invite", "you are invited to a group, or asked to be connected"),
            ToldEvent("joined", "somebody accepts your invitation"),
            ToldEvent("declined", "somebody declines your invitation"),
            ToldEvent("connected", "you are connected with somebody"),
            # A warning to founders: an intruder in their account cannot switch it off.
            ToldEvent(
                "entered", "somebody enters a group of yours by a role above it", levels=(DEFAULT, MAILED)
            ),
        ),
    ),
)
EVENTS = {event.kind: event for _, events in EVENT_GROUPS for event in events}


def level_of(kind: str, wish: ChosenLevels) -> str:
    """Return the level for a notice: the one chosen for the item, else for the account.

    `info` is the default level of an item, so it does not raise an event that the account ignores by default.
    """
    event = EVENTS[kind]
    usual = wish.usual if wish.usual in event.levels else event.usual
    if wish.there == DEFAULT and event.usual == IGNORED:
        return min(usual, DEFAULT, key=LEVELS.index)
    return wish.there or usual


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
    wishes = world.social.notices.wishes(message.kind, users, message.about.item)
    for user in users:
        _put(world, message, user, level_of(message.kind, wishes.get(user, NOTHING)))


def post_to_readers(world: World, message: Message, mailed: str = "") -> None:
    """Put a message into the inboxes of an item's owner and of its readers who chose a level there.

    The user `mailed` gets a mail, too, unless that user ignores such messages.
    """
    listening = world.social.notices.listening(message.kind, message.about.item)
    levels = {user: level_of(message.kind, wish) for user, wish in listening.items()}
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
