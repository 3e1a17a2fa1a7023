"""The ports of groups and organisations, their members, and the ties between users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vfs.access import Role
from vfs.ports.items import Item


class GroupKind(StrEnum):
    """Kinds of groups, named as in the interface; also the kinds of their items."""

    USER_GROUP = "user_group"
    ORG = "org"
    ORG_GROUP = "org_group"


class SecondOrganisation(Exception):
    """The refusal of a second organisation that an account would have created."""


def reference(kind: GroupKind, owner: str, name: str) -> str:
    """Return the reference of a group, as in the target of a share: `@user~group`, `+org`, `+org~group`."""
    if kind is GroupKind.USER_GROUP:
        return f"@{owner}~{name}"
    return f"+{name}" if kind is GroupKind.ORG else f"+{owner}~{name}"


@dataclass(frozen=True, slots=True)
class Group:
    """A group or organisation. `item` holds the small files of its profile.

    `owner` is the account that founded it; for an org group, the name of the organisation. `plan` is the plan
    of the organisation; for an org group that of its organisation, for a user group None.
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
        """The reference of the organisation that contains a group."""
        return f"+{self.owner}" if self.kind is GroupKind.ORG_GROUP else None


@dataclass(frozen=True, slots=True)
class GroupRelation:
    """A group, and the caller's relation to it.

    `role` is the caller's role, `invited` the role of an open invitation. `over` is the caller's role in the
    organisation of an org group; `inside`: the caller has a role or an invitation in a group of this
    organisation.
    """

    group: Group
    role: Role | None = None
    invited: Role | None = None
    over: Role | None = None
    inside: bool = False
    since: str = ""

    @property
    def oversees(self) -> bool:
        """Whether the caller sees everything in it, as admin or founder of its organisation."""
        return self.over in (Role.FOUNDERS, Role.ADMINS)

    @property
    def seen(self) -> bool:
        """Whether the caller sees that the group exists."""
        held = self.role is not None or self.invited is not None
        return held or self.oversees or self.inside or self.group.public


@dataclass(frozen=True, slots=True)
class Member:
    """A user's membership in a group or, while `pending`, its invitation; `sole`: the only founder."""

    ref: str
    name: str
    role: Role
    pending: bool
    invited_by: str | None
    created_on: str
    sole: bool = False


class Groups(Protocol):
    """The store of groups and organisations. `caller` is a user's name, or None for the public.

    Every look-up is one statement.
    """

    def find(self, ref: str, caller: str | None) -> GroupRelation | None:
        """Return the group with the caller's relation to it; None if it is missing."""

    def of(self, caller: str) -> Sequence[GroupRelation]:
        """Return the groups of every kind in which the caller has a role or an invitation, by reference."""

    def under(self, org: str, caller: str | None) -> Sequence[GroupRelation]:
        """Return all groups of an organisation, by reference, even those hidden from the caller."""

    def all_under(self, orgs: Sequence[str], caller: str | None) -> Sequence[GroupRelation]:
        """Return the groups of `under` for many organisations; one statement per 500 of them."""

    def orgs(self, caller: str | None) -> Sequence[GroupRelation]:
        """Return the organisations that the caller sees, by reference."""

    def theirs(self, user: str, caller: str | None) -> Sequence[GroupRelation]:
        """Return the groups in which a user has a role, with the caller's relation to them, by reference."""

    def create(self, kind: GroupKind, owner: str, name: str, founder: str, plan: str | None = None) -> Group:
        """Create a group whose only founder is `founder`.

        Raises Conflict when the name is taken, NotFound when the organisation is gone, SecondOrganisation
        when the account has one already.
        """

    def remove(self, group: Group) -> None:
        """Remove a group with its profile, members and shares; an organisation with all its groups."""

    def has_org(self, account: str) -> bool:
        """Return whether an organisation exists that the account created, with any members."""

    def change(self, ref: str, *, public: bool | None = None, plan: str | None = None) -> bool:
        """Set the given fields. Return False if there is no such group."""


class Members(Protocol):
    """The store of the members of groups with their roles."""

    def hold(self, ref: str) -> bool:
        """Lock the group's members against other writers until this transaction ends.

        For an org group, also those of its organisation. Return False if the group is gone.
        """

    def roster(self, ref: str) -> Sequence[Member]:
        """Return members and invited users, by name; one statement."""

    def rosters(self, refs: Sequence[str]) -> Mapping[str, Sequence[Member]]:
        """Return the members of many groups as `roster` does, by reference; one statement per 500 groups."""

    def find(self, ref: str, user: str) -> Member | None:
        """Return a user's membership or invitation; one statement."""

    def put(self, ref: str, user: str, role: Role, *, pending: bool, by: str | None) -> bool:
        """Set a user's membership. Return True if it had none. `by` is the user who invited."""

    def drop(self, ref: str, user: str, role: Role, *, pending: bool) -> bool:
        """Remove exactly this membership of a user. Return False if it does not exist any more."""

    def accept(self, ref: str, user: str) -> bool:
        """Turn an invitation into a membership. Return False if it does not exist any more."""


class TieKind(StrEnum):
    """Kinds of ties between users: connections are mutual once they are accepted.

    A declined request remains with the user who made it, and looks like a request without a response.
    """

    CONNECTION = "connection"
    DECLINED = "declined"
    FOLLOWING = "following"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Tie:
    """A tie of the user `name` to `other`. A connection that is not accepted yet is `pending`.

    A user makes, ignores and declines requests by name, so an account named `other` need not exist.
    """

    kind: TieKind
    name: str
    other: str
    pending: bool
    created_on: str


class Ties(Protocol):
    """The store of connections between users, and of the users that they follow and ignore."""

    def of(self, kind: TieKind, name: str) -> Sequence[Tie]:
        """Return the ties of that kind that the user began, by the other user's name."""

    def to(self, kind: TieKind, other: str) -> Sequence[Tie]:
        """Return the ties of that kind that others began with the user, by their names."""

    def find(self, kind: TieKind, name: str, other: str) -> Tie | None:
        """Return the tie that `name` began with `other`, or None."""

    def put(self, kind: TieKind, name: str, other: str, *, pending: bool = False) -> bool:
        """Begin a tie. Return False if there is one already, which stays unchanged."""

    def accept(self, kind: TieKind, name: str, other: str) -> bool:
        """Accept a pending tie that `name` began. Return False if there is none."""

    def decline(self, name: str, other: str) -> bool:
        """Turn the request of `name` to be connected into a declined one. Return False if there is none."""

    def drop(self, kind: TieKind, name: str, other: str, *, pending: bool | None = None) -> bool:
        """End the tie that `name` began, if `pending` matches (None: any). Return False if there is none."""
