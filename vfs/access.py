"""Verbs, letters, callers and grants: permission as pure values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, StrEnum, auto
from itertools import groupby


class Verb(Enum):
    """The five verbs of the filesystem. A call may ask for none of them, but which there are."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"
    RENAME = "rename"
    REMOVE = "remove"

    # A member is one object: its identity serves as its hash, which Enum would work out in Python each time.
    __hash__ = object.__hash__


class Access(Flag):
    """Kinds of access to an item (interface, Share entry and access entry)."""

    READ = auto()
    INFO = auto()
    WRITE = auto()
    EXECUTE = auto()
    DELETE = auto()

    __hash__ = object.__hash__


NOTHING = Access(0)
EVERYTHING = Access.READ | Access.INFO | Access.WRITE | Access.EXECUTE | Access.DELETE

Confers = Mapping[str, Access]

# What each letter confers (matrix 2.3): letters imply nothing of each other, but seeing an item's rendered
# form is part of `r` where the item is something to look at.
RUNNABLE: Confers = {
    "r": Access.READ | Access.INFO,
    "x": Access.INFO | Access.EXECUTE,
    "w": Access.INFO | Access.WRITE,
    "d": Access.INFO | Access.DELETE,
}
VIEWABLE: Confers = {**RUNNABLE, "r": Access.READ | Access.INFO | Access.EXECUTE}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of items: its name, and the access that letters confer on one."""

    name: str
    confers: Confers = field(default_factory=lambda: RUNNABLE)


LETTERS = {"r": Access.READ, "w": Access.WRITE, "d": Access.DELETE, "x": Access.EXECUTE}
_WRITTEN = {
    access: tuple(letter for letter, bit in LETTERS.items() if bit in access)
    for access in (Access(bits) for bits in range(EVERYTHING.value + 1))
}


def letters(access: Access) -> tuple[str, ...]:
    """Access written back as letters, in the order r, w, d, x."""
    return _WRITTEN[access]


class Role(StrEnum):
    """Roles of groups and organisations, from most to least privileged."""

    FOUNDERS = "founders"
    ADMINS = "admins"
    SUPERUSERS = "superusers"
    MEMBERS = "members"


class Credential(Enum):
    """The credential that a write to a file is signed in with; where it is NONE, a dead one is let go."""

    NONE = auto()
    TOKEN = auto()
    PASSWORD = auto()
    EITHER = auto()


class Via(StrEnum):
    """Ways in which a caller proves its identity."""

    NONE = "none"
    PASSWORD = "password"
    TOKEN = "token"
    SESSION = "session"
    RUN = "run"
    APPLICATION = "application"


@dataclass(frozen=True, slots=True)
class Claim:
    """The narrowing of a credential: access by kind of item, and to items of every other kind."""

    name: str
    allows: Mapping[str, Access]
    otherwise: Access = Access.INFO

    def mask(self, kind: str) -> Access:
        """The most that the credential may have of an item of that kind."""
        return self.allows.get(kind, self.otherwise)


EVERYBODY = "*"
"""The author of what anybody may have decided: nobody's name, who sees what is public."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The user behind a call.

    `name` is None for the public; `claim` narrows the credential; `token` is the number of the
    credential. `run` is the number of the run whose credential it is (None: a person's), and `behind` tells
    who could decide what is written, where that is not the caller alone.
    """

    name: str | None = None
    via: Via = Via.NONE
    claim: Claim | None = None
    token: int | None = None
    run: int | None = None
    behind: Callable[[], Collection[str]] | None = field(default=None, compare=False)

    @property
    def author(self) -> str | None:
        """The author of what the caller writes: its name, with those of all who are behind it.

        For a run without that record it may be everybody.
        """
        if self.name is None or (self.behind is None and self.run is None):
            return self.name
        others = self.behind() if self.behind is not None else (EVERYBODY,)
        return " ".join(sorted({self.name, *others}))


PUBLIC = Caller()


@dataclass(frozen=True, slots=True)
class Grant:
    """A share of an item, with its target and canonical letters.

    The target is `public`, `@user`, `@user~group` or `+org~group`; `name` is how it was put and is listed.
    """

    target: str
    letters: str
    name: str
    created_on: str = ""


@dataclass(frozen=True, slots=True)
class EffectiveGrant:
    """A grant that is effective for a caller now.

    `role` is the caller's role in the group it came through.
    """

    target: str
    letters: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """A user whom a grant reaches now: by name (role None), or in a role of the group that it names."""

    user: str
    grant: Grant
    role: Role | None = None


def access_through(effective_grant: EffectiveGrant, confers: Confers) -> Access:
    """Access that one grant confers, narrowed by role: members never get `d` through a group (R-7)."""
    access = NOTHING
    for letter in effective_grant.letters:
        access |= confers[letter]
    if effective_grant.role is Role.MEMBERS:
        access &= ~Access.DELETE
    return access


def access_of(
    owner: str, kind: str, effective_grants: Iterable[EffectiveGrant], caller: Caller, confers: Confers
) -> Access:
    """Access of a caller to an item.

    The owner has everything, others what reaches them, a narrowed credential no more than its claim.
    """
    access = EVERYTHING if caller.name == owner else access_through_all(effective_grants, confers)
    return access if caller.claim is None else access & caller.claim.mask(kind)


def access_through_all(
    effective_grants: Iterable[EffectiveGrant], confers: Confers, *, public: bool = True
) -> Access:
    """The union of what effective grants confer; with `public=False` what stands without the public share."""
    access = NOTHING
    for effective_grant in effective_grants:
        if public or effective_grant.target != "public":
            access |= access_through(effective_grant, confers)
    return access


def people_behind(owner: str, author: str | None) -> frozenset[str]:
    """The people behind a text of an item: its owner, and its authors, whose names blanks separate.

    Each of them needs the right to everything that the text refers to, so that nobody reads by writing
    (R-10). What the service wrote itself (None) counts as the owner's.
    """
    return frozenset({owner, *(author or owner).split()})


OWNED = "owner"


@dataclass(frozen=True, slots=True)
class Holding:
    """Access of a user, or (None) of the public, to an item.

    `permissions` are letters, `via` names of shares.
    """

    user: str | None
    permissions: tuple[str, ...]
    access: Access
    via: tuple[str, ...]


def holdings(owner: str, holders: Iterable[Holder], confers: Confers) -> list[Holding]:
    """The owner, then each user whom shares reach; `holders` come by user, oldest share first.

    What shares confer is narrowed by role, united, and written back as letters.
    """
    found = [Holding(owner, letters(EVERYTHING), EVERYTHING, (OWNED,))]
    for user, alike in groupby(holders, key=lambda holder: holder.user):
        mine = list(alike)
        access = NOTHING
        for holder in mine:
            grant = holder.grant
            access |= access_through(EffectiveGrant(grant.target, grant.letters, holder.role), confers)
        found.append(Holding(user, letters(access), access, tuple(holder.grant.name for holder in mine)))
    return found


def public_holding(grant: Grant, confers: Confers, *, effective: bool) -> Holding:
    """The entry of the public, from the grant itself, which is never expanded into users."""
    access = access_through(EffectiveGrant(grant.target, grant.letters), confers) if effective else NOTHING
    return Holding(None, tuple(grant.letters), access, (grant.name,))
