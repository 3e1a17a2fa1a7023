"""The dictionaries of the reference world, and its transactions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from itertools import count
from typing import NamedTuple

from storage.tree.shortnames import SHORTEST, draw
from vfs.access import EffectiveGrant, Grant, Role
from vfs.ports.applications import Application, ApplicationConnection, Approval
from vfs.ports.clock import Clock, stamp
from vfs.ports.groups import Group, Member, Tie, TieKind
from vfs.ports.items import Item
from vfs.ports.keys import Key
from vfs.ports.leaves import Leaf
from vfs.ports.people import Challenge, Token, User


class PasswordReset(NamedTuple):
    """A code that was mailed to an address of a user, and where it was asked for."""

    user: str
    email: str
    asker: str
    expires_on: str


@dataclass
class State:
    """Everything that a transaction can take back."""

    items: dict[int, Item] = field(default_factory=dict)
    leaves: dict[tuple[int, str], Leaf] = field(default_factory=dict)
    grants: dict[tuple[int, str], Grant] = field(default_factory=dict)
    shortnames: dict[str, None] = field(default_factory=dict)
    users: dict[str, User] = field(default_factory=dict)
    passwords: dict[str, str] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)  # by reference
    members: dict[tuple[str, str], Member] = field(default_factory=dict)  # by group and user
    ties: dict[tuple[TieKind, str, str], Tie] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)  # by digest
    uses: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    challenges: dict[str, Challenge] = field(default_factory=dict)
    applications: dict[str, Application] = field(default_factory=dict)  # by client
    approvals: dict[str, Approval] = field(default_factory=dict)  # by the digest of their code
    connections: dict[int, ApplicationConnection] = field(default_factory=dict)  # by token
    connection_ends: dict[int, str] = field(default_factory=dict)  # by token
    refreshes: dict[str, tuple[int, bool]] = field(
        default_factory=dict
    )  # token and whether renewed, by digest
    keys: dict[int, Key] = field(default_factory=dict)
    resets: dict[str, PasswordReset] = field(default_factory=dict)  # by code
    setup_keys: dict[str, str] = field(default_factory=dict)  # the end of the one, by its digest


class Memory:
    """The dictionaries, their clock and their transactions: one thread at a time writes."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.state = State()
        self.numbers = count(1)
        self.lock = threading.RLock()

    def now(self) -> str:
        """The time stamp of this moment."""
        return stamp(self.clock.now())

    @contextmanager
    def atomic(self) -> Iterator[None]:
        """All writes inside happen or none; nests. Readers of other threads may see them early."""
        with self.lock:
            before = {part.name: dict(getattr(self.state, part.name)) for part in fields(State)}
            try:
                yield
            except BaseException:
                self.state = State(**before)
                raise

    def void_resets(self, user: str) -> None:
        """Void the codes by which a password of the user could be set."""
        self.state.resets = {code: one for code, one in self.state.resets.items() if one.user != user}

    def fresh(self) -> str:
        """A short name that nothing ever had."""
        length = SHORTEST
        while (name := draw(length)) in self.state.shortnames:
            length += 1
        self.state.shortnames[name] = None
        return name

    def role(self, group: str, user: str | None) -> Role | None:
        """The user's role in a group, when it is an active member."""
        member = self.state.members.get((group, user or ""))
        return None if member is None or member.pending else member.role

    def effective_grant(self, item: Item, caller: str | None, grant: Grant) -> EffectiveGrant | None:
        """The grant as it is effective for the caller now, or None (R-9)."""
        if grant.target == "public":
            owner = self.state.users.get(item.owner)
            return EffectiveGrant(grant.target, grant.letters) if owner and owner.public else None
        if caller is not None and grant.target == f"@{caller}":
            return EffectiveGrant(grant.target, grant.letters)
        role = self.role(grant.target, caller)
        counts = role is not None and self.role(grant.target, item.owner) is not None
        return EffectiveGrant(grant.target, grant.letters, role) if counts else None
