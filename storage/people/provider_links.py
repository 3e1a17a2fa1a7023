"""The table of accounts that are linked with people at a provider."""

from __future__ import annotations

import peewee

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.errors import Conflict
from vfs.ports.people import ProviderLink

LINK = TableColumns(ProviderLink, "issuer subject account shown linked_on used_on")
FIND = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND subject = :subject"
OF = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND account = :user"
ADD = """
INSERT INTO provider_link (issuer, subject, account, shown, linked_on)
VALUES (:issuer, :subject, :user, :shown, :now)"""
USE = "UPDATE provider_link SET shown = :shown, used_on = :now WHERE issuer = :issuer AND subject = :subject"
REMOVE = "DELETE FROM provider_link WHERE issuer = :issuer AND account = :user"


class StoredProviderLinks(DatedStore):
    """Stores links in the database (vfs.ports.people.ProviderLinks)."""

    def find(self, issuer: str, subject: str) -> ProviderLink | None:
        return self._database.one(LINK, FIND, issuer=issuer, subject=subject)

    def of(self, issuer: str, user: str) -> ProviderLink | None:
        return self._database.one(LINK, OF, issuer=issuer, user=user)

    def add(self, issuer: str, subject: str, user: str, shown: str) -> None:
        row = {"issuer": issuer, "subject": subject, "user": user, "shown": shown}
        try:
            with self._database.atomic():
                self._database.run(ADD, **row, now=self._now())
        except peewee.IntegrityError:
            raise Conflict("this account, or this person at the provider, is linked already") from None

    def use(self, issuer: str, subject: str, shown: str) -> None:
        now = self._now()
        self._database.run(USE, issuer=issuer, subject=subject, shown=shown, now=now)

    def remove(self, issuer: str, user: str) -> bool:
        return self._database.run(REMOVE, issuer=issuer, user=user) > 0
