"""The tables of password reset codes, and of the setup key, which has at most one row."""

from __future__ import annotations

from storage.database.store import Store
from storage.people.addresses import HOLD, void_resets
from vfs.ports.people import HELD_CODES, VerifiedAccount

ACCOUNT_OF = """
SELECT name, email FROM account WHERE lower(email) = lower(:email) AND verified AND NOT locked"""
PRUNE = "DELETE FROM password_reset WHERE expires_on <= :now"
OLDER = """
DELETE FROM password_reset WHERE account = :user AND asker = :asker AND code NOT IN (
    SELECT code FROM password_reset WHERE account = :user AND asker = :asker
    ORDER BY expires_on DESC LIMIT :kept)"""
ADD = """
INSERT INTO password_reset (code, account, email, asker, expires_on)
VALUES (:code, :user, :email, :asker, :expires_on)"""
FIND = """
SELECT r.account FROM password_reset r JOIN account a ON a.name = r.account
WHERE r.code = :code AND r.expires_on > :now
    AND a.verified AND NOT a.locked AND lower(a.email) = lower(r.email)"""


class StoredPasswordResets(Store):
    """The store of codes in the database (vfs.ports.people.PasswordResets). Used codes are deleted.

    Every operation that adds, uses or voids codes of an account first writes to the account's row. So they
    wait for each other, and no code can be added while a password is changed.
    """

    def account_of(self, email: str) -> VerifiedAccount | None:
        row = self._database.row(ACCOUNT_OF, email=email)
        return VerifiedAccount(*row) if row else None

    def add(self, code: str, user: str, email: str, *, asker: str, now: str, expires_on: str) -> None:
        row = {"code": code, "user": user, "email": email, "asker": asker, "expires_on": expires_on}
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            self._database.run(PRUNE, now=now)
            if asker or not user:
                self._database.run(OLDER, user=user, asker=asker, kept=HELD_CODES - 1)
            self._database.run(ADD, **row)

    def find(self, code: str, now: str) -> str | None:
        user: str | None = self._database.value(FIND, code=code, now=now)
        return user

    def spend(self, code: str, now: str) -> str | None:
        with self._database.atomic():
            if (user := self.find(code, now)) is None:
                return None
            self._database.run(HOLD, user=user)
            if self.find(code, now) is None:
                return None  # another request was first
            void_resets(self._database, user)
        return user


VOID_SETUP_KEY = "DELETE FROM setup_key"
ADD_KEY = "INSERT INTO setup_key (id, key, expires_on) VALUES (1, :key, :expires_on)"
ANYBODY = "SELECT 1 FROM account LIMIT 1"
CURRENT = """
SELECT key FROM setup_key WHERE expires_on > :now AND NOT EXISTS (SELECT 1 FROM account)"""
SPEND_KEY = """
DELETE FROM setup_key
WHERE key = :key AND expires_on > :now AND NOT EXISTS (SELECT 1 FROM account)"""


class StoredSetupKeys(Store):
    """The store of the key in the database (vfs.ports.people.SetupKeys). A used or void key is deleted."""

    def renew(self, key: str, expires_on: str) -> bool:
        with self._database.atomic():
            self._database.run(VOID_SETUP_KEY)
            if self._database.row(ANYBODY) is not None:
                return False
            self._database.run(ADD_KEY, key=key, expires_on=expires_on)
        return True

    def current(self, now: str) -> str | None:
        key: str | None = self._database.value(CURRENT, now=now)
        return key

    def spend(self, key: str, now: str) -> bool:
        return self._database.run(SPEND_KEY, key=key, now=now) > 0
