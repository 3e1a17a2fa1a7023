"""The tables of second factors and recovery codes."""

from __future__ import annotations

from collections.abc import Sequence

import peewee

from storage.database.columns import TableColumns
from storage.database.database import Database
from vfs.errors import Conflict
from vfs.ports.clock import Clock, stamp
from vfs.ports.factors import (
    MOST_FACTORS,
    Factor,
    FactorKind,
    app_taken,
    factor_taken,
    passkey_taken,
    too_many_factors,
)

FACTOR = TableColumns(
    Factor,
    "id account kind name sealed credential public_key counter added_by created_on last_used_on",
    kind=FactorKind,
)
OF = f"SELECT {FACTOR} FROM factor WHERE account = :user ORDER BY name"
WITH_CREDENTIAL = f"SELECT {FACTOR} FROM factor WHERE credential = :credential"
ADD = """
INSERT INTO factor (account, kind, name, sealed, credential, public_key, counter, added_by, created_on)
VALUES (:user, :kind, :name, :sealed, :credential, :public_key, :counter, :added_by, :now)"""
USE = """
UPDATE factor SET counter = :counter, last_used_on = :used_on
WHERE id = :id AND (counter < :counter OR (counter = 0 AND kind = 'passkey' AND :counter = 0))"""
REMOVE = "DELETE FROM factor WHERE account = :user AND name = :name"
REMOVE_ALL = "DELETE FROM factor WHERE account = :user"
VOID = "DELETE FROM recovery_code WHERE account = :user"
VOID_WITH_LAST = f"{VOID} AND NOT EXISTS (SELECT 1 FROM factor WHERE account = :user)"
ADD_CODE = "INSERT INTO recovery_code (account, digest) VALUES (:user, :digest)"
LEFT = "SELECT count(*) FROM recovery_code WHERE account = :user"
USE_CODE = "DELETE FROM recovery_code WHERE account = :user AND digest = :digest"
# Changes of the factors of an account wait for each other.
HOLD = "UPDATE account SET name = name WHERE name = :user"


class StoredFactors:
    """Stores factors in the database (vfs.ports.factors.Factors)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, user: str) -> Sequence[Factor]:
        return [FACTOR.read(row) for row in self._database.rows(OF, user=user)]

    def with_credential(self, credential: str) -> Factor | None:
        row = self._database.row(WITH_CREDENTIAL, credential=credential)
        return FACTOR.read(row) if row else None

    def add(
        self,
        user: str,
        kind: FactorKind,
        name: str,
        *,
        sealed: str = "",
        credential: str | None = None,
        public_key: str = "",
        counter: int = 0,
        added_by: int | None = None,
    ) -> None:
        """Add a factor. Raises Conflict."""
        row = {"user": user, "kind": kind.value, "name": name, "sealed": sealed, "added_by": added_by}
        row |= {"credential": credential, "public_key": public_key, "counter": counter}
        try:
            with self._database.atomic():
                self._database.run(HOLD, user=user)
                self._require_room(user, kind, name)
                self._database.run(ADD, **row, now=stamp(self._clock.now()))
        except peewee.IntegrityError:
            raise passkey_taken() from None

    def _require_room(self, user: str, kind: FactorKind, name: str) -> None:
        present = self.of(user)
        refusal: Conflict | None = None
        if any(one.name == name for one in present):
            refusal = factor_taken(name)
        elif kind is FactorKind.APP and any(one.kind is kind for one in present):
            refusal = app_taken()
        elif len(present) >= MOST_FACTORS:
            refusal = too_many_factors()
        if refusal is not None:
            raise refusal

    def use(self, factor: int, counter: int, used_on: str) -> bool:
        return self._database.run(USE, id=factor, counter=counter, used_on=used_on) > 0

    def remove(self, user: str, name: str) -> bool:
        """Remove a factor, and all recovery codes with the last one."""
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            removed = self._database.run(REMOVE, user=user, name=name) > 0
            self._database.run(VOID_WITH_LAST, user=user)
        return removed

    def remove_all(self, user: str) -> bool:
        with self._database.atomic():
            self._database.run(HOLD, user=user)
            self._database.run(VOID, user=user)
            return self._database.run(REMOVE_ALL, user=user) > 0

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
