"""Users and their e-mail challenges as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peewee

from storage.database.database import Database
from storage.people import models
from vfs.errors import Conflict, NotFound
from vfs.ports.people import CHANGEABLE, Account, Challenge, User
from vfs.ports.world import Clock, ItemStore, stamp

USER = "a.id, a.name, a.kind, a.email, a.verified, a.public, a.locked, a.item, a.created_on"

FIND = f"SELECT {USER} FROM account a WHERE a.name = ?"
ALL = f"SELECT {USER} FROM account a ORDER BY a.name"
PASSWORD = "SELECT password FROM account WHERE name = ?"
ADD = """
INSERT INTO account (name, kind, password, email, verified, public, locked, item, created_on)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
# Whoever shares with a group is one of its members, so a common group covers shares through groups.
SEES = """
SELECT 1 FROM account a WHERE a.name = ? AND (
    a.public OR a.name = ?
    OR EXISTS (SELECT 1 FROM share s WHERE s.target = ? AND s.owner = a.name)
    OR EXISTS (
        SELECT 1 FROM tie t WHERE t.kind = 'connection' AND NOT t.pending
            AND ((t.name = ? AND t.other = a.name) OR (t.other = ? AND t.name = a.name)))
    OR EXISTS (
        SELECT 1 FROM member c JOIN member o ON o.group_ref = c.group_ref
        WHERE c.name = ? AND o.name = a.name AND NOT c.pending AND NOT o.pending))"""
SEEN = f"""
SELECT {USER} FROM account a WHERE a.public OR a.name = ? OR a.name IN (
    SELECT s.owner FROM share s WHERE s.target = ?
    UNION SELECT t.other FROM tie t WHERE t.kind = 'connection' AND t.name = ? AND NOT t.pending
    UNION SELECT t.name FROM tie t WHERE t.kind = 'connection' AND t.other = ? AND NOT t.pending
    UNION SELECT o.name FROM member c JOIN member o ON o.group_ref = c.group_ref
    WHERE c.name = ? AND NOT c.pending AND NOT o.pending)
ORDER BY a.name"""


class StoredUsers:
    """Keeps accounts in the database (vfs.ports.people.Users)."""

    def __init__(self, database: Database, clock: Clock, items: ItemStore) -> None:
        self._database = database
        self._clock = clock
        self._items = items

    def find(self, name: str) -> User | None:
        """The user, or None."""
        row = self._database.row(FIND, name)
        return _user(row) if row else None

    def all(self) -> Sequence[User]:
        """Every user, by name."""
        return [_user(row) for row in self._database.rows(ALL)]

    def add(self, name: str, password: str, account: Account, email: str | None, *, public: bool) -> User:
        """A new user with its profile item. Raises Conflict when the name is taken."""
        now = stamp(self._clock.now())
        with self._database.atomic():
            item = self._items.create("user", name, name)
            ((id,),) = self._database.rows(
                ADD, name, account.value, password, email, False, public, False, item.id, now,
            )  # fmt: skip
        return User(id, name, account, email, False, public, False, item.id, now)

    def password(self, name: str) -> str | None:
        """The digest of the user's password; None when there is no such user."""
        row = self._database.row(PASSWORD, name)
        return row[0] if row else None

    def change(self, name: str, **fields: Any) -> None:
        """Set some of `password`, `email`, `verified`, `public`, `locked`. Raises NotFound and Conflict."""
        if unknown := fields.keys() - CHANGEABLE:
            raise TypeError(f"an account has no field {', '.join(sorted(unknown))} that can be changed")
        change = models.Account.update(fields).where(models.Account.name == name)
        try:
            with self._database.atomic():
                if not self._database.query(change):
                    raise NotFound(f"There is no user {name}.")
        except peewee.IntegrityError:
            user = self.find(name)
            raise _in_use(fields.get("email") or (user.email if user else None)) from None

    def sees(self, caller: str | None, name: str) -> bool:
        """Whether the user exists and is visible to the caller."""
        me = caller or ""
        return self._database.row(SEES, name, me, f"@{me}", me, me, me) is not None

    def visible(self, caller: str) -> Sequence[User]:
        """The users visible to a caller, by name."""
        mine = (caller, f"@{caller}", caller, caller, caller)
        return [_user(row) for row in self._database.rows(SEEN, *mine)]


class StoredChallenges:
    """Keeps e-mail challenges in the database (vfs.ports.people.Challenges): what is spent is gone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, user: str, email: str, uid: str, code: str, expires_on: str) -> None:
        """A new challenge; earlier ones of the user are spent."""
        table = models.Challenge
        with self._database.atomic():
            self._database.query(table.delete().where(table.account == user))
            new = table.insert(uid=uid, account=user, email=email, code=code, tries=0, expires_on=expires_on)
            self._database.query(new)

    def find(self, uid: str) -> Challenge | None:
        """The unspent challenge, or None."""
        table = models.Challenge
        columns = (table.uid, table.account, table.email, table.code, table.tries, table.expires_on)
        rows = self._database.query(table.select(*columns).where(table.uid == uid))
        return Challenge(*rows[0]) if rows else None

    def count_try(self, uid: str) -> None:
        """Count a wrong answer."""
        table = models.Challenge
        self._database.query(table.update(tries=table.tries + 1).where(table.uid == uid))

    def spend(self, uid: str) -> bool:
        """Use it up; False when another answer was first."""
        table = models.Challenge
        spent: int = self._database.query(table.delete().where(table.uid == uid))
        return spent > 0


def _user(row: tuple[Any, ...]) -> User:
    id, name, kind, email, verified, public, locked, item, created_on = row
    return User(id, name, Account(kind), email, bool(verified), bool(public), bool(locked), item, created_on)


def _in_use(email: str | None) -> Conflict:
    return Conflict(f"The e-mail address {email} belongs to another account; use another address.")
