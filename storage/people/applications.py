"""The table of registered applications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.errors import Conflict, NotFound
from vfs.ports.applications import (
    APPLICATION_FIELDS,
    MOST_APPLICATIONS,
    Application,
    too_many_applications,
)


def _words(kept: str) -> tuple[str, ...]:
    return tuple(kept.split())


APPLICATION = TableColumns(
    Application, "id client owner name description redirects scopes created_on locked",
    redirects=_words, scopes=_words, locked=bool,
)  # fmt: skip
SELECT = """
SELECT p.id, p.client, p.owner, p.name, p.description, p.redirects, p.scopes, p.created_on,
    coalesce(a.locked, FALSE)
FROM application p LEFT JOIN account a ON a.name = p.owner"""
FIND = f"{SELECT} WHERE p.client = :client"
OF = f"{SELECT} WHERE p.owner = :owner ORDER BY p.client"
OPERATORS = f"{SELECT} WHERE p.owner IS NULL ORDER BY p.client"
COUNT = "SELECT count(*) FROM application WHERE owner = :owner"
# Registrations of one account are serialized: each begins with a write to the account's row.
HOLD = "UPDATE account SET email = email WHERE name = :owner"
ADD = """
INSERT INTO application (client, owner, name, description, redirects, scopes, created_on)
VALUES (:client, :owner, :name, :description, :redirects, :scopes, :now)
ON CONFLICT (client) DO NOTHING RETURNING id"""
REMOVE = "DELETE FROM application WHERE client = :client"
REVOKE = """
UPDATE token SET revoked_on = :now
WHERE revoked_on IS NULL AND id IN (SELECT token FROM connection WHERE client = :client)"""
FORGET = (
    "DELETE FROM refresh WHERE token IN (SELECT token FROM connection WHERE client = :client)",
    "DELETE FROM connection WHERE client = :client",
    "DELETE FROM approval WHERE client = :client",
)


class StoredApplications(DatedStore):
    """Stores applications in the database (vfs.ports.applications.Applications)."""

    def find(self, client: str) -> Application | None:
        return self._database.one(APPLICATION, FIND, client=client)

    def of(self, owner: str | None) -> Sequence[Application]:
        """Return the applications that a user registered; those of the operator for None."""
        if owner is None:
            return self._database.all(APPLICATION, OPERATORS)
        return self._database.all(APPLICATION, OF, owner=owner)

    def add(self, client: str, owner: str | None, **fields: Any) -> Application:
        """Add an application. Raises Conflict when the id is taken, or the owner has the maximum number."""
        values = {"name": "", "description": "", "redirects": "", "scopes": "", **_cells(fields)}
        now = self._now()
        with self._database.atomic():
            self._database.run(HOLD, owner=owner)
            full = owner is not None and self._database.value(COUNT, owner=owner) >= MOST_APPLICATIONS
            if self._database.value(ADD, client=client, owner=owner, now=now, **values) is None:
                raise Conflict(f"There is an application {client} already; choose another name.")
            if full:
                raise too_many_applications()
        found = self.find(client)
        assert found is not None
        return found

    def change(self, client: str, **fields: Any) -> None:
        cells = _cells(fields)
        values = ", ".join(f"{field} = :{field}" for field in sorted(cells))
        if not self._database.run(
            f"UPDATE application SET {values} WHERE client = :client", client=client, **cells
        ):
            raise NotFound(f"There is no application {client}.")

    def remove(self, client: str) -> bool:
        with self._database.atomic():
            self._database.run(REVOKE, client=client, now=self._now())
            for statement in FORGET:
                self._database.run(statement, client=client)
            return self._database.run(REMOVE, client=client) > 0


def _cells(fields: dict[str, Any]) -> dict[str, str]:
    """Return fields as stored: redirects separated by newlines, scopes by blanks."""
    if unknown := fields.keys() - APPLICATION_FIELDS:
        raise TypeError(f"an application has no field {', '.join(sorted(unknown))} that can be changed")
    joints = {"redirects": "\n", "scopes": " "}
    return {name: joints[name].join(value) if name in joints else value for name, value in fields.items()}
