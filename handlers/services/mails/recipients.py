"""Recipients of a mail: the lines of its lists, and the addresses at the moment of sending."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from handlers.services.world import World
from vfs.errors import Invalid
from vfs.ports.groups import GroupKind, TieKind, reference
from vfs.ports.people import User

NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}"
)
NAMED = re.compile(r"[^<>@\r\n]{0,200}<([^<>]{3,320})>")
FORMS = (
    ("group of an organisation", re.compile(rf"\+({NAME})~({NAME})", re.IGNORECASE)),
    ("group of a user", re.compile(rf"@({NAME})~({NAME})", re.IGNORECASE)),
    ("user", re.compile(rf"@({NAME})", re.IGNORECASE)),
)
SELF = frozenset({"me", "self"})
MOST_LINES, MOST_NAMED, MOST_LISTED, LONGEST_SHOWN = 10_000, 20, 1_000, 100


@dataclass(frozen=True, slots=True)
class MailRecipient:
    """A recipient in a list: `kind` is address, user, group of a user or group of an organisation."""

    kind: str
    name: str
    group: str = ""


def read_recipients(text: str, owner: str) -> tuple[MailRecipient, ...]:
    """Return the recipients that lines name, each once. Raises Invalid naming every invalid line."""
    found: dict[MailRecipient, None] = {}
    rejected: list[str] = []
    for number, line in enumerate(_entries(text), 1):
        if number > MOST_LINES:
            raise Invalid(f"a list has at most {MOST_LINES:,} recipients: send the mail to a group")
        recipient = _recipient(line, owner)
        if recipient is None:
            rejected.append(line[:LONGEST_SHOWN])
        else:
            found[recipient] = None
    if rejected:
        shown = ", ".join(f'"{line}"' for line in rejected[:MOST_NAMED])
        more = f" and {len(rejected) - MOST_NAMED} more" if len(rejected) > MOST_NAMED else ""
        raise Invalid(
            f"these recipients are not understood: {shown}{more}; the list is as it was. Write a line each: "
            "name@host, @user, me, +org~group or @user~group",
            rejected=[{"line": line, "reason": _reason(line)} for line in rejected[:MOST_LISTED]],
        )
    return tuple(found)


def _reason(line: str) -> str:
    """Return why a line is not a valid recipient."""
    if "," in line:
        return "write each recipient on a separate line, without commas"
    if line.startswith("+") and "~" not in line:
        return "an organisation gets no mail, its groups do: +org~group"
    if line.startswith(("@", "+")):
        return "it is no name of a user or a group: @user, @user~group or +org~group"
    if "@" in line:
        return "it is no mail address: name@host, with a host that has a dot"
    return "it is neither an address nor a user: name@host or @user"


def _entries(text: str) -> list[str]:
    """Return the entries of a list, separated by lines, semicolons and, unless one has a name, spaces."""
    entries: list[str] = []
    for piece in re.split(r"[\r\n;]+", text):
        entries += [piece.strip()] if "<" in piece else piece.split()
    return [entry for entry in entries if entry]


def _recipient(entry: str, owner: str) -> MailRecipient | None:
    if entry.lower() in SELF:
        return MailRecipient("user", owner)
    named = NAMED.fullmatch(entry)
    address = (named[1] if named else entry).strip()
    if ADDRESS.fullmatch(address) and not re.search(r"^\.|\.\.|\.@", address):
        local, _, domain = address.rpartition("@")
        return MailRecipient("address", f"{local}@{domain.lower()}")
    for kind, form in FORMS:
        if found := form.fullmatch(entry):
            return MailRecipient(kind, *(part.lower() for part in found.groups()))
    return None


KINDS = {"group of a user": GroupKind.USER_GROUP, "group of an organisation": GroupKind.ORG_GROUP}
UNKNOWN = "nobody gets it there: it is no group that @{} belongs to"
UNREACHED = "nobody gets it there: no user that @{} sees, with a verified address and an open account"


@dataclass(slots=True)
class ResolvedRecipients:
    """Addresses by mailbox: of users, and of others; `notes` say which recipients get nothing."""

    users: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address once."""
        return tuple({**self.others, **self.users}.values())

    @property
    def mailboxes(self) -> frozenset[str]:
        """The mailboxes of all recipients."""
        return frozenset({**self.others, **self.users})

    def leave_out(self, mailboxes: Collection[str], reason: str) -> None:
        """Remove some mailboxes, and note the reason."""
        for one in mailboxes:
            self.others.pop(one, None)
            self.users.pop(one, None)
        self.notes += [reason] if mailboxes else []


def resolve_recipients(world: World, owner: str, recipients: Iterable[MailRecipient]) -> ResolvedRecipients:
    """Return the present addresses of recipients, as far as their owner may know them."""
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
    """Return the members of a group in which the owner has a direct role."""
    relation = world.people.groups.find(ref, owner)
    if relation is None or relation.role is None:
        return ()
    return tuple(one.name for one in world.people.members.roster(ref) if not one.pending)


def _reachable(world: World, owner: str) -> Mapping[str, User]:
    """Return the users whom an owner may write to: itself, and visible users who do not ignore it."""
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
