"""The ports about people: users, their tokens and their challenges (a filesystem has users)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.access import Via

CHANGEABLE = frozenset({"password", "email", "verified", "public", "locked"})
"""The fields of a user that Users.change sets."""
VOIDING = frozenset({"password", "email", "verified", "locked"})
"""The fields of a user whose change voids the user's codes for forgotten passwords."""
LOGGED, KEPT_REVOKED = 1000, 1000
"""Uses that the log of a token shows, and revoked credentials of a user that are kept, runs' aside."""


class Account(StrEnum):
    """Kinds of accounts; only organisation accounts create organisations."""

    REGULAR = "regular"
    ORGANISATION = "organisation"


@dataclass(frozen=True, slots=True)
class User:
    """A user account. `item` is the item (kind `user`) that holds the profile's small files."""

    id: int
    name: str
    account: Account
    email: str | None
    verified: bool
    public: bool
    locked: bool
    item: int
    created_on: str


@dataclass(frozen=True, slots=True)
class Token:
    """A credential, never its value.

    `expires_on` None: it never expires; `revoked_on` None: it was not revoked.
    """

    id: int
    user: str
    name: str
    description: str
    via: Via
    claim: str | None
    created_on: str
    expires_on: str | None
    revoked_on: str | None
    last_used_on: str | None
    locked: bool = False
    run: int | None = None


class Users(Protocol):
    """Keeps accounts."""

    def find(self, name: str) -> User | None:
        """The user, or None."""
        ...

    def all(self) -> Sequence[User]:
        """Every user, by name."""
        ...

    def add(self, name: str, password: str, account: Account, email: str | None, *, public: bool) -> User:
        """A new user with its profile item; `password` is already a digest.

        Raises Conflict when the name is taken. The address may be anybody's, as it is not verified.
        """
        ...

    def with_address(self, address: str) -> User | None:
        """The user who verified an e-mail address, primary or not, in letters of any case; else None."""
        ...

    def password(self, name: str) -> str | None:
        """The digest of the user's password; None when there is no such user."""
        ...

    def change(self, name: str, **fields: object) -> None:
        """Set `password`, `email`, `verified`, `public` or `locked`; VOIDING ones void codes that are out.

        Raises NotFound, and Conflict when the address would be verified for two.
        """
        ...

    def renew_password(self, name: str, old: str, new: str) -> bool:
        """Put another digest of the same password in the place of `old`; False where there is another."""
        ...

    def sees(self, caller: str | None, name: str) -> bool:
        """Whether the user exists and is visible to the caller.

        It is when it is the caller itself, public, connected, in a common group, or shares something with it.
        """
        ...

    def visible_among(self, caller: str | None, names: Sequence[str]) -> frozenset[str]:
        """The users among those names who are visible to the caller; one statement for 500 names."""
        ...

    def visible(self, caller: str) -> Sequence[User]:
        """The users visible to a caller, by name; one statement."""
        ...


class Tokens(Protocol):
    """Keeps credentials by digest."""

    def mint(
        self,
        user: str,
        name: str,
        digest: str,
        *,
        description: str = "",
        via: Via = Via.TOKEN,
        claim: str | None = None,
        expires_on: str | None = None,
        run: int | None = None,
    ) -> Token:
        """A new credential; a revoked one of that name gives way, and so do the oldest of many revoked ones.

        Raises Conflict when the user has an unrevoked one of that name, QuotaReached when it has as many
        tokens as it may. Sessions are never refused: beyond the quota the oldest one is revoked.
        """
        ...

    def at(self, token: int) -> Token | None:
        """The credential with that number, whatever its state."""
        ...

    def by_digest(self, digest: str) -> Token | None:
        """The credential with that digest, whatever its state; `locked` tells of its user (one query)."""
        ...

    def of(self, user: str) -> Sequence[Token]:
        """The user's unrevoked tokens and sessions, oldest first (expired ones too; none of runs)."""
        ...

    def by_name(self, user: str, name: str) -> Token | None:
        """The newest credential of that name, revoked or not."""
        ...

    def revoke(self, token: int) -> bool:
        """Revoke; False when it was revoked before."""
        ...

    def revoke_run(self, run: int) -> None:
        """Revoke every credential of a run."""
        ...

    def record_uses(self, uses: Sequence[tuple[int, str, str]]) -> None:
        """Record uses (token, time stamp, what was done) in one transaction, as last use and in the log."""
        ...

    def log(self, token: int) -> Sequence[tuple[str, str]]:
        """The token's activity, oldest first: (time stamp, what was done), at most the newest 1,000."""
        ...


@dataclass(frozen=True, slots=True)
class Challenge:
    """A pending verification of an e-mail address."""

    uid: str
    user: str
    email: str
    code: str
    tries: int
    expires_on: str


class Challenges(Protocol):
    """Keeps e-mail challenges; codes as digests."""

    def add(self, user: str, email: str, uid: str, code: str, expires_on: str) -> None:
        """A new challenge; earlier ones of the user for the address are spent."""
        ...

    def find(self, uid: str) -> Challenge | None:
        """The unspent challenge, or None."""
        ...

    def count_try(self, uid: str) -> None:
        """Count a wrong answer."""
        ...

    def spend(self, uid: str) -> bool:
        """Use it up; False when another answer was first."""
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on how often something may happen: `most` times in `seconds`.

    `subject` says what, and to or from whom.
    """

    subject: str
    most: int
    seconds: int


class Rates(Protocol):
    """Counts, for all processes, what happens within spans of time; a span begins with its first count."""

    def take(self, limits: Sequence[Limit]) -> int:
        """Count once for each limit and answer 0.

        When one of them is reached, the seconds to wait, with nothing counted.
        """
        ...

    def give_back(self, subjects: Sequence[str]) -> None:
        """Take back one count of each subject that has one."""
        ...

    def wait_for(self, limit: Limit) -> int:
        """The seconds to wait when the limit is reached, else 0; counts nothing."""
        ...
