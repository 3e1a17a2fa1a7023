"""The table of groups and organisations, read with the caller's relation to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from storage.database.bulk import batches
from storage.database.columns import Cells, TableColumns
from storage.database.database import Database
from storage.database.store import QuotaStore
from storage.tree.item_rows import ITEM
from vfs.access import Role
from vfs.errors import NotFound
from vfs.ports.clock import Clock
from vfs.ports.groups import Group, GroupKind, GroupRelation, SecondOrganisation, reference
from vfs.ports.items import ItemStore
from vfs.ports.quotas import QuotaName, Quotas


@dataclass(frozen=True, slots=True)
class _Membership:
    """The caller's role in a group and in its organisation (`over`); `inside`: it is in a group of that."""

    role: Role | None
    pending: bool | None
    since: str | None
    over: Role | None
    inside: bool


GROUP = TableColumns(
    lambda *cells: cells, "ref kind owner name public plan created_on", kind=GroupKind, public=bool
)
MEMBERSHIP = TableColumns(_Membership, "role pending since over inside", role=Role, over=Role, inside=bool)
# A group, its item, and the caller's role there and in its organisation, and membership in its groups.
RELATION = f"""
SELECT g.ref, g.kind, g.owner, g.name, g.public, COALESCE(o.plan, g.plan), g.created_on, {ITEM.of("i")},
    m.role, m.pending, m.created_on, a.role,
    g.kind = 'org' AND EXISTS (
        SELECT 1 FROM people_group k JOIN member c ON c.group_ref = k.ref
        WHERE k.parent = g.ref AND c.name = :me)
FROM people_group g JOIN item i ON i.id = g.item
LEFT JOIN people_group o ON o.ref = g.parent
LEFT JOIN member m ON m.group_ref = g.ref AND m.name = :me
LEFT JOIN member a ON a.group_ref = g.parent AND a.name = :me AND NOT a.pending"""
FIND = f"{RELATION} WHERE g.ref = :ref"
UNDER = f"{RELATION} WHERE g.parent = :org ORDER BY g.ref"
ALL_UNDER = f"{RELATION} WHERE g.parent IN (:orgs) ORDER BY g.ref"
OF = f"{RELATION} WHERE g.ref IN (SELECT group_ref FROM member WHERE name = :me) ORDER BY g.ref"
THEIRS = f"""{RELATION}
WHERE g.ref IN (SELECT group_ref FROM member WHERE name = :user AND NOT pending) ORDER BY g.ref"""
ORGS = f"""{RELATION}
WHERE g.ref IN (
    SELECT ref FROM people_group WHERE kind = 'org' AND public
    UNION SELECT COALESCE(k.parent, k.ref) FROM member c JOIN people_group k ON k.ref = c.group_ref
        WHERE c.name = :me AND k.kind <> 'user_group')
ORDER BY g.ref"""
HAS_ORG = "SELECT 1 FROM people_group WHERE kind = 'org' AND owner = :account"

CREATE = """
INSERT INTO people_group (ref, kind, owner, name, parent, public, plan, created_on, item)
VALUES (:ref, :kind, :owner, :name, :parent, FALSE, :plan, :now, :item)
ON CONFLICT DO NOTHING RETURNING ref"""
FOUND = """
INSERT INTO member (group_ref, name, role, pending, created_on)
VALUES (:ref, :founder, 'founders', FALSE, :now)"""
LOCK = "UPDATE people_group SET name = name WHERE ref = :ref"
PUBLIC = "UPDATE people_group SET public = :public WHERE ref = :ref"
PLAN = "UPDATE people_group SET plan = :plan WHERE ref = :ref AND kind = 'org'"
REMOVE = (
    "DELETE FROM share WHERE target = :ref",
    "DELETE FROM member WHERE group_ref = :ref",
    "DELETE FROM people_group WHERE ref = :ref",
)


