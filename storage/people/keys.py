"""The table of SSH public keys, which are found by their fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import peewee

from storage.database.columns import TableColumns
from storage.database.store import QuotaStore
from vfs.errors import NotFound
from vfs.ports.keys import KEY_FIELDS, Key, PublicKey, key_name_taken, key_taken, no_key
from vfs.ports.quotas import QuotaName


def _key(*cells: Any) -> Key:
    public = PublicKey(*cells[5:9]) if cells[8] is not None else None
    values = (*cells[:5], public, *cells[9:])
    return Key(*values)


KEY = TableColumns(
    _key,
    "id account name title summary kind body comment fingerprint"
    " created_on last_modified last_used_on locked",
    locked=bool,
)
SELECT = """
SELECT k.id, k.account, k.name, k.title, k.summary, k.kind, k.body, k.comment, k.fingerprint, k.created_on,
    k.last_modified, k.last_used_on, a.locked
FROM ssh_key k JOIN account a ON a.name = k.account"""
OF = f"{SELECT} WHERE k.account = :user ORDER BY k.name"
FIND = f"{SELECT} WHERE k.account = :user AND k.name = :name"
AT = f"{SELECT} WHERE k.id = :id"
BY_FINGERPRINT = f"{SELECT} WHERE k.fingerprint = :fingerprint ORDER BY k.account"
ADD = """
INSERT INTO ssh_key (account, name, title, summary, created_on, last_modified)
VALUES (:user, :name, '', '', :now, :now)
ON CONFLICT (account, name) DO NOTHING RETURNING id"""
# If the same key is sent again, the entry keeps its last use.
PUT = """
UPDATE ssh_key SET kind = :kind, body = :body, comment = :comment, fingerprint = :fingerprint,
    last_used_on = CASE WHEN fingerprint = :fingerprint THEN last_used_on END, last_modified = :now
WHERE id = :id"""
REMOVE = "DELETE FROM ssh_key WHERE id = :id"
USE = """
UPDATE ssh_key SET last_used_on = :used_on
WHERE id = :id AND (last_used_on IS NULL OR last_used_on < :used_on)"""


class StoredKeys(QuotaStore):
    """The store of public keys in the database (vfs.ports.keys.Keys)."""

    def of(self, user: str) -> Sequence[Key]:
        return self._database.all(KEY, OF, user=user)

    def find(self, user: str, name: str) -> Key | None:
        return self._database.one(KEY, FIND, user=user, name=name)

    def at(self, key: int) -> Key | None:
        return self._database.one(KEY, AT, id=key)

    def with_fingerprint(self, fingerprint: str) -> Sequence[Key]:
        return self._database.all(KEY, BY_FINGERPRINT, fingerprint=fingerprint)

    def add(self, user: str, name: str) -> None:
        with self._database.atomic():
            if self._database.value(ADD, user=user, name=name, now=self._now()) is None:
                raise key_name_taken(name)
            self._admit_made(user, QuotaName.KEYS)

    def change(self, key: int, **fields: str) -> None:
        if unknown := fields.keys() - KEY_FIELDS:
            raise TypeError(f"a key has no field {', '.join(sorted(unknown))} that can be changed")
        values = ", ".join(f"{field} = :{field}" for field in sorted(fields))
        change = f"UPDATE ssh_key SET {values}, last_modified = :now WHERE id = :id"
        if not self._database.run(change, id=key, now=self._now(), **fields):
            raise NotFound(no_key(key))

    def put(self, key: int, public: PublicKey) -> None:
        values = {"kind": public.kind, "body": public.body, "comment": public.comment}
        now = self._now()
        try:
            with self._database.atomic():
                done = self._database.run(PUT, id=key, now=now, fingerprint=public.fingerprint, **values)
        except peewee.IntegrityError:
            raise key_taken() from None
        if not done:
            raise NotFound(no_key(key))

    def remove(self, key: int) -> bool:
        return self._database.run(REMOVE, id=key) > 0

    def record_use(self, key: int, used_on: str) -> None:
        self._database.run(USE, id=key, used_on=used_on)
