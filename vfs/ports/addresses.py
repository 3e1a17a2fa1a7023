"""The port about e-mail addresses of accounts; one of them is the primary address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

MOST_ADDRESSES = 10
"""Addresses that an account may have."""


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
    """Keeps the addresses of accounts. Of letters only the case differs: it makes no other address."""

    def of(self, user: str) -> Sequence[EmailAddress]:
        """The user's addresses, the primary one first, then in the order of their names."""
        ...

    def find(self, user: str, address: str) -> EmailAddress | None:
        """The user's address, or None."""
        ...

    def add(self, user: str, address: str) -> bool:
        """Add an address, not verified; False when the user has as many as it may have.

        The address may be anybody's, as it is not verified. Raises Conflict when the user has it.
        """
        ...

    def verify(self, user: str, address: str) -> bool:
        """Mark an address as verified, and as primary where there is none; False when it is not the user's.

        Raises Conflict when another account has verified it.
        """
        ...

    def make_primary(self, user: str, address: str) -> bool:
        """Make a verified address the primary one; False when the user has no such verified address."""
        ...

    def remove(self, user: str, address: str) -> bool:
        """Take an address away with its challenges; False when it is primary, or not the user's."""
        ...
