"""Verbs, permission letters, callers and grants: the values from which permissions are computed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, StrEnum, auto
from itertools import groupby
from typing import NamedTuple, Protocol


class Verb(Enum):
    """The five verbs of the filesystem. A call without a verb requests the allowed verbs."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"
    RENAME = "rename"
    REMOVE = "remove"

    # Each member is a single object, so its identity is a valid hash. Enum's is slower.
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

# The access that each permission letter confers (matrix 2.3). No letter implies another. For a kind of item
# with a rendered form, `r` includes seeing that form.
RUNNABLE: Confers = {
    "r": Access.READ | Access.INFO,
    "x": Access.INFO | Access.EXECUTE,
    "w": Access.INFO | Access.WRITE,
    "d": Access.INFO | Access.DELETE,
}
VIEWABLE: Confers = {**RUNNABLE, "r": Access.READ | Access.INFO | Access.EXECUTE}


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of item: its name, and the access that each permission letter confers on it."""

    name: str
    confers: Confers = field(default_factory=lambda: RUNNABLE)


LETTERS = {"r": Access.READ, "w": Access.WRITE, "d": Access.DELETE, "x": Access.EXECUTE}
_WRITTEN = {
    access: tuple(letter for letter, bit in LETTERS.items() if bit in access)
    for access in (Access(bits) for bits in range(EVERYTHING.value + 1))
}


def letters(access: Access) -> tuple[str, ...]:
    """Return the permission letters of an access, in the order r, w, d, x."""
    return _WRITTEN[access]


class Role(StrEnum):
    """Roles of groups and organisations, from most to least privileged."""

    FOUNDERS = "founders"
    ADMINS = "admins"
    SUPERUSERS = "superusers"
    MEMBERS = "members"


class Credential(Enum):
    """The credential that authenticates a write to a file. With NONE, an invalid one is ignored."""

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
    LINK = "link"


class ItemClaim(NamedTuple):
    """The access that a credential allows to a single item, and the kind of that item."""

    kind: str
    access: Access


@dataclass(frozen=True, slots=True)
class Claim:
    """The restriction of a credential: the access that it allows by kind of item, and to all other kinds.

    `items`: single items by their ids, with the access that it also allows to them.
    """

    name: str
    allows: Mapping[str, Access]
    otherwise: Access = Access.INFO
    items: Mapping[int, ItemClaim] = field(default_factory=dict)

    def mask(self, kind: str, item: int | None = None) -> Access:
        """Return the maximum access that the credential allows to an item; without one, to all of a kind."""
        single = self.items.get(item) if item is not None else None
        return self.allows.get(kind, self.otherwise) | (single.access if single is not None else NOTHING)

    def hides(self, kind: str) -> bool:
        """Return whether items of a kind are absent: the credential names neither the kind nor an item."""
        return kind not in self.allows and not self.otherwise

    def reads_all(self) -> bool:
        """Return whether it allows to read items of every kind."""
        return all(Access.READ in self.mask(kind) for kind in self.allows)


EVERYBODY = "*"
"""The author of a text that anybody may have influenced. It is not an account and sees only public items."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The user behind a call.

    `name` is None for the public; `claim` restricts the credential; `token` is the number of the credential.
    `run` is the number of the run whose credential it is (None: the credential of a person). `behind` returns
    all accounts that could influence the written text, if the caller is not the only one. `opened` is the
    grant of the link that the caller used.
    """

    name: str | None = None
    via: Via = Via.NONE
    claim: Claim | None = None
    token: int | None = None
    run: int | None = None
    behind: Callable[[], Collection[str]] | None = field(default=None, compare=False)
    opened: LinkGrant | None = None

    def mask(self, kind: str, item: int) -> Access:
        """Return the maximum access that the caller's credential allows to an item."""
        return EVERYTHING if self.claim is None else self.claim.mask(kind, item)

    def author_in(self, kind: str) -> str | None:
        """Return the author of texts that the caller writes in an item of a kind.

        EVERYBODY is added unless its credential may write all items of that kind, or read all of every kind:
        the text must show nothing that the credential may not read.
        """
        claim = self.claim
        if claim is None or Access.WRITE in claim.mask(kind) or claim.reads_all():
            return self.author
        return " ".join(sorted({EVERYBODY, *(self.author or "").split()}))

    def grants_on(self, item: int, stored: tuple[EffectiveGrant, ...]) -> tuple[EffectiveGrant, ...]:
        """Return the grants on an item that are effective for the caller: the stored ones, and its link's."""
        if self.opened is None or self.opened.item != item:
            return stored
        return (*stored, self.opened.grant)

    @property
    def author(self) -> str | None:
        """The author of texts that the caller writes: its name, and the names of all in `behind`.

        For a run without `behind` EVERYBODY is added.
        """
        if self.name is None or (self.behind is None and self.run is None):
            return self.name
        others = self.behind() if self.behind is not None else (EVERYBODY,)
        return " ".join(sorted({self.name, *others}))


