"""The tables of users, of their e-mail challenges, and of their links with people at a provider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peewee

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.database import Database
from storage.database.store import DatedStore, Store
from storage.people.addresses import in_use, take_over_address, void_resets
from storage.people.resets import VOID_SETUP_KEY
from storage.tree.item_rows import principal
from vfs.errors import Conflict, NotFound
from vfs.ports.clock import Clock
from vfs.ports.items import ItemStore
from vfs.ports.people import CHANGEABLE, VOIDING, Account, Challenge, ProviderLink, User

USER = TableColumns(
    User, "id name kind email verified public locked item created_on",
    kind=Account, verified=bool, public=bool, locked=bool,
)  # fmt: skip
OF_USER = USER.of("a")
CHALLENGE = TableColumns(Challenge, "uid account email code tries expires_on")

FIND = f"SELECT {OF_USER} FROM account a WHERE a.name = :name"
ALL = f"SELECT {OF_USER} FROM account a ORDER BY a.name"
WITH_ADDRESS = f"""
SELECT {OF_USER} FROM address d JOIN account a ON a.name = d.account
WHERE d.mailbox = :address AND d.verified_on IS NOT NULL"""
PASSWORD = "SELECT password FROM account WHERE name = :name"
RENEW = "UPDATE account SET password = :new WHERE name = :name AND password = :old"
ADD = """
INSERT INTO account (name, kind, password, email, verified, public, locked, item, created_on)
VALUES (:name, :kind, :password, :email, FALSE, :public, FALSE, :item, :now) RETURNING id"""
# Only members can share with a group, so a common group includes shares through groups.
SEEN = """(
    a.public OR a.name = :me
    OR EXISTS (SELECT 1 FROM share s WHERE s.target = :mine AND s.owner = a.name)
    OR EXISTS (
        SELECT 1 FROM tie t WHERE t.kind = 'connection' AND NOT t.pending
            AND ((t.name = :me AND t.other = a.name) OR (t.other = :me AND t.name = a.name)))
    OR EXISTS (
        SELECT 1 FROM member c JOIN member o ON o.group_ref = c.group_ref
        WHERE c.name = :me AND o.name = a.name AND NOT c.pending AND NOT o.pending))"""
SEES = f"SELECT 1 FROM account a WHERE a.name = :name AND {SEEN}"
SEEN_AMONG = f"SELECT a.name FROM account a WHERE a.name IN (:names) AND {SEEN}"
VISIBLE = f"""
SELECT {OF_USER} FROM account a WHERE a.public OR a.name = :me OR a.name IN (
    SELECT s.owner FROM share s WHERE s.target = :mine
    UNION SELECT t.other FROM tie t WHERE t.kind = 'connection' AND t.name = :me AND NOT t.pending
    UNION SELECT t.name FROM tie t WHERE t.kind = 'connection' AND t.other = :me AND NOT t.pending
    UNION SELECT o.name FROM member c JOIN member o ON o.group_ref = c.group_ref
    WHERE c.name = :me AND NOT c.pending AND NOT o.pending)
