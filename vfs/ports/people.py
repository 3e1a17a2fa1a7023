"""The ports of users, their addresses, credentials, codes by mail, and rate limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from vfs.access import Via

CHANGEABLE = frozenset({"password", "email", "verified", "public", "locked"})
"""The fields of a user that Users.change can set."""
VOIDING = frozenset({"password", "email", "verified", "locked"})
"""The fields of a user whose change voids the user's password reset codes."""
LOGGED, KEPT_REVOKED = 1000, 1000
"""Number of uses in the log of a token, and of revoked credentials kept per user (without those of runs)."""


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
    """A credential, without its value.

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
    """The store of accounts."""

    def find(self, name: str) -> User | None:
        """Return the user, or None."""

    def all(self) -> Sequence[User]:
        """Return every user, by name."""

    def add(self, name: str, password: str, account: Account, email: str | None, *, public: bool) -> User:
        """Add a user with its profile item; `password` is already a digest.

        Raises Conflict when the name is taken. Another account may have the address, as it is not verified.
        """

    def with_address(self, address: str) -> User | None:
        """Return the user who verified an e-mail address, primary or not, ignoring case; else None."""

    def password(self, name: str) -> str | None:
        """Return the digest of the user's password; None if there is no such user."""

    def change(self, name: str, **fields: object) -> None:
        """Set `password`, `email`, `verified`, `public` or `locked`. VOIDING fields void reset codes.

        Raises NotFound, and Conflict when two accounts would have the address verified.
        """

    def renew_password(self, name: str, old: str, new: str) -> bool:
        """Replace the digest `old` by a new one of the same password. Return False if it changed."""

    def sees(self, caller: str | None, name: str) -> bool:
        """Return whether the user exists and is visible to the caller.

        Visible are the caller itself, public users, connected users, members of a common group, and users
        who share an item with the caller.
        """

    def visible_among(self, caller: str | None, names: Sequence[str]) -> frozenset[str]:
        """Return the users among those names visible to the caller; one statement per 500 names."""

    def visible(self, caller: str) -> Sequence[User]:
        """Return the users visible to a caller, by name; one statement."""


class Tokens(Protocol):
    """The store of credentials by digest."""

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
        """Add a credential. Delete revoked ones of that name, and the oldest of too many revoked ones.

        Raises Conflict when the user has an unrevoked one of that name, QuotaReached when its token quota is
        full. Sessions are never refused: beyond the quota the oldest one is revoked.
        """

    def at(self, token: int) -> Token | None:
        """Return the credential with that number, in any state."""

    def by_digest(self, digest: str) -> Token | None:
        """Return the credential with that digest, in any state, with `locked` of its user (one query)."""

    def of(self, user: str) -> Sequence[Token]:
        """Return the user's unrevoked tokens and sessions (even expired; not of runs), oldest first."""

    def by_name(self, user: str, name: str) -> Token | None:
        """Return the newest credential of that name, revoked or not."""

    def revoke(self, token: int) -> bool:
        """Revoke a credential. Return False if it was revoked before."""

    def revoke_run(self, run: int) -> None:
        """Revoke every credential of a run."""

    def record_uses(self, uses: Sequence[tuple[int, str, str]]) -> None:
        """Record uses (token, time stamp, action) in one transaction, as the last use and in the log."""

    def log(self, token: int) -> Sequence[tuple[str, str]]:
        """Return the token's log, oldest first: (time stamp, action), at most the newest 1,000."""


@dataclass(frozen=True, slots=True)
class ProviderLink:
    """An account that signs in as a person (`subject`) at a provider of OpenID Connect (`issuer`).

    `shown` is the person's name there.
    """

    issuer: str
    subject: str
    account: str
    shown: str
    linked_on: str
    used_on: str | None


