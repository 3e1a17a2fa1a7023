"""The port of shares: who was given what of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from vfs.access import Grant, Holder


class Grants(Protocol):
    """Keeps the shares of items."""

    def on(self, item: int) -> Sequence[Grant]:
        """All shares of an item, oldest first."""
        ...

    def give(self, item: int, grant: Grant) -> bool:
        """Share with a target, or change the letters (and the name) of its share.

        True when the target is new.
        """
        ...

    def take(self, item: int, target: str) -> bool:
        """Revoke the share of a target; False when there was none."""
        ...

    def kinds(self, group: str) -> frozenset[str]:
        """The kinds of the items that members of a group share with it; one statement."""
        ...

    def targets(self, items: Sequence[int], letter: str = "") -> Mapping[int, Sequence[str]]:
        """Targets that items are shared with (by a letter), by item, in order; a statement for 500 items."""
        ...

    def holders(self, item: int) -> Sequence[Holder]:
        """Users whom the shares of an item reach now, by user, older shares first; one statement.

        Its owner is none of them. The public share names nobody; one with a group counts while the owner is
        in it.
        """
        ...

    def grant_counts(self, item: int, most: int) -> Mapping[str, int]:
        """Numbers of people whom shares of an item reach now, by target: everybody (0), people, groups.

        No more than `most` shares are told, and none counts further than that; one statement.
        """
        ...
