"""The ports of password reset codes, and of the setup key for the first account."""

from __future__ import annotations

from typing import NamedTuple, Protocol

HELD = 3
"""Valid reset codes of an account at a time, among those requested from one place."""


class VerifiedAccount(NamedTuple):
    """An account with a verified primary address, spelled as it is stored."""

    name: str
    email: str


class PasswordResets(Protocol):
    """Stores password reset codes as digests.

    Any change of an account's password or primary address voids its codes; so does a lock.
    """

    def account_of(self, email: str) -> VerifiedAccount | None:
        """Return the account that has verified the address; None if there is none, or it is locked."""

    def add(self, code: str, user: str, email: str, *, asker: str, now: str, expires_on: str) -> None:
        """Add a code of a user. Only the newest HELD codes of one `asker` are valid.

        An unknown asker ("") has no limit, as it may be several; but codes of no user ("") are limited too.
        Codes that expired by `now` are deleted.
        """

    def find(self, code: str, now: str) -> str | None:
        """Return the user of a code that `spend` would accept, or None; changes nothing."""

    def spend(self, code: str, now: str) -> str | None:
        """Use up a code and all others of its user. Return the user.

        None if the code is unknown, used, void or expired, or the account has another address now.
        """


class SetupKeys(Protocol):
    """Stores the digest of at most one key. Creating any account voids it in the same transaction."""

    def renew(self, key: str, expires_on: str) -> bool:
        """Replace the key. Return False, and leave none, if there is an account."""

    def current(self, now: str) -> str | None:
        """Return the digest of the valid key; None if there is none, or there is an account."""

    def spend(self, key: str, now: str) -> bool:
        """Use the key up. Return False if it is not valid, or another request was first."""
