"""The port about forgotten passwords: codes by which a new one is set."""

from __future__ import annotations

from typing import Protocol


class PasswordResets(Protocol):
    """Keeps what was mailed to those who forgot their passwords; codes as digests."""

    def account_of(self, email: str) -> str | None:
        """The account that has verified the address; None where none has, or it is locked."""
        ...

    def add(self, code: str, user: str, email: str, expires_on: str) -> None:
        """A new code of a user; the earlier ones are spent."""
        ...

    def spend(self, code: str, now: str) -> str | None:
        """Use a code up, and all others of its user; the user.

        None where the code is unknown, spent or over, or the address is no more the account's.
        """
        ...
