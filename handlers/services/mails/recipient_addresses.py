"""Addresses of recipients at the moment of sending: each person once, if the owner may write to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from handlers.services.mails.recipient_lines import MailRecipient
from handlers.services.world import World
from vfs.ports.groups import GroupKind, TieKind, reference
from vfs.ports.people import User

KINDS = {"group of a user": GroupKind.USER_GROUP, "group of an organisation": GroupKind.ORG_GROUP}
UNKNOWN = "nobody gets it there: it is no group that @{} belongs to"
UNREACHED = "nobody gets it there: no user that @{} sees, with a verified address and an open account"


@dataclass(slots=True)
class ResolvedRecipients:
    """Addresses by mailbox: of users, and of others; `notes` tell of those who get nothing."""

    users: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address once."""
        return tuple({**self.others, **self.users}.values())

    @property
    def mailboxes(self) -> frozenset[str]:
        """The mailboxes of all."""
        return frozenset({**self.others, **self.users})

    def leave_out(self, mailboxes: Collection[str], reason: str) -> None:
        """Take some out, and note why."""
        for one in mailboxes:
            self.others.pop(one, None)
            self.users.pop(one, None)
        self.notes += [reason] if mailboxes else []


def resolve_recipients(world: World, owner: str, recipients: Iterable[MailRecipient]) -> ResolvedRecipients:
    """The addresses that recipients stand for now, as their owner may know them."""
    found = ResolvedRecipients()
    wanted: dict[str, str] = {}
    for one in recipients:
        if one.kind == "address":
            found.others[one.name.lower()] = one.name
        elif one.kind == "user":
            wanted.setdefault(one.name, f"@{one.name}")
        else:
            ref = reference(KINDS[one.kind], one.name, one.group)
            members = _members(world, owner, ref)
            found.notes += [] if members else [f"{ref}: {UNKNOWN.format(owner)}"]
            for name in members:
                wanted.setdefault(name, "")
    known = _reachable(world, owner) if wanted else {}
    for name, line in wanted.items():
        user = known.get(name)
        if user is not None and user.email:
            found.users[user.email.lower()] = user.email
            found.others.pop(user.email.lower(), None)
        elif line:
            found.notes.append(f"{line}: {UNREACHED.format(owner)}")
    return found


def _members(world: World, owner: str, ref: str) -> tuple[str, ...]:
    """The members of a group in which the owner holds a role itself."""
    standing = world.people.groups.find(ref, owner)
    if standing is None or standing.role is None:
        return ()
    return tuple(one.name for one in world.people.members.roster(ref) if not one.pending)


def _reachable(world: World, owner: str) -> Mapping[str, User]:
    """The users whom an owner may write: itself, and those it sees who do not ignore it."""
    ignoring = {tie.name for tie in world.people.ties.to(TieKind.IGNORE, owner)}
    return {
        user.name: user
        for user in _acquaintances(world, owner)
        if _has_mailbox(user) and user.name not in ignoring
    }


def _acquaintances(world: World, owner: str) -> Iterator[User]:
    yield from world.people.users.visible(owner)
    own = world.people.users.find(owner)
    if own is not None:
        yield own


def _has_mailbox(user: User) -> bool:
    return user.email is not None and user.verified and not user.locked
