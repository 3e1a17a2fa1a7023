"""The tables of applications, approvals and connections; credentials are stored only as digests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.errors import Conflict, NotFound
from vfs.ports.applications import (
    APPLICATION_FIELDS,
    MOST_APPLICATIONS,
    Application,
    ApplicationConnection,
    Approval,
    too_many_applications,
)
from vfs.ports.clock import stamp


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
    """The store of applications in the database (vfs.ports.applications.Applications)."""

    def find(self, client: str) -> Application | None:
        return self._database.one(APPLICATION, FIND, client=client)

    def of(self, owner: str | None) -> Sequence[Application]:
        if owner is None:
            return self._database.all(APPLICATION, OPERATORS)
        return self._database.all(APPLICATION, OF, owner=owner)

    def add(self, client: str, owner: str | None, **fields: Any) -> Application:
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


# Time after the expiry of a code in which its second use still ends the connection.
REMEMBERED = timedelta(days=1)

APPROVAL = TableColumns(Approval, "client account approver redirect challenge scope expires_on ends_on token")
CONNECTION = TableColumns(ApplicationConnection, "token client account approver scope renewed", renewed=bool)
APPROVE = """
INSERT INTO approval (code, client, account, approver, redirect, challenge, scope, expires_on, ends_on)
VALUES (:code, :client, :user, :approver, :redirect, :challenge, :scope, :expires_on, :ends_on)"""
FIND_APPROVAL = f"SELECT {APPROVAL} FROM approval WHERE code = :code"
EXCHANGE = "UPDATE approval SET token = :token WHERE code = :code AND token IS NULL"
CONNECT = """
INSERT INTO connection (token, client, account, approver, scope, ends_on)
SELECT :token, client, account, approver, scope, ends_on FROM approval WHERE code = :code"""
ISSUE = "INSERT INTO refresh (digest, token, renewed) VALUES (:digest, :token, FALSE)"
BY_REFRESH = """
SELECT c.token, c.client, c.account, c.approver, c.scope, r.renewed
FROM refresh r JOIN connection c ON c.token = r.token WHERE r.digest = :digest"""
BY_TOKEN = """
SELECT c.token, c.client, c.account, c.approver, c.scope, FALSE FROM connection c WHERE c.token = :token"""
RENEW = "UPDATE refresh SET renewed = TRUE WHERE digest = :digest AND NOT renewed RETURNING token"
REPLACE = "UPDATE token SET digest = :digest WHERE id = :token AND revoked_on IS NULL"
PRUNE_APPROVALS = "DELETE FROM approval WHERE expires_on < :before"
PRUNE = (
    "DELETE FROM refresh WHERE token IN (SELECT token FROM connection WHERE ends_on < :before)",
    "DELETE FROM connection WHERE ends_on < :before",
)


class StoredConnections(DatedStore):
    """The store of approvals and connections in the database (vfs.ports.applications.Connections)."""

    def approve(self, code: str, approval: Approval) -> None:
        before = stamp(self._clock.now() - REMEMBERED)
        with self._database.atomic():
            for statement in (PRUNE_APPROVALS, *PRUNE):
                self._database.run(statement, before=before)
            self._database.run(
                APPROVE,
                code=code,
                client=approval.client,
                user=approval.user,
                approver=approval.approver,
                redirect=approval.redirect,
                challenge=approval.challenge,
                scope=approval.scope,
                expires_on=approval.expires_on,
                ends_on=approval.ends_on,
            )

    def approval(self, code: str) -> Approval | None:
        return self._database.one(APPROVAL, FIND_APPROVAL, code=code)

    def connect(self, code: str, token: int, refresh: str) -> bool:
        with self._database.atomic():
            if not self._database.run(EXCHANGE, code=code, token=token):
                return False
            self._database.run(CONNECT, code=code, token=token)
            self._database.run(ISSUE, digest=refresh, token=token)
        return True

    def by_refresh(self, refresh: str) -> ApplicationConnection | None:
        return self._database.one(CONNECTION, BY_REFRESH, digest=refresh)

    def by_token(self, token: int) -> ApplicationConnection | None:
        return self._database.one(CONNECTION, BY_TOKEN, token=token)

    def renew(self, refresh: str, next_refresh: str, digest: str) -> bool:
        with self._database.atomic():
            token = self._database.value(RENEW, digest=refresh)
            if token is None:
                return False
            self._database.run(ISSUE, digest=next_refresh, token=token)
            self._database.run(REPLACE, digest=digest, token=token)
        return True
