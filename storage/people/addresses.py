"""The table of e-mail addresses; the primary one is also stored in the account's row."""

from __future__ import annotations

from collections.abc import Sequence

import peewee

from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.database.store import DatedStore
from vfs.errors import Conflict
from vfs.ports.people import MOST_ADDRESSES, EmailAddress

COLUMNS = TableColumns(EmailAddress, "address primary added_on verified_on primary_on", primary=bool)
FOUND = """
SELECT d.address, a.email IS NOT NULL AND lower(a.email) = d.mailbox, d.added_on, d.verified_on, d.primary_on
FROM address d JOIN account a ON a.name = d.account WHERE d.account = :user"""
OF = f"{FOUND} ORDER BY 2 DESC, d.mailbox"
FIND = f"{FOUND} AND d.mailbox = :mailbox"
# Changes of one account's addresses are serialized: each begins with a write to the account's row.
HOLD = "UPDATE account SET email = email WHERE name = :user"
ADD = """
INSERT INTO address (account, mailbox, address, added_on)
SELECT :user, :mailbox, :address, :now WHERE (SELECT count(*) FROM address WHERE account = :user) < :most"""
VERIFY = """
UPDATE address SET verified_on = coalesce(verified_on, :now) WHERE account = :user AND mailbox = :mailbox"""
FIRST = "UPDATE account SET email = :address WHERE name = :user AND email IS NULL"
VERIFIED = "UPDATE account SET verified = TRUE WHERE name = :user AND lower(email) = :mailbox"
IS_VERIFIED = """
SELECT address FROM address WHERE account = :user AND mailbox = :mailbox AND verified_on IS NOT NULL"""
PROMOTE = "UPDATE account SET email = :address, verified = TRUE WHERE name = :user"
PROMOTED = "UPDATE address SET primary_on = :now WHERE account = :user AND mailbox = :mailbox"
REMOVE = """
DELETE FROM address WHERE account = :user AND mailbox = :mailbox AND NOT EXISTS (
    SELECT 1 FROM account a WHERE a.name = :user AND lower(a.email) = :mailbox)"""
SPEND = "DELETE FROM challenge WHERE account = :user AND lower(email) = :mailbox"
VOID = "DELETE FROM password_reset WHERE account = :user"
# The account's row is newer, so its address and verification are copied.
TAKE_OVER = """
INSERT INTO address (account, mailbox, address, added_on, verified_on, primary_on)
SELECT name, lower(email), email, :now, CASE WHEN verified THEN :now END, :now
FROM account WHERE name = :user AND email IS NOT NULL
ON CONFLICT (account, mailbox) DO UPDATE SET address = excluded.address,
    verified_on = CASE WHEN excluded.verified_on IS NULL THEN NULL
        ELSE coalesce(address.verified_on, excluded.verified_on) END"""


class StoredAddresses(DatedStore):
    """The store of addresses in the database (vfs.ports.people.Addresses)."""

    def of(self, user: str) -> Sequence[EmailAddress]:
        return self._database.all(COLUMNS, OF, user=user)

    def find(self, user: str, address: str) -> EmailAddress | None:
        return self._database.one(COLUMNS, FIND, user=user, mailbox=address.lower())

    def add(self, user: str, address: str) -> bool:
        row = {"user": user, "mailbox": address.lower(), "address": address, "now": self._now()}
        try:
            with self._database.atomic():
                self._database.run(HOLD, user=user)
                return self._database.run(ADD, **row, most=MOST_ADDRESSES) > 0
        except peewee.IntegrityError:
            raise Conflict(f"{address} is an address of yours already") from None

    def verify(self, user: str, address: str) -> bool:
        mailbox = address.lower()
        try:
            with self._database.atomic():
                self._database.run(HOLD, user=user)
                if not self._database.run(VERIFY, user=user, mailbox=mailbox, now=self._now()):
                    return False
                if self._database.run(FIRST, user=user, address=address):
                    self._database.run(PROMOTED, user=user, mailbox=mailbox, now=self._now())
                self._database.run(VERIFIED, user=user, mailbox=mailbox)
                return True
        except peewee.IntegrityError:
            raise in_use(address) from None

    def make_primary(self, user: str, address: str) -> bool:
        mailbox = address.lower()
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            kept = self._database.value(IS_VERIFIED, user=user, mailbox=mailbox)
            if kept is None:
                return False
            self._database.run(PROMOTE, user=user, address=kept)
            self._database.run(PROMOTED, user=user, mailbox=mailbox, now=self._now())
            void_resets(self._database, user)
            return True

    def remove(self, user: str, address: str) -> bool:
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            if not self._database.run(REMOVE, user=user, mailbox=address.lower()):
                return False
            self._database.run(SPEND, user=user, mailbox=address.lower())
            return True


def take_over_address(database: Database, user: str, now: str) -> None:
    """Copy the address of an account's row to its addresses. Raises peewee.IntegrityError."""
    database.run(TAKE_OVER, user=user, now=now)


def void_resets(database: Database, user: str) -> None:
    """Void the password reset codes of the user."""
    database.run(VOID, user=user)


def in_use(email: str | None) -> Conflict:
    """Return the refusal of an address that another account has verified."""
    return Conflict(f"The e-mail address {email} belongs to another account; use another address.")
