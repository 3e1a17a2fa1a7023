"""The ports about groups: groups and organisations, who holds which role there, and who is tied to whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.access import Role
from vfs.ports.items import Item


class GroupKind(StrEnum):
    """Kinds of groups, as the interface and its clients call them; also the kinds of their items."""

    USER_GROUP = "user_group"
    ORG = "org"
    ORG_GROUP = "org_group"


class SecondOrganisation(Exception):
    """Raised where an account would have two organisations that it created."""


def reference(kind: GroupKind, owner: str, name: str) -> str:
    """The reference of a group, spelled as the target of a share: `@user~group`, `+org`, `+org~group`."""
    if kind is GroupKind.USER_GROUP:
        return f"@{owner}~{name}"
    return f"+{name}" if kind is GroupKind.ORG else f"+{owner}~{name}"


@dataclass(frozen=True, slots=True)
class Group:
    """A group or organisation. `item` holds the small files of its profile.

    `owner` is the account that founded it, of an org group the organisation's name. `plan` is the plan of the
    organisation, of an org group the plan of its organisation, of a user group None.
    """

    ref: str
    kind: GroupKind
    owner: str
    name: str
    public: bool
    plan: str | None
    created_on: str
    item: Item

    @property
    def parent(self) -> str | None:
        """The reference of the organisation that a group belongs to."""
        return f"+{self.owner}" if self.kind is GroupKind.ORG_GROUP else None


@dataclass(frozen=True, slots=True)
class Standing:
    """A group, and what a caller is in it.

    `role` is held, `invited` only offered. `over` is the role that the caller holds in the organisation above
    an org group; `inside` tells that it holds a role or an invitation in a group of this organisation.
    """

    group: Group
    role: Role | None = None
    invited: Role | None = None
    over: Role | None = None
    inside: bool = False
    since: str = ""

    @property
    def oversees(self) -> bool:
        """Whether the caller sees all of it for being admin or founder of the organisation above."""
        return self.over in (Role.FOUNDERS, Role.ADMINS)

    @property
    def seen(self) -> bool:
        """Whether the caller sees that it is there."""
        held = self.role is not None or self.invited is not None
        return held or self.oversees or self.inside or self.group.public


@dataclass(frozen=True, slots=True)
class Member:
    """A user's place in a group or, while `pending`, its invitation; `sole`: the group's only founder."""

    ref: str
    name: str
    role: Role
    pending: bool
    invited_by: str | None
    created_on: str
    sole: bool = False


class Groups(Protocol):
    """Keeps groups and organisations. `caller` is a user's name, or None for the public.

    Every look-up is one statement.
    """

    def find(self, ref: str, caller: str | None) -> Standing | None:
        """The group with what the caller is there; None when there is none."""
        ...

    def of(self, caller: str) -> Sequence[Standing]:
        """The groups of every kind in which the caller holds a role or an invitation, by reference."""
        ...

    def under(self, org: str, caller: str | None) -> Sequence[Standing]:
        """All groups of an organisation, by reference, whether or not the caller sees them."""
        ...

    def all_under(self, orgs: Sequence[str], caller: str | None) -> Sequence[Standing]:
        """The groups that `under` tells, of many organisations; one statement for 500 of them."""
        ...

    def orgs(self, caller: str | None) -> Sequence[Standing]:
        """The organisations that the caller sees, by reference."""
        ...

    def theirs(self, user: str, caller: str | None) -> Sequence[Standing]:
        """The groups in which a user holds a role, with what the caller is there, by reference."""
        ...

    def create(self, kind: GroupKind, owner: str, name: str, founder: str, plan: str | None = None) -> Group:
        """A new group whose only founder is `founder`.

        Raises Conflict when the name is taken, NotFound when the organisation is gone,
        SecondOrganisation when the account has one already.
        """
        ...

    def remove(self, group: Group) -> None:
        """Take a group away with its profile, members and shares; an organisation with all its groups."""
        ...

    def has_org(self, account: str) -> bool:
        """Whether an account created an organisation that is still there, no matter who is in it now."""
        ...

    def change(self, ref: str, *, public: bool | None = None, plan: str | None = None) -> bool:
        """Set what is given; False when there is no such group."""
        ...


class Members(Protocol):
    """Keeps who is in which group, as what."""

    def hold(self, ref: str) -> bool:
        """Keep other writers of the group's members out until this transaction ends.

        Those of the organisation of an org group too; False when the group is gone.
        """
        ...

    def roster(self, ref: str) -> Sequence[Member]:
        """Members and invited users, by name; one statement."""
        ...

    def rosters(self, refs: Sequence[str]) -> Mapping[str, Sequence[Member]]:
        """The members that `roster` tells, of many groups, by reference; one statement for 500 of them."""
        ...

    def find(self, ref: str, user: str) -> Member | None:
        """A user's place in a group; one statement."""
        ...

    def put(self, ref: str, user: str, role: Role, *, pending: bool, by: str | None) -> bool:
        """Give a user a place, or another one; True when it had none. `by` is the user who invited."""
        ...

    def drop(self, ref: str, user: str, role: Role, *, pending: bool) -> bool:
        """Take a user out of exactly this place; False when it is not there any more."""
        ...

    def accept(self, ref: str, user: str) -> bool:
        """Make an invitation a membership; False when there is no such invitation any more."""
        ...


class TieKind(StrEnum):
    """Kinds of ties between users: connections are mutual once they are accepted."""

    CONNECTION = "connection"
    FOLLOWING = "following"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of the user `name` to `other`; a connection that was not accepted yet is `pending`."""

    kind: TieKind
    name: str
    other: str
    pending: bool
    created_on: str


class Ties(Protocol):
    """Keeps who is connected to whom, who follows and who ignores whom."""

    def of(self, kind: TieKind, name: str) -> Sequence[Tie]:
        """The ties of that kind that the user began, by the other's name."""
        ...

    def to(self, kind: TieKind, other: str) -> Sequence[Tie]:
        """The ties of that kind that others began with the user, by their names."""
        ...

    def find(self, kind: TieKind, name: str, other: str) -> Tie | None:
        """The tie that `name` began with `other`."""
        ...

    def put(self, kind: TieKind, name: str, other: str, *, pending: bool = False) -> bool:
        """Begin a tie; False when there is one already, which stays as it is."""
        ...

    def accept(self, kind: TieKind, name: str, other: str) -> bool:
        """Make a pending tie that `name` began a lasting one; False when there is none."""
        ...

    def drop(self, kind: TieKind, name: str, other: str, *, pending: bool | None = None) -> bool:
        """End the tie that `name` began, when it is pending or not as asked; False when there is none."""
        ...
