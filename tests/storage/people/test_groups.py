"""How many statements the look-ups of groups cost, however many groups there are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kit.counting.statements import Statements
from tests.kit.suites.kernel import add_user
from tests.kit.world import StoredWorld
from vfs.access import Role
from vfs.ports.groups import GroupKind, TieKind


@pytest.mark.parametrize("groups", [1, 30])
def test_every_look_up_is_one_statement(stored: StoredWorld, groups: int, statements: Statements) -> None:
    for name in ("boss", "bob"):
        add_user(stored, name)
    stored.groups.create(GroupKind.ORG, "boss", "acme", "boss", "free")
    for number in range(groups):
        for kind, owner in ((GroupKind.USER_GROUP, "boss"), (GroupKind.ORG_GROUP, "acme")):
            ref = stored.groups.create(kind, owner, f"g{number}", "boss").ref
            stored.members.put(ref, "bob", Role.MEMBERS, pending=bool(number % 2), by="boss")
    calls: tuple[Callable[[], object], ...] = (
        lambda: stored.groups.find("+acme~g0", "bob"),
        lambda: stored.groups.of("bob"),
        lambda: stored.groups.under("+acme", "bob"),
        lambda: stored.groups.orgs("bob"),
        lambda: stored.groups.theirs("boss", "bob"),
        lambda: stored.groups.has_org("boss"),
        lambda: stored.members.roster("+acme~g0"),
        lambda: stored.members.find("+acme~g0", "bob"),
        lambda: stored.members.accept("+acme~g0", "bob"),
        lambda: stored.ties.of(TieKind.CONNECTION, "bob"),
        lambda: stored.users.visible("bob"),
    )
    for call in calls:
        assert statements(call) == 1
