"""Codes for forgotten passwords as rows."""

from __future__ import annotations

from storage.database.database import Database

ACCOUNT_OF = """
SELECT name FROM account WHERE lower(email) = lower(:email) AND verified AND NOT locked"""
FORGET = "DELETE FROM password_reset WHERE account = :user"
ADD = """
INSERT INTO password_reset (code, account, email, expires_on) VALUES (:code, :user, :email, :expires_on)"""
SPEND = """
DELETE FROM password_reset WHERE code = :code AND expires_on > :now AND EXISTS (
    SELECT 1 FROM account a WHERE a.name = password_reset.account AND a.verified AND NOT a.locked
        AND lower(a.email) = lower(password_reset.email))
RETURNING account"""


class StoredPasswordResets:
    """Keeps codes in the database (vfs.ports.resets.PasswordResets): what is spent is gone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def account_of(self, email: str) -> str | None:
        """The account that has verified the address; None where none has, or it is locked."""
        name: str | None = self._database.value(ACCOUNT_OF, email=email)
        return name

    def add(self, code: str, user: str, email: str, expires_on: str) -> None:
        """A new code of a user; the earlier ones are spent."""
        with self._database.atomic():
            self._database.run(FORGET, user=user)
            self._database.run(ADD, code=code, user=user, email=email, expires_on=expires_on)

    def spend(self, code: str, now: str) -> str | None:
        """Use a code up, and all others of its user; the user, or None where it is worth nothing."""
        with self._database.atomic():
            user: str | None = self._database.value(SPEND, code=code, now=now)
            if user is not None:
                self._database.run(FORGET, user=user)
        return user
