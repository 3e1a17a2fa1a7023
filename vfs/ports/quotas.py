"""The port of quotas: limits on an account's stored bytes, items, and work at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class QuotaName(StrEnum):
    """Names of quotas: stored bytes, numbers of items, work at the same time, bytes of one push.

    Comments and tags of an account on items of others count for that account, not for their owners.
    """

    STORAGE = "storage"
    ITEMS = "items"
    REPOS = "repos"
    RUNS = "runs"
    BUILDS = "builds"
    PUSH = "push"
    GROUPS = "groups"
    MEMBERS = "members"
    INVITES = "invites"
    SHARES = "shares"
    TIES = "ties"
    TOKENS = "tokens"
    SESSIONS = "sessions"
    KEYS = "keys"
    TAGS = "tags"
    VARIABLES = "variables"
    COMMENTS = "comments"


BYTES = frozenset({QuotaName.STORAGE, QuotaName.PUSH})
PASSING = frozenset({QuotaName.RUNS, QuotaName.BUILDS})
"""Quotas whose use decreases without action, so that waiting helps."""
MADE = (
    QuotaName.GROUPS,
    QuotaName.MEMBERS,
    QuotaName.INVITES,
    QuotaName.SHARES,
    QuotaName.TIES,
    QuotaName.TOKENS,
    QuotaName.SESSIONS,
    QuotaName.KEYS,
    QuotaName.TAGS,
    QuotaName.VARIABLES,
    QuotaName.COMMENTS,
)
"""Quotas with a counter that is kept up to date, so that a check costs the same for any number."""


Counts = Mapping[str, Sequence[QuotaName]]
"""The quotas for which an item counts, by its kind. Items of other kinds count for ITEMS."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit of an account and its use. `own`: it was set for this account, not for the server."""

    name: QuotaName
    limit: int
    use: int
    own: bool

    @property
    def room(self) -> int:
        """The amount left; 0 when it is full or exceeded."""
        return max(self.limit - self.use, 0)


class Quotas(Protocol):
    """The limits of accounts. Everything in an account's items counts for it, including texts of others."""

    def of(self, account: str) -> Sequence[Quota]:
        """Return every quota of an account, in the order of QuotaName."""

    def one(self, account: str, name: QuotaName) -> Quota:
        """Return one quota of an account."""

    def admit_bytes(self, item: int, growth: int) -> None:
        """Raise TooLarge if the owner of an item may not store `growth` more bytes."""

    def admit_words(self, author: str, growth: int) -> None:
        """Raise TooLarge if an author may not store more bytes of comments, which count for the author."""

    def payer_of(self, item: int) -> tuple[str, int] | None:
        """Return the owner of an item, and the owner's limit of bytes; None if the item is gone."""

    def admit_more(self, account: str, name: QuotaName, more: int = 1) -> None:
        """Raise QuotaReached if an account may not have `more` further units of a quota."""

    def admit_item(self, owner: str, kind: str) -> None:
        """Raise QuotaReached if an owner may not have one more item of a kind."""

    def admit_made(self, owner: str, *names: QuotaName) -> None:
        """Raise QuotaReached if an account exceeds one of these quotas.

        It is called after an addition (names in MADE), inside the same transaction, so that concurrent
        writers cannot exceed the limit. `owner` is an account, or the owner of groups: `@account`, `+org`.
        """

    def set(self, account: str, limits: Mapping[QuotaName, int | None]) -> None:
        """Set limits of an account, all or none; None restores the limit of the server."""

    def recount(self) -> Sequence[int]:
        """Count the bytes of every item again. Return the REPOS items, whose packs are measured elsewhere."""

    def note_packs(self, item: int, size: int) -> None:
        """Record the bytes of packs that an item has on the disk, which the database cannot count."""
