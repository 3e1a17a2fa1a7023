"""Happenings: what was changed, said, shared or run, for those who listen meanwhile."""

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
"""Users whom one comment names, and who are told so."""
RUNS = "runs"
MENTION = re.compile(rf"(?<![\w@])@({NAME.pattern})")
LONGEST = 2048
"""Bytes of a happening on its way, beyond which less of its path is told."""


def names_in(text: str) -> list[str]:
    """The users that a text names as `@user`, each once."""
    return list(dict.fromkeys(MENTION.findall(text)))


class Happening(NamedTuple):
    """Something that somebody, `actor`, did to the item of that number.

    `below`: the path below the item that a listener must be able to read ("": the item itself). `link`:
    the rest of its address below that of the item. `to`: the users who are told; nobody else is, unless
    there are none. `gone`: owner, kind and name of an item that was removed. `moment`: its stamp.
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
    """A happening as a line."""
    return orjson.dumps(tuple(happening)).decode()


def decode(line: str) -> Happening:
    """The happening of a line that `encode` made."""
    return Happening(*orjson.loads(line))


def tell(world: World, happening: Happening) -> None:
    """Tell what happens now. Belongs into the transaction in which it does.

    What lies too deep is told at what it lies in.
    """
    told = happening._replace(moment=stamp(world.clock.now()))
    line = encode(told)
    if len(line.encode()) > LONGEST:
        line = encode(told._replace(below=_near(told.below), link=_near(told.link)))
    world.service.news.tell(line)


def _near(path: str) -> str:
    return "/".join(path.split("/")[:2])


def tell_comment(world: World, author: str, item: int, below: str) -> None:
    """Tell a new comment. Belongs into the transaction that keeps it."""
    tell(world, Happening("comment", "comment", author, item, below, _link(below)))


def tell_mentions(world: World, author: str, item: int, below: str, named: Sequence[str]) -> None:
    """Tell those whom a comment names that it does. Belongs into the transaction that keeps its text."""
    if named:
        tell(world, Happening("comment", "mention", author, item, below, _link(below), named))


def newly_named(author: str, before: str, text: str) -> list[str]:
    """The users whom a text names and the text before it did not, without its author: MOST_NAMED at most."""
    known = {author, *names_in(before)}
    return [name for name in names_in(text) if name not in known][:MOST_NAMED]


def _link(below: str) -> str:
    """The rest of the address of a comment at a path below its item."""
    return below.replace("threads/", "c/", 1).replace("/comments/", "/c/")


def tell_turn(world: World, turn: RunTurn) -> None:
    """Tell that a run has another status. Belongs into the transaction that turns it."""
    below = f"{RUNS}/{turn.id}"
    tell(world, Happening("run", f"run_{turn.status}", turn.by, turn.job, below, turn.id))
