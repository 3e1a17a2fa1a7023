"""The tables of members of groups and of ties between users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from storage.database.bulk import batches
from storage.database.columns import TableColumns
from storage.database.store import QuotaStore
from vfs.access import Role
from vfs.ports.groups import Member, Tie, TieKind
from vfs.ports.quotas import QuotaName

MEMBER = TableColumns(
    Member, "group_ref name role pending invited_by created_on sole", role=Role, pending=bool, sole=bool
)
OF_GROUP = """
SELECT m.group_ref, m.name, m.role, m.pending, m.invited_by, m.created_on,
    m.role = 'founders' AND NOT m.pending AND NOT EXISTS (
        SELECT 1 FROM member o WHERE o.group_ref = m.group_ref AND o.name <> m.name
            AND o.role = 'founders' AND NOT o.pending) AS sole
FROM member m"""
SELECT = f"{OF_GROUP} WHERE m.group_ref = :ref"
ROSTER = f"{SELECT} ORDER BY m.name"
ROSTERS = f"{OF_GROUP} WHERE m.group_ref IN (:refs) ORDER BY m.group_ref, m.name"
FIND = f"{SELECT} AND m.name = :user"
LOCK = "UPDATE people_group SET name = name WHERE ref = :ref"
MOVE = """
UPDATE member SET role = :role, pending = :pending, invited_by = :by
WHERE group_ref = :ref AND name = :user"""
PUT = """
INSERT INTO member (group_ref, name, role, pending, created_on, invited_by)
VALUES (:ref, :user, :role, :pending, :now, :by)"""
DROP = "DELETE FROM member WHERE group_ref = :ref AND name = :user AND role = :role AND pending = :pending"
ACCEPT = """
UPDATE member SET pending = FALSE, created_on = :now WHERE group_ref = :ref AND name = :user AND pending"""

TIE = TableColumns(Tie, "kind name other pending created_on", kind=TieKind, pending=bool)
OF = f"SELECT {TIE} FROM tie WHERE kind = :kind AND name = :name ORDER BY other"
TO = f"SELECT {TIE} FROM tie WHERE kind = :kind AND other = :other ORDER BY name"
ONE = "kind = :kind AND name = :name AND other = :other"
FIND_TIE = f"SELECT {TIE} FROM tie WHERE {ONE}"
BEGIN = """
INSERT INTO tie (kind, name, other, pending, created_on) VALUES (:kind, :name, :other, :pending, :now)
ON CONFLICT DO NOTHING"""
# Deleted and inserted, so that a trigger removes the notice of the request.
DECLINE = f"""
INSERT INTO tie (kind, name, other, pending, created_on)
SELECT 'declined', name, other, pending, created_on FROM tie WHERE {ONE} AND pending
ON CONFLICT DO NOTHING"""
LAST = f"UPDATE tie SET pending = FALSE, created_on = :now WHERE {ONE} AND pending"
END = f"DELETE FROM tie WHERE {ONE}"
END_IF = f"{END} AND pending = :pending"


class StoredMembers(QuotaStore):
    """The store of members of groups in the database (vfs.ports.groups.Members)."""

    def hold(self, ref: str) -> bool:
        """Lock the group against other writers until this transaction ends. Return False if it is gone."""
        org, tilde, _ = ref.partition("~")
        if tilde and ref.startswith("+") and not self._database.run(LOCK, ref=org):
            return False
        return self._database.run(LOCK, ref=ref) > 0

    def roster(self, ref: str) -> Sequence[Member]:
        return self._database.all(MEMBER, ROSTER, ref=ref)

    def rosters(self, refs: Sequence[str]) -> Mapping[str, Sequence[Member]]:
        found: dict[str, list[Member]] = {}
        for sql, params in batches(ROSTERS, refs=refs):
            for row in self._database.rows(sql, **params):
                member = MEMBER.read(row)
                found.setdefault(member.ref, []).append(member)
        return found

    def find(self, ref: str, user: str) -> Member | None:
        return self._database.one(MEMBER, FIND, ref=ref, user=user)

    def put(self, ref: str, user: str, role: Role, *, pending: bool, by: str | None) -> bool:
        """Set a user's membership. Return True if it had none.

        Raises QuotaReached beyond the quota of the owner's members, or of invitations by `by`.
        """
        with self._database.atomic():
            place = {"ref": ref, "user": user, "role": role.value, "pending": pending, "by": by}
            if self._database.run(MOVE, **place):
                return False
            self._database.run(PUT, **place, now=self._now())
            self._admit_made(ref.partition("~")[0], QuotaName.MEMBERS)
            if pending and by is not None:
                self._admit_made(by, QuotaName.INVITES)
        return True

    def drop(self, ref: str, user: str, role: Role, *, pending: bool) -> bool:
        return self._database.run(DROP, ref=ref, user=user, role=role.value, pending=pending) > 0

    def accept(self, ref: str, user: str) -> bool:
        return self._database.run(ACCEPT, now=self._now(), ref=ref, user=user) > 0


class StoredTies(QuotaStore):
    """The store of the ties between users in the database (vfs.ports.groups.Ties)."""

    def of(self, kind: TieKind, name: str) -> Sequence[Tie]:
        return self._database.all(TIE, OF, kind=kind.value, name=name)

    def to(self, kind: TieKind, other: str) -> Sequence[Tie]:
        return self._database.all(TIE, TO, kind=kind.value, other=other)

    def find(self, kind: TieKind, name: str, other: str) -> Tie | None:
        return self._database.one(TIE, FIND_TIE, kind=kind.value, name=name, other=other)

    def put(self, kind: TieKind, name: str, other: str, *, pending: bool = False) -> bool:
        """Begin a tie. Return False if there is one already. Raises QuotaReached."""
        tie = {"kind": kind.value, "name": name, "other": other, "pending": pending}
        with self._database.atomic():
            if not self._database.run(BEGIN, **tie, now=self._now()):
                return False
            self._admit_made(name, QuotaName.TIES)
        return True

    def accept(self, kind: TieKind, name: str, other: str) -> bool:
        now = self._now()
        return self._database.run(LAST, now=now, kind=kind.value, name=name, other=other) > 0

    def decline(self, name: str, other: str) -> bool:
        request = {"kind": TieKind.CONNECTION.value, "name": name, "other": other}
        with self._database.atomic():
            self._database.run(DECLINE, **request)
            return self._database.run(END_IF, **request, pending=True) > 0

    def drop(self, kind: TieKind, name: str, other: str, *, pending: bool | None = None) -> bool:
        one = {"kind": kind.value, "name": name, "other": other}
        if pending is None:
            return self._database.run(END, **one) > 0
        return self._database.run(END_IF, **one, pending=pending) > 0
