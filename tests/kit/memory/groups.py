"""Groups, their members and the ties between users in dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tests.kit.memory.items import MemoryItems
from tests.kit.memory.state import Memory
from vfs.access import Role
from vfs.errors import NotFound
from vfs.ports.groups import Group, GroupKind, Member, SecondOrganisation, Standing, Tie, TieKind, reference


class MemoryGroups:
    """Groups in a dictionary (vfs.ports.groups.Groups)."""

    def __init__(self, memory: Memory, items: MemoryItems) -> None:
        self._memory = memory
        self._items = items

    def find(self, ref: str, caller: str | None) -> Standing | None:
        """The group with what the caller is there; None when there is none."""
        group = self._memory.state.groups.get(ref)
        return self._standing(group, caller) if group is not None else None

    def of(self, caller: str) -> Sequence[Standing]:
        """The groups in which the caller holds a role or an invitation, by reference."""
        mine = {ref for ref, name in list(self._memory.state.members) if name == caller}
        return self._standings(mine, caller)

    def under(self, org: str, caller: str | None) -> Sequence[Standing]:
        """All groups of an organisation, by reference."""
        return self._standings((group.ref for group in self._all() if group.parent == org), caller)

    def all_under(self, orgs: Sequence[str], caller: str | None) -> Sequence[Standing]:
        """All groups of many organisations, by reference."""
        return self._standings((group.ref for group in self._all() if group.parent in orgs), caller)

    def orgs(self, caller: str | None) -> Sequence[Standing]:
        """The organisations that the caller sees, by reference."""
        orgs = (group.ref for group in self._all() if group.kind is GroupKind.ORG)
        return [standing for standing in self._standings(orgs, caller) if standing.seen]

    def theirs(self, user: str, caller: str | None) -> Sequence[Standing]:
        """The groups in which a user holds a role, by reference."""
        held = {
            ref for (ref, name), member in self._memory.state.members.items()
            if name == user and not member.pending
        }  # fmt: skip
        return self._standings(held, caller)

    def create(self, kind: GroupKind, owner: str, name: str, founder: str, plan: str | None = None) -> Group:
        """A new group with its founder. Raises Conflict, NotFound and SecondOrganisation."""
        ref, memory, state = reference(kind, owner, name), self._memory, self._memory.state
        with memory.atomic():
            if kind is GroupKind.ORG_GROUP and f"+{owner}" not in state.groups:
                raise NotFound(f"There is no organisation {owner} any more.")
            item = self._items.create(kind.value, ref.partition("~")[0], name)
            if kind is GroupKind.ORG and self.has_org(owner):
                raise SecondOrganisation
            group = Group(ref, kind, owner, name, False, plan, item.created_on, item)
            state.groups[ref] = group
            state.members[ref, founder] = Member(ref, founder, Role.FOUNDERS, False, None, item.created_on)
        return self._current(group)

    def remove(self, group: Group) -> None:
        """Take a group away with its profile, members and shares; an organisation with its groups."""
        with self._memory.atomic():
            for below in self._all():
                if below.parent == group.ref:
                    self._remove(below)
            self._remove(group)

    def has_org(self, account: str) -> bool:
        """Whether an account created an organisation that is still there."""
        return any(group.owner == account and group.kind is GroupKind.ORG for group in self._all())

    def change(self, ref: str, *, public: bool | None = None, plan: str | None = None) -> bool:
        """Set what is given; False when there is no such group."""
        state = self._memory.state
        with self._memory.lock:
            group = state.groups.get(ref)
            if group is None or (plan is not None and group.kind is not GroupKind.ORG):
                return False
            if public is not None:
                group = replace(group, public=public)
            state.groups[ref] = replace(group, plan=plan) if plan is not None else group
        return True

    def _remove(self, group: Group) -> None:
        state = self._memory.state
        state.grants = {key: grant for key, grant in state.grants.items() if key[1] != group.ref}
        state.members = {key: one for key, one in state.members.items() if key[0] != group.ref}
        state.groups.pop(group.ref, None)
        self._items.remove(group.item)

    def _all(self) -> list[Group]:
        return list(self._memory.state.groups.values())

    def _standings(self, refs: Iterable[str], caller: str | None) -> list[Standing]:
        found = (self.find(ref, caller) for ref in sorted(refs))
        return [standing for standing in found if standing is not None]

    def _standing(self, group: Group, caller: str | None) -> Standing:
        memory, state = self._memory, self._memory.state
        me = caller or ""
        member = state.members.get((group.ref, me))
        below = {one.ref for one in self._all() if one.parent == group.ref}
        return Standing(
            self._current(group),
            role=memory.role(group.ref, me),
            invited=member.role if member is not None and member.pending else None,
            over=memory.role(group.parent, me) if group.parent is not None else None,
            inside=any((ref, me) in state.members for ref in below),
            since=member.created_on if member is not None else "",
        )

    def _current(self, group: Group) -> Group:
        """The group with its item as it is now, and the plan of its organisation."""
        state = self._memory.state
        above = state.groups.get(group.parent or "")
        plan = above.plan if above is not None else group.plan
        return replace(group, plan=plan, item=state.items[group.item.id])


class MemoryMembers:
    """Members of groups in a dictionary (vfs.ports.groups.Members)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def hold(self, ref: str) -> bool:
        """Whether the group is there: one thread at a time is in a transaction anyway."""
        return ref in self._memory.state.groups

    def roster(self, ref: str) -> Sequence[Member]:
        """Members and invited users, by name."""
        members = [one for (group, _), one in list(self._memory.state.members.items()) if group == ref]
        return [self._with_sole(one) for one in sorted(members, key=lambda one: one.name)]

    def rosters(self, refs: Sequence[str]) -> Mapping[str, Sequence[Member]]:
        """Members and invited users of many groups, by reference and name."""
        return {ref: found for ref in refs if (found := self.roster(ref))}

    def find(self, ref: str, user: str) -> Member | None:
        """A user's place in a group."""
        member = self._memory.state.members.get((ref, user))
        return self._with_sole(member) if member is not None else None

    def put(self, ref: str, user: str, role: Role, *, pending: bool, by: str | None) -> bool:
        """Give a user a place, or another one; True when it had none."""
        members = self._memory.state.members
        with self._memory.lock:
            old = members.get((ref, user))
            since = old.created_on if old is not None else self._memory.now()
            members[ref, user] = Member(ref, user, role, pending, by, since)
        return old is None

    def drop(self, ref: str, user: str, role: Role, *, pending: bool) -> bool:
        """Take a user out of exactly this place; False when it is not there any more."""
        with self._memory.lock:
            old = self._memory.state.members.get((ref, user))
            if old is None or (old.role, old.pending) != (role, pending):
                return False
            del self._memory.state.members[ref, user]
        return True

    def accept(self, ref: str, user: str) -> bool:
        """Make an invitation a membership; False when there is no such invitation any more."""
        with self._memory.lock:
            old = self._memory.state.members.get((ref, user))
            if old is None or not old.pending:
                return False
            now = self._memory.now()
            self._memory.state.members[ref, user] = replace(old, pending=False, created_on=now)
        return True

    def _with_sole(self, member: Member) -> Member:
        founders = [
            one.name for (ref, _), one in list(self._memory.state.members.items())
            if ref == member.ref and one.role is Role.FOUNDERS and not one.pending
        ]  # fmt: skip
        return replace(member, sole=founders == [member.name])


