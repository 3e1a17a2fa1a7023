"""The tables of approvals and connections of applications; credentials are stored only as digests."""

from __future__ import annotations

from datetime import timedelta

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.ports.applications import ApplicationConnection, Approval
from vfs.ports.clock import stamp

# For this long after it expired, a code that is used a second time ends its connection.
REMEMBERED = timedelta(days=1)

APPROVAL = TableColumns(Approval, "client account approver redirect challenge scope expires_on ends_on token")
CONNECTION = TableColumns(ApplicationConnection, "token client account approver scope renewed", renewed=bool)
APPROVE = """
INSERT INTO approval (code, client, account, approver, redirect, challenge, scope, expires_on, ends_on)
VALUES (:code, :client, :user, :approver, :redirect, :challenge, :scope, :expires_on, :ends_on)"""
FIND = f"SELECT {APPROVAL} FROM approval WHERE code = :code"
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
    """Stores approvals and connections in the database (vfs.ports.applications.Connections)."""

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
        return self._database.one(APPROVAL, FIND, code=code)

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
