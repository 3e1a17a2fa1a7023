"""The port of the e-mail addresses of accounts; one of them is the primary address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MOST_ADDRESSES = 10
"""The most addresses that an account may have."""


@dataclass(frozen=True, slots=True)
class EmailAddress:
    """An address of an account.

    `verified_on` None: it is not verified; `primary_on`: when it last became the primary one.
    """

    address: str
    primary: bool
    added_on: str
    verified_on: str | None
    primary_on: str | None


class Addresses(Protocol):
    """Stores the addresses of accounts. Addresses that differ only in case are the same address."""

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
