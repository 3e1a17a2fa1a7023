"""The port to deeds: who did what to an item, as its `activity` tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

PUSHED = "pushed"
MOST_DEEDS = 500
"""Deeds that are kept of an item, the newest."""


@dataclass(frozen=True, slots=True)
class ItemDeed:
    """Something that a user, the `actor`, did to an item, `times` times between two moments.

    `kind` is a word such as `wrote`. `below`: the path inside the item, "" for the item itself. `target`:
    whom a share is for, else "".
    """

    id: int
    item: int
    actor: str
    kind: str
    below: str
    target: str
    first_on: str
    last_on: str
    times: int


class Deeds(Protocol):
    """Keeps the newest deeds of each item; they go with it."""

    def add(
        self, item: int, actor: str, kind: str, below: str = "", target: str = "", *, loose: bool = False
    ) -> None:
        """A new deed, or one more time of the same within an hour, if it is among the newest of the item.

        The same is what has the same words; a `loose` one may have another path, and the newest is kept.
        """
        ...

    def of(self, item: int, before: int | None, most: int, *, shares: bool) -> Sequence[ItemDeed]:
        """Deeds of an item, newest first, from before that number on; one statement.

        Those that name a target are among them only with `shares`.
        """
        ...