class ProviderLinks(Protocol):
    """The store of links: at most one of a person, and one of an account, at each provider."""

    def find(self, issuer: str, subject: str) -> ProviderLink | None:
        """Return the link of a person, or None."""

    def of(self, issuer: str, user: str) -> ProviderLink | None:
        """Return the link of an account, or None."""

    def add(self, issuer: str, subject: str, user: str, shown: str) -> None:
        """Link an account. Raises Conflict if it, or the person, is linked already."""

    def use(self, issuer: str, subject: str, shown: str) -> None:
        """Record a sign-in, and the person's current name."""

    def remove(self, issuer: str, user: str) -> bool:
        """End the link of an account. Return False if there is none."""


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
    """The store of e-mail challenges. It has only digests of codes."""

    def add(self, user: str, email: str, uid: str, code: str, expires_on: str) -> None:
        """Add a challenge, and void earlier ones of the user for the address."""

    def find(self, uid: str) -> Challenge | None:
        """Return the unused challenge, or None."""

    def count_try(self, uid: str) -> None:
        """Count a wrong answer."""

    def spend(self, uid: str) -> bool:
        """Use up a challenge. Return False if another request did so first."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit on the number of events: `most` in `seconds`.

    `subject` names the counted events and their account or address.
    """

    subject: str
    most: int
    seconds: int


class Rates(Protocol):
    """Counters of events per span of time, for all processes. A span begins with its first count."""

    def take(self, limits: Sequence[Limit]) -> int:
        """Count once for each limit and return 0.

        If one of them is reached, count nothing and return the seconds to wait.
        """

    def give_back(self, subjects: Sequence[str]) -> None:
        """Take back one count of each subject that has one."""

    def wait_for(self, limit: Limit) -> int:
        """Return the seconds to wait if the limit is reached, else 0. Counts nothing."""


HELD_CODES = 3
"""Maximum number of valid reset codes of an account that were requested by one asker."""


class VerifiedAccount(NamedTuple):
    """An account with a verified primary address, spelled as it is stored."""

    name: str
    email: str


class PasswordResets(Protocol):
    """The store of digests of password reset codes.

    Any change of an account's password or primary address voids its codes, and so does a lock.
    """

    def account_of(self, email: str) -> VerifiedAccount | None:
        """Return the account that has verified the address; None if there is none, or it is locked."""

    def add(self, code: str, user: str, email: str, *, asker: str, now: str, expires_on: str) -> None:
        """Add a code of a user. Only the newest HELD_CODES codes of one `asker` are valid.

        An unknown asker ("") has no limit, as it may be several. Codes of no user ("") are limited, too.
        Codes that expired by `now` are deleted.
        """

    def find(self, code: str, now: str) -> str | None:
        """Return the user of a code that `spend` would accept, or None. Changes nothing."""

    def spend(self, code: str, now: str) -> str | None:
        """Use up a code and all others of its user. Return the user.

        None if the code is unknown, used, void or expired, or the account has another address now.
        """


class SetupKeys(Protocol):
    """The store of the digest of at most one key. The creation of any account voids it."""

    def renew(self, key: str, expires_on: str) -> bool:
        """Replace the key. Return False, and leave none, if there is an account."""

    def current(self, now: str) -> str | None:
        """Return the digest of the valid key; None if there is none, or there is an account."""

    def spend(self, key: str, now: str) -> bool:
        """Use up the key. Return False if it is not valid, or another request was first."""


MOST_ADDRESSES = 10
"""The maximum number of addresses of an account."""


@dataclass(frozen=True, slots=True)
class EmailAddress:
    """An address of an account.

    `verified_on` None: it is not verified. `primary_on`: when it last became the primary one.
    """

    address: str
    primary: bool
    added_on: str
    verified_on: str | None
    primary_on: str | None


class Addresses(Protocol):
    """The store of accounts' addresses. Addresses that differ only in case are the same address."""

    def of(self, user: str) -> Sequence[EmailAddress]:
        """Return the user's addresses, the primary one first, then in alphabetical order."""

    def find(self, user: str, address: str) -> EmailAddress | None:
        """Return the user's address, or None."""

    def add(self, user: str, address: str) -> bool:
        """Add an unverified address. Return False if the user has the maximum number of addresses.

        Another account may have the same address, as it is not verified. Raises Conflict if the user has it
        already.
        """

    def verify(self, user: str, address: str) -> bool:
        """Mark an address as verified, and as primary if there is none. Return False if the user lacks it.

        Raises Conflict when another account has verified it.
        """

    def make_primary(self, user: str, address: str) -> bool:
        """Make a verified address the primary one. Return False if the user has no such verified address."""

    def remove(self, user: str, address: str) -> bool:
        """Remove an address and its challenges. Return False if it is primary, or not the user's."""
