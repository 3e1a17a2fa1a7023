"""The ports of shares that wait for a connection, and of one-time invitation links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class PendingShare:
    """A share with the account `user`, which need not exist, that waits for a connection with the owner.

    `name` is the share as it was entered.
    """

    item: int
    user: str
    owner: str
    letters: str
    name: str
    created_on: str


class PendingShares(Protocol):
    """The store of pending shares. They are removed with their item, and count for the quota of shares."""

    def on(self, item: int, since: str) -> Sequence[PendingShare]:
        """Return the pending shares of an item made after `since`, by user."""

    def put(self, share: PendingShare, since: str) -> None:
        """Add a pending share, or replace that of this item and user. Delete its owner's before `since`.

        Raises NotFound, QuotaReached.
        """

    def drop(self, item: int, user: str) -> bool:
        """Remove one. Return False if there is none."""

    def take(self, owner: str, user: str, since: str) -> Sequence[PendingShare]:
        """Remove all shares of an owner with a user. Return those made after `since`, by item."""


@dataclass(frozen=True, slots=True)
class InvitationLink:
    """A link that invites one person to be connected with `account`; `name` is for its maker."""

    account: str
    name: str
    created_on: str
    expires_on: str


class InvitationLinks(Protocol):
    """The store of links by digests of their keys. Used links are deleted, expired ones count as absent."""

    def add(self, digest: str, link: InvitationLink) -> bool:
        """Add a link, and delete expired ones. Return False if the account has one of that name."""

    def of(self, account: str, now: str) -> Sequence[InvitationLink]:
        """Return the valid links of an account, oldest first."""

    def find(self, digest: str, now: str) -> InvitationLink | None:
        """Return the valid link with that digest of a maker that is not locked; else None."""

    def drop(self, account: str, name: str) -> bool:
        """End a link. Return False if there is none."""

    def spend(self, digest: str, now: str) -> bool:
        """Use up a link. Return False if it is not valid, or another request was first."""
