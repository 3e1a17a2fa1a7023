"""The ports about codes and keys of one use: for forgotten passwords, and for the first account."""

from __future__ import annotations

from typing import NamedTuple, Protocol

HELD = 3
"""Codes of an account that hold beside each other of those that were asked for from one place."""


class VerifiedAccount(NamedTuple):
    """An account that has verified its primary address, which is spelled as it is on file."""

    name: str
    email: str


class PasswordResets(Protocol):
    """Keeps what was mailed to those who forgot their passwords; codes as digests.

    A change of an account's password or primary address, by whatever way, voids its codes; so does a lock.
    """

    def account_of(self, email: str) -> VerifiedAccount | None:
        """The account that has verified the address; None where none has, or it is locked."""
        ...

    def add(self, code: str, user: str, email: str, *, asker: str, now: str, expires_on: str) -> None:
        """A new code of a user; of those from one `asker` only the newest HELD hold.

        Of an unknown asker ("") all hold, as it may be several; but of nobody ("") none are needed. What is
        over by `now` goes.
        """
        ...

    def find(self, code: str, now: str) -> str | None:
        """The user of a code that `spend` would take, or None; nothing changes."""
        ...

    def spend(self, code: str, now: str) -> str | None:
        """Use a code up, and all others of its user; the user.

        None where the code is unknown, spent, void or over, or the address is no more the account's.
        """
        ...


class SetupKeys(Protocol):
    """Keeps the digest of one key, or of none. Whatever makes an account voids it in the same moment."""

    def renew(self, key: str, expires_on: str) -> bool:
        """Let this key hold in place of the one before; False, and none holds, where there is an account."""
        ...

    def current(self, now: str) -> str | None:
        """The digest of the key that holds; None where none does, or there is an account."""
        ...

    def spend(self, key: str, now: str) -> bool:
        """Use the key up; False where it does not hold, or another request was first."""
        ...
