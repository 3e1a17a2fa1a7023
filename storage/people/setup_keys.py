"""The table of the setup key, which has at most one row."""

from __future__ import annotations

from storage.database.store import Store

VOID = "DELETE FROM setup_key"
ADD = "INSERT INTO setup_key (id, key, expires_on) VALUES (1, :key, :expires_on)"
ANYBODY = "SELECT 1 FROM account LIMIT 1"
CURRENT = """
SELECT key FROM setup_key WHERE expires_on > :now AND NOT EXISTS (SELECT 1 FROM account)"""
SPEND = """
DELETE FROM setup_key
WHERE key = :key AND expires_on > :now AND NOT EXISTS (SELECT 1 FROM account)"""


class StoredSetupKeys(Store):
    """Stores the key in the database (vfs.ports.resets.SetupKeys); a used or void key is deleted."""

    def renew(self, key: str, expires_on: str) -> bool:
        """Replace the key. Return False if there is an account."""
        with self._database.atomic():
            self._database.run(VOID)
            if self._database.row(ANYBODY) is not None:
                return False
            self._database.run(ADD, key=key, expires_on=expires_on)
        return True

    def current(self, now: str) -> str | None:
        """Return the digest of the valid key, or None."""
        key: str | None = self._database.value(CURRENT, now=now)
        return key

    def spend(self, key: str, now: str) -> bool:
        return self._database.run(SPEND, key=key, now=now) > 0
