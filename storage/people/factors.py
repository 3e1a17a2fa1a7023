"""The tables of second factors and recovery codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import peewee

from storage.database.columns import TableColumns
from storage.database.store import DatedStore
from vfs.errors import Conflict
from vfs.ports.factors import MOST_FACTORS, Factor, FactorKind

FACTOR = TableColumns(
    Factor,
    "account kind name sealed credential public_key counter added_by id created_on last_used_on",
    kind=FactorKind,
)
OF = f"SELECT {FACTOR} FROM factor WHERE account = :user ORDER BY name"
WITH_CREDENTIAL = f"SELECT {FACTOR} FROM factor WHERE credential = :credential"
ADD = """
INSERT INTO factor (account, kind, name, sealed, credential, public_key, counter, added_by, created_on)
VALUES (:user, :kind, :name, :sealed, :credential, :public_key, :counter, :added_by, :created_on)"""
USE = """
UPDATE factor SET counter = :counter, last_used_on = :used_on
WHERE id = :id AND (counter < :counter OR (counter = 0 AND kind = 'passkey' AND :counter = 0))"""
REMOVE = "DELETE FROM factor WHERE account = :user AND name = :name"
VOID = "DELETE FROM recovery_code WHERE account = :user"
VOID_WITH_LAST = f"{VOID} AND NOT EXISTS (SELECT 1 FROM factor WHERE account = :user)"
ADD_CODE = "INSERT INTO recovery_code (account, digest) VALUES (:user, :digest)"
LEFT = "SELECT count(*) FROM recovery_code WHERE account = :user"
USE_CODE = "DELETE FROM recovery_code WHERE account = :user AND digest = :digest"
# Changes of the factors of an account wait for each other.
HOLD = "UPDATE account SET name = name WHERE name = :user"


class StoredFactors(DatedStore):
    """The store of factors in the database (vfs.ports.factors.Factors)."""

    def of(self, user: str) -> Sequence[Factor]:
        return self._database.all(FACTOR, OF, user=user)

    def with_credential(self, credential: str) -> Factor | None:
        return self._database.one(FACTOR, WITH_CREDENTIAL, credential=credential)

    def add(self, factor: Factor) -> None:
        try:
            with self._database.atomic():
                self._database.run(HOLD, user=factor.user)
                self._require_room(factor)
                self._database.run(ADD, **{**asdict(factor), "created_on": self._now()})
        except peewee.IntegrityError:
            raise Conflict("this passkey is registered here already") from None

    def _require_room(self, factor: Factor) -> None:
        present = self.of(factor.user)
        if any(one.name == factor.name for one in present):
            raise Conflict(f"a second factor named {factor.name} is there already: choose another name")
        if factor.kind is FactorKind.APP and any(one.kind is factor.kind for one in present):
            raise Conflict("there is an authenticator app already: remove it before you add another")
        if len(present) >= MOST_FACTORS:
            raise Conflict(f"an account has at most {MOST_FACTORS} second factors: remove one first")

    def use(self, factor: int, counter: int, used_on: str) -> bool:
        return self._database.run(USE, id=factor, counter=counter, used_on=used_on) > 0

    def remove(self, user: str, name: str) -> bool:
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            removed = self._database.run(REMOVE, user=user, name=name) > 0
            self._database.run(VOID_WITH_LAST, user=user)
        return removed

    def renew_codes(self, user: str, digests: Sequence[str]) -> None:
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            self._database.run(VOID, user=user)
            for digest in digests:
                self._database.run(ADD_CODE, user=user, digest=digest)

    def codes_left(self, user: str) -> int:
        left: int = self._database.value(LEFT, user=user)
        return left

    def use_code(self, user: str, digest: str) -> bool:
        return self._database.run(USE_CODE, user=user, digest=digest) > 0
