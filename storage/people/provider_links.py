"""The table of accounts that are linked with people at a provider."""

from __future__ import annotations

import peewee

from storage.database.columns import TableColumns
from storage.database.database import Database
from vfs.errors import Conflict
from vfs.ports.clock import Clock, stamp
from vfs.ports.people import ProviderLink

LINK = TableColumns(ProviderLink, "issuer subject account shown linked_on used_on")
FIND = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND subject = :subject"
OF = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND account = :user"
ADD = """
INSERT INTO provider_link (issuer, subject, account, shown, linked_on)
VALUES (:issuer, :subject, :user, :shown, :now)"""
USE = "UPDATE provider_link SET shown = :shown, used_on = :now WHERE issuer = :issuer AND subject = :subject"
REMOVE = "DELETE FROM provider_link WHERE issuer = :issuer AND account = :user"


class StoredProviderLinks:
    """Stores links in the database (vfs.ports.people.ProviderLinks)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def find(self, issuer: str, subject: str) -> ProviderLink | None:
        row = self._database.row(FIND, issuer=issuer, subject=subject)
        return LINK.read(row) if row else None

    def of(self, issuer: str, user: str) -> ProviderLink | None:
        row = self._database.row(OF, issuer=issuer, user=user)
        return LINK.read(row) if row else None

    def add(self, issuer: str, subject: str, user: str, shown: str) -> None:
        row = {"issuer": issuer, "subject": subject, "user": user, "shown": shown}
        try:
            with self._database.atomic():
                self._database.run(ADD, **row, now=stamp(self._clock.now()))
        except peewee.IntegrityError:
            raise Conflict("this account, or this person at the provider, is linked already") from None

    def use(self, issuer: str, subject: str, shown: str) -> None:
        now = stamp(self._clock.now())
        self._database.run(USE, issuer=issuer, subject=subject, shown=shown, now=now)

    def remove(self, issuer: str, user: str) -> bool:
        return self._database.run(REMOVE, issuer=issuer, user=user) > 0
