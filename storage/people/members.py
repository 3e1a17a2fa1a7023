"""Who is in which group and who is tied to whom, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from storage.database.database import Database
from vfs.access import Role
from vfs.ports.groups import Member, Tie, TieKind
from vfs.ports.world import Clock, stamp

MEMBER = """
SELECT m.group_ref, m.name, m.role, m.pending, m.invited_by, m.created_on,
    m.role = 'founders' AND NOT m.pending AND NOT EXISTS (
        SELECT 1 FROM member o WHERE o.group_ref = m.group_ref AND o.name <> m.name
            AND o.role = 'founders' AND NOT o.pending)
FROM member m WHERE m.group_ref = ?"""
ROSTER = f"{MEMBER} ORDER BY m.name"
FIND = f"{MEMBER} AND m.name = ?"
LOCK = "UPDATE people_group SET name = name WHERE ref = ?"
MOVE = "UPDATE member SET role = ?, pending = ?, invited_by = ? WHERE group_ref = ? AND name = ?"
PUT = """
INSERT INTO member (group_ref, name, role, pending, created_on, invited_by) VALUES (?, ?, ?, ?, ?, ?)"""
DROP = "DELETE FROM member WHERE group_ref = ? AND name = ? AND role = ? AND pending = ?"
ACCEPT = "UPDATE member SET pending = ?, created_on = ? WHERE group_ref = ? AND name = ? AND pending"

TIE = "SELECT kind, name, other, pending, created_on FROM tie WHERE kind = ?"
BEGIN = """
INSERT INTO tie (kind, name, other, pending, created_on) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
LAST = "UPDATE tie SET pending = ?, created_on = ? WHERE kind = ? AND name = ? AND other = ? AND pending"
END = "DELETE FROM tie WHERE kind = ? AND name = ? AND other = ?"


class StoredMembers:
    """Keeps members of groups in the database (vfs.ports.groups.Members)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def hold(self, ref: str) -> bool:
        """Keep other writers out until this transaction ends; False when the group is gone."""
        org, tilde, _ = ref.partition("~")
        if tilde and ref.startswith("+") and not self._database.run(LOCK, org):
            return False
        return self._database.run(LOCK, ref) > 0

    def roster(self, ref: str) -> Sequence[Member]:
        """Members and invited users, by name."""
        return [_member(row) for row in self._database.rows(ROSTER, ref)]

    def find(self, ref: str, user: str) -> Member | None:
        """A user's place in a group."""
        row = self._database.row(FIND, ref, user)
        return _member(row) if row else None

    def put(self, ref: str, user: str, role: Role, *, pending: bool, by: str | None) -> bool:
        """Give a user a place, or another one; True when it had none."""
        with self._database.atomic():
            if self._database.run(MOVE, role.value, pending, by, ref, user):
                return False
            self._database.run(PUT, ref, user, role.value, pending, stamp(self._clock.now()), by)
        return True

    def drop(self, ref: str, user: str, role: Role, *, pending: bool) -> bool:
        """Take a user out of exactly this place; False when it is not there any more."""
        return self._database.run(DROP, ref, user, role.value, pending) > 0

    def accept(self, ref: str, user: str) -> bool:
        """Make an invitation a membership; False when there is no such invitation any more."""
        return self._database.run(ACCEPT, False, stamp(self._clock.now()), ref, user) > 0


class StoredTies:
    """Keeps the ties between users in the database (vfs.ports.groups.Ties)."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of(self, kind: TieKind, name: str) -> Sequence[Tie]:
        """The ties of that kind that the user began, by the other's name."""
        rows = self._database.rows(f"{TIE} AND name = ? ORDER BY other", kind.value, name)
        return [_tie(row) for row in rows]

    def to(self, kind: TieKind, other: str) -> Sequence[Tie]:
        """The ties of that kind that others began with the user, by their names."""
        rows = self._database.rows(f"{TIE} AND other = ? ORDER BY name", kind.value, other)
        return [_tie(row) for row in rows]

    def find(self, kind: TieKind, name: str, other: str) -> Tie | None:
        """The tie that `name` began with `other`."""
        row = self._database.row(f"{TIE} AND name = ? AND other = ?", kind.value, name, other)
        return _tie(row) if row else None

    def put(self, kind: TieKind, name: str, other: str, *, pending: bool = False) -> bool:
        """Begin a tie; False when there is one already."""
        now = stamp(self._clock.now())
        return self._database.run(BEGIN, kind.value, name, other, pending, now) > 0

    def accept(self, kind: TieKind, name: str, other: str) -> bool:
        """Make a pending tie a lasting one; False when there is none."""
        now = stamp(self._clock.now())
        return self._database.run(LAST, False, now, kind.value, name, other) > 0

    def drop(self, kind: TieKind, name: str, other: str, *, pending: bool | None = None) -> bool:
        """End a tie, when it is pending or not as asked; False when there is none."""
        if pending is None:
            return self._database.run(END, kind.value, name, other) > 0
        return self._database.run(f"{END} AND pending = ?", kind.value, name, other, pending) > 0


def _member(row: tuple[Any, ...]) -> Member:
    ref, name, role, pending, invited_by, created_on, sole = row
    return Member(ref, name, Role(role), bool(pending), invited_by, created_on, bool(sole))


def _tie(row: tuple[Any, ...]) -> Tie:
    kind, name, other, pending, created_on = row
    return Tie(TieKind(kind), name, other, bool(pending), created_on)