PUBLIC = Caller()


@dataclass(frozen=True, slots=True)
class Grant:
    """A share of an item, with its target and canonical permission letters.

    The target is `public`, `@user`, `@user~group` or `+org~group`; `name` is the target as it was entered,
    and is what listings show.
    """

    target: str
    letters: str
    name: str
    created_on: str = ""


@dataclass(frozen=True, slots=True)
class EffectiveGrant:
    """A grant that is effective for a caller now.

    `role` is the caller's role in the group to which the grant was given (None: not through a group).
    """

    target: str
    letters: str
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class LinkGrant:
    """The grant on one item that a link gives to a caller without an account."""

    item: int
    grant: EffectiveGrant


@dataclass(frozen=True, slots=True)
class Holder:
    """A user who has a grant now: by name (role None), or through a role in the group that it names."""

    user: str
    grant: Grant
    role: Role | None = None


def access_through(effective_grant: EffectiveGrant, confers: Confers) -> Access:
    """Return the access that one grant confers. Members never get `d` through a group (R-7)."""
    access = NOTHING
    for letter in effective_grant.letters:
        access |= confers[letter]
    if effective_grant.role is Role.MEMBERS:
        access &= ~Access.DELETE
    return access


class Owned(Protocol):
    """The properties of an item on which access to it depends."""

    @property
    def id(self) -> int:
        """Its number, which no other item gets."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def owner(self) -> str:
        """The user who owns it."""


def access_of(
    item: Owned, effective_grants: Iterable[EffectiveGrant], caller: Caller, confers: Confers
) -> Access:
    """Return the access of a caller to an item.

    The owner has full access, others have the access of their grants. A claim restricts both.
    """
    access = EVERYTHING if caller.name == item.owner else access_through_all(effective_grants, confers)
    return access & caller.mask(item.kind, item.id)


def access_through_all(
    effective_grants: Iterable[EffectiveGrant], confers: Confers, *, public: bool = True
) -> Access:
    """Return the union of the access of effective grants, with `public=False` without the public share."""
    access = NOTHING
    for effective_grant in effective_grants:
        if public or effective_grant.target != "public":
            access |= access_through(effective_grant, confers)
    return access


def people_behind(owner: str, author: str | None) -> frozenset[str]:
    """Return the users behind a text of an item: its owner, and its authors (separated by blanks).

    Each of them needs access to everything that the text refers to, so that nobody can read by writing
    (R-10). A text that the service wrote (None) counts as the owner's.
    """
    return frozenset({owner, *(author or owner).split()})


def people_in_turn(owner: str, author: str | None) -> list[str]:
    """Return the people behind a text in the order in which their access is checked: its owner last.

    The refusal names the first one who lacks access. So an author without access learns nothing about the
    owner's access.
    """
    return [*sorted(people_behind(owner, author) - {owner}), owner]


OWNED = "owner"


@dataclass(frozen=True, slots=True)
class Holding:
    """The access of a user, or (None) of the public, to an item.

    `permissions` are permission letters, `via` the names of shares.
    """

    user: str | None
    permissions: tuple[str, ...]
    access: Access
    via: tuple[str, ...]


def holdings(owner: str, holders: Iterable[Holder], confers: Confers) -> list[Holding]:
    """Return the access of the owner, then of each user who has shares.

    `holders` must be sorted by user, then oldest share first. Each share is limited by role. The union of a
    user's shares is given as permission letters.
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
    """Return the access of the public, from the grant itself: it is never expanded into users."""
    access = access_through(EffectiveGrant(grant.target, grant.letters), confers) if effective else NOTHING
    return Holding(None, tuple(grant.letters), access, (grant.name,))
