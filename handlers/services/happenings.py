"""Happenings: changes, comments, shares and runs, as events for the callers who listen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import orjson

from chains.runs.records import RunTurn
from handlers.services.world import World
from vfs.path import NAME
from vfs.ports.clock import stamp

MOST_NAMED = 20
"""Users who are notified that one comment names them, at most."""
RUNS = "runs"
MENTION = re.compile(rf"(?<![\w@])@({NAME.pattern})")
LONGEST = 2048
"""Bytes of an encoded happening; the paths of longer ones are shortened."""


def names_in(text: str) -> list[str]:
    """Return the users that a text names as `@user`, each once."""
    return list(dict.fromkeys(MENTION.findall(text)))


class Happening(NamedTuple):
    """An event: something that `actor` did to the item with the id `item`.

    `below`: the path below the item that a listener must be able to read ("": the item itself). `link`: the
    rest of its address below that of the item. `to`: the users who are notified; if empty, all who may read
    it. `gone`: owner, kind and name of a removed item. `moment`: its timestamp.
    """

    event_class: str
    event_type: str
    actor: str
    item: int
    below: str = ""
    link: str = ""
    to: Sequence[str] = ()
    gone: Sequence[str] = ()
    moment: str = ""


def encode(happening: Happening) -> str:
    """Encode a happening as a line."""
    return orjson.dumps(tuple(happening)).decode()


def decode(line: str) -> Happening:
    """Decode a line that `encode` made."""
    return Happening(*orjson.loads(line))


def publish(world: World, happening: Happening) -> None:
    """Publish a happening. Call it in the transaction of the change, which then also stores it for hooks.

    If the paths are too long, they are shortened to the thing that contains it.
    """
    stamped = happening._replace(moment=stamp(world.clock.now()))
    line = encode(stamped)
    if len(line.encode()) > LONGEST:
        line = encode(stamped._replace(below=_near(stamped.below), link=_near(stamped.link)))
    if world.service.settings.hooks_out:
        world.social.hooks.note(line)
    world.service.news.publish(line)


def _near(path: str) -> str:
    return "/".join(path.split("/")[:2])


def publish_comment(world: World, author: str, item: int, below: str) -> None:
    """Publish a new comment. Call it in the transaction that stores the comment."""
    publish(world, Happening("comment", "comment", author, item, below, _link(below)))


def publish_mentions(world: World, author: str, item: int, below: str, named: Sequence[str]) -> None:
    """Notify the users whom a comment names. Call it in the transaction that stores its text."""
    if named:
        publish(world, Happening("comment", "mention", author, item, below, _link(below), named))


def publish_reply(world: World, author: str, item: int, below: str, answered: str) -> None:
    """Notify the author of a comment that it was answered. Call it in the transaction of the answer."""
    publish(world, Happening("comment", "comment_reply", author, item, below, _link(below), (answered,)))


def newly_named(author: str, before: str, text: str) -> list[str]:
    """Return at most MOST_NAMED users whom a text names, without its author and those named `before`."""
    known = {author, *names_in(before)}
    return [name for name in names_in(text) if name not in known][:MOST_NAMED]


def _link(below: str) -> str:
    """Return the part of a comment's address below its item's address."""
    return below.replace("threads/", "c/", 1).replace("/comments/", "/c/")


def publish_turn(world: World, turn: RunTurn) -> None:
    """Publish that a run has another status. Call it in the transaction that changes the status."""
    below = f"{RUNS}/{turn.id}"
    publish(world, Happening("run", f"run_{turn.status}", turn.by, turn.job, below, turn.id))
