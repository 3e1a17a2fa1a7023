"""The tables of pending shares and of invitation links."""

from __future__ import annotations

from collections.abc import Sequence

from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.database.store import Store
from storage.tree.item_rows import LOCK
from vfs.errors import NotFound
from vfs.ports.invitations import InvitationLink, PendingShare
from vfs.ports.quotas import QuotaName, Quotas

SHARE = TableColumns(PendingShare, "item account owner letters name created_on")
ON = f"SELECT {SHARE} FROM pending_share WHERE item = :item AND created_on > :since ORDER BY account"
PUT = """
INSERT INTO pending_share (item, account, owner, letters, name, created_on)
VALUES (:item, :user, :owner, :letters, :name, :created_on)
ON CONFLICT (item, account) DO UPDATE SET
    letters = excluded.letters, name = excluded.name, created_on = excluded.created_on"""
END_OLD = "DELETE FROM pending_share WHERE owner = :owner AND created_on <= :since"
DROP = "DELETE FROM pending_share WHERE item = :item AND account = :user"
TAKE = f"DELETE FROM pending_share WHERE account = :user AND owner = :owner RETURNING {SHARE}"

LINK = TableColumns(InvitationLink, "account name created_on expires_on")
PRUNE = "DELETE FROM invitation_link WHERE expires_on <= :now"
ADD = """
INSERT INTO invitation_link (digest, account, name, created_on, expires_on)
VALUES (:digest, :account, :name, :now, :expires_on) ON CONFLICT DO NOTHING"""
OF = f"""
SELECT {LINK} FROM invitation_link WHERE account = :account AND expires_on > :now ORDER BY created_on, name"""
FIND = f"""
SELECT {LINK.of("l")} FROM invitation_link l JOIN account a ON a.name = l.account
WHERE l.digest = :digest AND l.expires_on > :now AND NOT a.locked"""
END = "DELETE FROM invitation_link WHERE account = :account AND name = :name"
SPEND = "DELETE FROM invitation_link WHERE digest = :digest AND expires_on > :now"


class StoredPendingShares:
    """The store of pending shares in the database (vfs.ports.invitations.PendingShares)."""

    def __init__(self, database: Database, quotas: Quotas | None = None) -> None:
        self._database = database
        self._quotas = quotas

    def on(self, item: int, since: str) -> Sequence[PendingShare]:
        return self._database.all(SHARE, ON, item=item, since=since)

    def put(self, share: PendingShare, since: str) -> None:
        with self._database.atomic():
            if not self._database.run(LOCK, item=share.item):
                raise NotFound("The resource no longer exists, so nothing was shared.")
            self._database.run(END_OLD, owner=share.owner, since=since)
            row = {"item": share.item, "user": share.user, "owner": share.owner, "letters": share.letters}
            self._database.run(PUT, **row, name=share.name, created_on=share.created_on)
            if self._quotas is not None:
                self._quotas.admit_made(share.owner, QuotaName.SHARES)

    def drop(self, item: int, user: str) -> bool:
        return self._database.run(DROP, item=item, user=user) > 0

    def take(self, owner: str, user: str, since: str) -> Sequence[PendingShare]:
        taken = self._database.all(SHARE, TAKE, owner=owner, user=user)
        return sorted((one for one in taken if one.created_on > since), key=lambda one: one.item)


class StoredInvitationLinks(Store):
    """The store of links in the database (vfs.ports.invitations.InvitationLinks)."""

    def add(self, digest: str, link: InvitationLink) -> bool:
        row = {"digest": digest, "account": link.account, "name": link.name, "expires_on": link.expires_on}
        with self._database.atomic():
            self._database.run(PRUNE, now=link.created_on)
            return self._database.run(ADD, **row, now=link.created_on) > 0

    def of(self, account: str, now: str) -> Sequence[InvitationLink]:
        return self._database.all(LINK, OF, account=account, now=now)

    def find(self, digest: str, now: str) -> InvitationLink | None:
        return self._database.one(LINK, FIND, digest=digest, now=now)

    def drop(self, account: str, name: str) -> bool:
        return self._database.run(END, account=account, name=name) > 0

    def spend(self, digest: str, now: str) -> bool:
        return self._database.run(SPEND, digest=digest, now=now) > 0