ORDER BY a.name"""

SPEND_ALL = "DELETE FROM challenge WHERE account = :user AND lower(email) = lower(:email)"
CHALLENGE_ADD = """
INSERT INTO challenge (uid, account, email, code, tries, expires_on)
VALUES (:uid, :user, :email, :code, 0, :expires_on)"""
CHALLENGE_FIND = f"SELECT {CHALLENGE} FROM challenge WHERE uid = :uid"
COUNT_TRY = "UPDATE challenge SET tries = tries + 1 WHERE uid = :uid"
SPEND = "DELETE FROM challenge WHERE uid = :uid"


class StoredUsers(DatedStore):
    """The store of accounts in the database (vfs.ports.people.Users)."""

    def __init__(self, database: Database, clock: Clock, items: ItemStore) -> None:
        super().__init__(database, clock)
        self._items = items

    def find(self, name: str) -> User | None:
        return self._database.one(USER, FIND, name=name)

    def all(self) -> Sequence[User]:
        return self._database.all(USER, ALL)

    def add(self, name: str, password: str, account: Account, email: str | None, *, public: bool) -> User:
        now = self._now()
        with self._database.atomic():
            self._database.run(VOID_SETUP_KEY)
            item = self._items.create("user", name, name)
            values = {"name": name, "kind": account.value, "password": password, "email": email}
            id = self._database.value(ADD, **values, public=public, item=item.id, now=now)
            take_over_address(self._database, name, now)
        return User(id, name, account, email, False, public, False, item.id, now)

    def with_address(self, address: str) -> User | None:
        return self._database.one(USER, WITH_ADDRESS, address=address.lower())

    def password(self, name: str) -> str | None:
        digest: str | None = self._database.value(PASSWORD, name=name)
        return digest

    def change(self, name: str, **fields: Any) -> None:
        if unknown := fields.keys() - CHANGEABLE:
            raise TypeError(f"an account has no field {', '.join(sorted(unknown))} that can be changed")
        values = ", ".join(f"{field} = :{field}" for field in sorted(fields))
        change = f"UPDATE account SET {values} WHERE name = :name"
        try:
            with self._database.atomic():
                if not self._database.run(change, **fields, name=name):
                    raise NotFound(f"There is no user {name}.")
                if fields.keys() & {"email", "verified"}:
                    take_over_address(self._database, name, self._now())
                if fields.keys() & VOIDING:
                    void_resets(self._database, name)
        except peewee.IntegrityError:
            user = self.find(name)
            raise in_use(fields.get("email") or (user.email if user else None)) from None

    def renew_password(self, name: str, old: str, new: str) -> bool:
        return self._database.run(RENEW, name=name, old=old, new=new) > 0

    def sees(self, caller: str | None, name: str) -> bool:
        return self._database.row(SEES, name=name, **principal(caller)) is not None

    def visible_among(self, caller: str | None, names: Sequence[str]) -> frozenset[str]:
        found: set[str] = set()
        for sql, params in batches(SEEN_AMONG, names=names):
            found.update(name for (name,) in self._database.rows(sql, **params, **principal(caller)))
        return frozenset(found)

    def visible(self, caller: str) -> Sequence[User]:
        return self._database.all(USER, VISIBLE, **principal(caller))


class StoredChallenges(Store):
    """The store of e-mail challenges in the database (vfs.ports.people.Challenges). Used ones are deleted."""

    def add(self, user: str, email: str, uid: str, code: str, expires_on: str) -> None:
        with self._database.atomic():
            self._database.run(SPEND_ALL, user=user, email=email)
            challenge = {"uid": uid, "user": user, "email": email, "code": code, "expires_on": expires_on}
            self._database.run(CHALLENGE_ADD, **challenge)

    def find(self, uid: str) -> Challenge | None:
        return self._database.one(CHALLENGE, CHALLENGE_FIND, uid=uid)

    def count_try(self, uid: str) -> None:
        self._database.run(COUNT_TRY, uid=uid)

    def spend(self, uid: str) -> bool:
        return self._database.run(SPEND, uid=uid) > 0


LINK = TableColumns(ProviderLink, "issuer subject account shown linked_on used_on")
FIND_LINK = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND subject = :subject"
LINK_OF = f"SELECT {LINK} FROM provider_link WHERE issuer = :issuer AND account = :user"
ADD_LINK = """
INSERT INTO provider_link (issuer, subject, account, shown, linked_on)
VALUES (:issuer, :subject, :user, :shown, :now)"""
USE_LINK = (
    "UPDATE provider_link SET shown = :shown, used_on = :now WHERE issuer = :issuer AND subject = :subject"
)
REMOVE_LINK = "DELETE FROM provider_link WHERE issuer = :issuer AND account = :user"


class StoredProviderLinks(DatedStore):
    """The store of links in the database (vfs.ports.people.ProviderLinks)."""

    def find(self, issuer: str, subject: str) -> ProviderLink | None:
        return self._database.one(LINK, FIND_LINK, issuer=issuer, subject=subject)

    def of(self, issuer: str, user: str) -> ProviderLink | None:
        return self._database.one(LINK, LINK_OF, issuer=issuer, user=user)

    def add(self, issuer: str, subject: str, user: str, shown: str) -> None:
        row = {"issuer": issuer, "subject": subject, "user": user, "shown": shown}
        try:
            with self._database.atomic():
                self._database.run(ADD_LINK, **row, now=self._now())
        except peewee.IntegrityError:
            raise Conflict("this account, or this person at the provider, is linked already") from None

    def use(self, issuer: str, subject: str, shown: str) -> None:
        now = self._now()
        self._database.run(USE_LINK, issuer=issuer, subject=subject, shown=shown, now=now)

    def remove(self, issuer: str, user: str) -> bool:
        return self._database.run(REMOVE_LINK, issuer=issuer, user=user) > 0
