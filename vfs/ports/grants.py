"""The port of the shares of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from vfs.access import Grant, Holder


class Grants(Protocol):
    """The store of the shares of items."""

    def on(self, item: int) -> Sequence[Grant]:
        """Return all shares of an item, oldest first."""

    def give(self, item: int, grant: Grant) -> bool:
        """Share with a target, or change the permission letters and the name of its share.

        Return True if the target is new.
        """

    def take(self, item: int, target: str) -> bool:
        """Revoke the share of a target. Return False if there was none."""

    def kinds(self, group: str) -> frozenset[str]:
        """Return the kinds of the items that members of a group share with it; one statement."""

    def targets(self, items: Sequence[int], letter: str = "") -> Mapping[int, Sequence[str]]:
        """Return the targets of items' shares (with a letter) by item, in order; one statement per 500."""

    def holders(self, item: int) -> Sequence[Holder]:
        """Return the users with shares of an item now, by user, older shares first; one statement.

        The owner is left out, and so is the public share. A share with a group counts while the owner is a
        member.
        """

    def grant_counts(self, item: int, most: int) -> Mapping[str, int]:
        """Return the number of people with each share of an item now, by target: public (0), users, groups.

        At most `most` shares are included, and each is counted up to `most`; one statement.
        """
