"""Effective access: all that users and the public have of an item (interface, Share and access entry)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from vfs.access import EVERYTHING, NOTHING, Access, Confers, Grant, Holder, Reach, access_through, letters

OWNED = "owner"


@dataclass(frozen=True, slots=True)
class Holding:
    """Access of a user, or (None) of the public, to an item.

    `permissions` are letters, `via` names of shares.
    """

    user: str | None
    permissions: tuple[str, ...]
    access: Access
    via: tuple[str, ...]


def holdings(owner: str, holders: Iterable[Holder], confers: Confers) -> list[Holding]:
    """The owner, then each user whom shares reach; `holders` come by user, oldest share first.

    What shares confer is narrowed by role, united, and written back as letters.
    """
    found = [Holding(owner, letters(EVERYTHING), EVERYTHING, (OWNED,))]
    for user, alike in groupby(holders, key=lambda holder: holder.user):
        mine = list(alike)
        access = NOTHING
        for holder in mine:
            grant = holder.grant
            access |= access_through(Reach(grant.target, grant.letters, holder.role), confers)
        found.append(Holding(user, letters(access), access, tuple(holder.grant.name for holder in mine)))
    return found


def public_holding(grant: Grant, confers: Confers, *, effective: bool) -> Holding:
    """The entry of the public, from the grant itself, which is never expanded into users."""
    access = access_through(Reach(grant.target, grant.letters), confers) if effective else NOTHING
    return Holding(None, tuple(grant.letters), access, (grant.name,))