class StoredGroups(QuotaStore):
    """The store of groups in the database (vfs.ports.groups.Groups)."""

    def __init__(
        self, database: Database, clock: Clock, items: ItemStore, quotas: Quotas | None = None
    ) -> None:
        super().__init__(database, clock, quotas)
        self._items = items

    def find(self, ref: str, caller: str | None) -> GroupRelation | None:
        rows = self._rows(FIND, caller, ref=ref)
        return rows[0] if rows else None

    def of(self, caller: str) -> Sequence[GroupRelation]:
        return self._rows(OF, caller)

    def under(self, org: str, caller: str | None) -> Sequence[GroupRelation]:
        return self._rows(UNDER, caller, org=org)

    def all_under(self, orgs: Sequence[str], caller: str | None) -> Sequence[GroupRelation]:
        found: list[GroupRelation] = []
        for sql, params in batches(ALL_UNDER, orgs=orgs):
            found += self._rows(sql, caller, **params)
        return found

    def orgs(self, caller: str | None) -> Sequence[GroupRelation]:
        return self._rows(ORGS, caller)

    def theirs(self, user: str, caller: str | None) -> Sequence[GroupRelation]:
        return self._rows(THEIRS, caller, user=user)

    def create(self, kind: GroupKind, owner: str, name: str, founder: str, plan: str | None = None) -> Group:
        """Create a group with its founder. Raises Conflict, NotFound, SecondOrganisation and QuotaReached."""
        ref, now = reference(kind, owner, name), self._now()
        parent = f"+{owner}" if kind is GroupKind.ORG_GROUP else None
        with self._database.atomic():
            if parent is not None and not self._database.run(LOCK, ref=parent):
                raise NotFound(f"There is no organisation {owner} any more.")
            item = self._items.create(kind.value, ref.partition("~")[0], name)
            values = {"ref": ref, "kind": kind.value, "owner": owner, "name": name, "parent": parent}
            made = self._database.row(CREATE, **values, plan=plan, now=now, item=item.id)
            if made is None:
                raise SecondOrganisation
            self._database.run(FOUND, ref=ref, founder=founder, now=now)
            self._admit_made(item.owner, QuotaName.GROUPS, QuotaName.MEMBERS)
            found = self.find(ref, founder)
        assert found is not None
        return found.group

    def remove(self, group: Group) -> None:
        # Every change of a group locks its item first. The same order here prevents deadlocks.
        with self._database.atomic():
            for below in self.under(group.ref, None):
                self._items.touch(below.group.item)
            self._database.run(LOCK, ref=group.ref)
            for below in self.under(group.ref, None):
                self._remove(below.group)
            self._remove(group)

    def has_org(self, account: str) -> bool:
        return self._database.row(HAS_ORG, account=account) is not None

    def change(self, ref: str, *, public: bool | None = None, plan: str | None = None) -> bool:
        touched = 1
        with self._database.atomic():
            if public is not None:
                touched &= self._database.run(PUBLIC, public=public, ref=ref)
            if plan is not None:
                touched &= self._database.run(PLAN, plan=plan, ref=ref)
        return touched > 0

    def _remove(self, group: Group) -> None:
        for statement in REMOVE:
            self._database.run(statement, ref=group.ref)
        self._items.remove(group.item)

    def _rows(self, sql: str, caller: str | None, **key: object) -> list[GroupRelation]:
        # The empty name stands for the public: no user has it.
        return [_relation(row) for row in self._database.rows(sql, me=caller or "", **key)]


def _relation(row: Cells) -> GroupRelation:
    cells, row = GROUP.split(row)
    item, row = ITEM.split(row)
    place = MEMBERSHIP.read(row)
    group = Group(*(*cells, item))
    relation = GroupRelation(group, over=place.over, inside=place.inside, since=place.since or "")
    if place.role is None:
        return relation
    return replace(relation, invited=place.role) if place.pending else replace(relation, role=place.role)
