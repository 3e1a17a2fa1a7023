"""The port to quotas: bounds of all that an account keeps, has and does at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class QuotaName(StrEnum):
    """Names of what is bounded: bytes kept, things had, what is at work at once, bytes of one push.

    What an account has is counted for the account that made it: what it put on things of others counts for
    it, and not for them.
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
"""Quotas of what ends by itself, so that waiting helps."""
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
"""Quotas of what is counted as it comes and goes: asking costs the same however many there are."""


Counts = Mapping[str, Sequence[QuotaName]]
"""Quotas for which an item of a kind counts, by kind; one that is not named counts as one of the ITEMS."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A bound of an account and its use; `own`: it was set for this account, and is not the server's."""

    name: QuotaName
    limit: int
    use: int
    own: bool

    @property
    def room(self) -> int:
        """As much as may still come; 0 when it is full or over."""
        return max(self.limit - self.use, 0)


class Quotas(Protocol):
    """Bounds what accounts keep. An account pays for all that it owns, no matter who writes there."""

    def of(self, account: str) -> Sequence[Quota]:
        """Every quota of an account, in the order of QuotaName."""
        ...

    def one(self, account: str, name: QuotaName) -> Quota:
        """One quota of an account."""
        ...

    def admit_bytes(self, item: int, growth: int) -> None:
        """Raise TooLarge when what the owner of an item keeps may not grow by so many bytes."""
        ...

    def admit_words(self, author: str, growth: int) -> None:
        """The same for what its author pays for, wherever it stands: comments."""
        ...

    def payer_of(self, item: int) -> tuple[str, int] | None:
        """The account that owns an item, and the bytes that it may keep; None without the item."""
        ...

    def admit_more(self, account: str, name: QuotaName, more: int = 1) -> None:
        """Raise QuotaReached when an account may not have so many more of something."""
        ...

    def admit_item(self, owner: str, kind: str) -> None:
        """Raise QuotaReached when an owner may not have one more item of a kind."""
        ...

    def admit_made(self, owner: str, *names: QuotaName) -> None:
        """Raise QuotaReached when an account has more of something than it may.

        It is asked after one more was made (names in MADE), inside the transaction that made it: so
        no two writers at once go beyond. `owner` is an account, or what owns groups: `@account`, `+org`.
        """
        ...

    def set(self, account: str, limits: Mapping[QuotaName, int | None]) -> None:
        """Set limits of an account, which None gives back to the server's; all or none."""
        ...

    def recount(self) -> Sequence[int]:
        """Count anew what every item takes; the items that count as REPOS, whose packs others measure."""
        ...

    def note_packs(self, item: int, size: int) -> None:
        """Count the bytes that an item has on the disk, beside what is known of it by itself."""
        ...
