"""The events of which people are told, and at which level somebody is told of one."""

from __future__ import annotations

from typing import NamedTuple

from vfs.ports.notices import ChosenLevels

MAILED = "important"
DEFAULT = "info"
IGNORED = "ignore"
LEVELS = (IGNORED, DEFAULT, MAILED)

AT_THINGS, IN_ACCOUNTS = "notifications", "notices"
"""Folders of the leaves that keep levels: of a thing one for each user, of an account one for each event."""


class ToldEvent(NamedTuple):
    """An event: the kind of its notices, what it is in words, and the levels that an account may choose.

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
            ToldEvent("rejected", "a run that nobody waits for was rejected"),
            ToldEvent("paused", "a job was paused"),
            ToldEvent("success", "a run ended well", usual=IGNORED),
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
            # A warning to founders: nobody who gets at an account can have it kept quiet.
            ToldEvent(
                "entered", "somebody enters a group of yours by a role above it", levels=(DEFAULT, MAILED)
            ),
        ),
    ),
)
EVENTS = {event.kind: event for _, events in EVENT_GROUPS for event in events}


def level_of(kind: str, wish: ChosenLevels) -> str:
    """The level at which somebody is told: what was chosen at the thing, else in the account.

    `info` at a thing, which each has that nobody chose, makes no event louder than the account does.
    """
    event = EVENTS[kind]
    usual = wish.usual if wish.usual in event.levels else event.usual
    if wish.there == DEFAULT and event.usual == IGNORED:
        return min(usual, DEFAULT, key=LEVELS.index)
    return wish.there or usual