class MemoryTies:
    """The ties between users in a dictionary (vfs.ports.groups.Ties)."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def of(self, kind: TieKind, name: str) -> Sequence[Tie]:
        """The ties of that kind that the user began, by the other's name."""
        ties = [tie for tie in self._all() if (tie.kind, tie.name) == (kind, name)]
        return sorted(ties, key=lambda tie: tie.other)

    def to(self, kind: TieKind, other: str) -> Sequence[Tie]:
        """The ties of that kind that others began with the user, by their names."""
        ties = [tie for tie in self._all() if (tie.kind, tie.other) == (kind, other)]
        return sorted(ties, key=lambda tie: tie.name)

    def find(self, kind: TieKind, name: str, other: str) -> Tie | None:
        """The tie that `name` began with `other`."""
        return self._memory.state.ties.get((kind, name, other))

    def put(self, kind: TieKind, name: str, other: str, *, pending: bool = False) -> bool:
        """Begin a tie; False when there is one already."""
        with self._memory.lock:
            if self.find(kind, name, other) is not None:
                return False
            tie = Tie(kind, name, other, pending, self._memory.now())
            self._memory.state.ties[kind, name, other] = tie
        return True

    def accept(self, kind: TieKind, name: str, other: str) -> bool:
        """Make a pending tie a lasting one; False when there is none."""
        with self._memory.lock:
            tie = self.find(kind, name, other)
            if tie is None or not tie.pending:
                return False
            now = self._memory.now()
            self._memory.state.ties[kind, name, other] = replace(tie, pending=False, created_on=now)
        return True

    def decline(self, name: str, other: str) -> bool:
        """Make a request a declined one; False when there is none."""
        with self._memory.lock:
            tie = self.find(TieKind.CONNECTION, name, other)
            if tie is None or not tie.pending:
                return False
            del self._memory.state.ties[TieKind.CONNECTION, name, other]
            self._memory.state.ties[TieKind.DECLINED, name, other] = replace(tie, kind=TieKind.DECLINED)
        return True

    def drop(self, kind: TieKind, name: str, other: str, *, pending: bool | None = None) -> bool:
        """End a tie, when it is pending or not as asked; False when there is none."""
        with self._memory.lock:
            tie = self.find(kind, name, other)
            if tie is None or pending not in (None, tie.pending):
                return False
            del self._memory.state.ties[kind, name, other]
        return True

    def _all(self) -> list[Tie]:
        return list(self._memory.state.ties.values())
