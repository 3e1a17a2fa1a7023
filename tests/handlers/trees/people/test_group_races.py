"""Changes of roles at the same time, from two worlds: a group always has a founder."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path as Folder

import pytest

from handlers.processes.world import LiveWorld, build
from handlers.rules.ranks import OrgPlan
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from vfs.access import Caller, Role, Verb, Via
from vfs.body import NoBody, TextBody
from vfs.call import Call
from vfs.errors import VfsError
from vfs.path import Path
from vfs.ports.groups import GroupKind
from vfs.ports.people import Account
from vfs.serve import serve
from vfs.tree import Tree

TREE = Tree(ROOT, ADVICE)
ROUNDS = 12
SECONDS = 120
ORG = "/v1/admin/orgs/acme"
Act = tuple[str, Verb, str]


@dataclass(frozen=True, slots=True)
class Rivals:
    """Two worlds on one database, as two processes have them."""

    live_worlds: tuple[LiveWorld, LiveWorld]

    def meet(self, *sides: tuple[Act, ...]) -> list[str]:
        """Let the sides act at once and return how each ended; a side stops at its first refusal."""
        gate = threading.Barrier(len(sides))
        with ThreadPoolExecutor(len(sides)) as pool:
            begun = [
                pool.submit(self._side, live_world, side, gate)
                for live_world, side in zip(self.live_worlds, sides, strict=True)
            ]
            return [each.result(SECONDS) for each in begun]

    def _side(self, live_world: LiveWorld, acts: tuple[Act, ...], gate: threading.Barrier) -> str:
        gate.wait(SECONDS)
        try:
            for who, verb, path in acts:
                body = TextBody("yes") if verb is Verb.WRITE else NoBody()
                caller = Caller(who, Via.TOKEN)
                with live_world.world.session():
                    serve(TREE, Call(verb, Path.parse(path), caller, live_world.world, body))
        except VfsError as refused:
            return type(refused).__name__
        return "done"

    def begin(self, **roles: Role) -> None:
        """Make the organisation acme again, with these members."""
        world = self.live_worlds[0].world
        old = world.people.groups.find("+acme", None)
        if old is not None:
            world.people.groups.remove(old.group)
        world.people.groups.create(GroupKind.ORG, "boss", "acme", "alice", OrgPlan.FREE)
        for name, role in roles.items():
            world.people.members.put("+acme", name, role, pending=False, by=None)

    def founders(self) -> list[str]:
        """The founders there are."""
        roster = self.live_worlds[1].world.people.members.roster("+acme")
        return [one.name for one in roster if one.role is Role.FOUNDERS and not one.pending]


@pytest.fixture
def rivals(database_url: str, tmp_path: Folder) -> Iterator[Rivals]:
    settings = Settings(data=str(tmp_path), database_url=database_url)
    live_worlds = build(settings), build(settings)
    for name in ("boss", "alice", "bob", "carol"):
        live_worlds[0].world.people.users.add(name, "-", Account.ORGANISATION, None, public=False)
    yield Rivals(live_worlds)
    for live_world in live_worlds:
        live_world.close()


def removes(who: str, role: Role, user: str) -> Act:
    return who, Verb.REMOVE, f"{ORG}/roles/{role}/{user}"


def puts(who: str, role: Role, user: str) -> Act:
    return who, Verb.CREATE, f"{ORG}/roles/{role}/{user}"


F, A, M = Role.FOUNDERS, Role.ADMINS, Role.MEMBERS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (removes("alice", F, "alice"), removes("bob", F, "bob")),
        (removes("alice", F, "bob"), removes("bob", F, "alice")),
        (puts("alice", M, "alice"), puts("bob", M, "bob")),
        (puts("alice", A, "bob"), removes("bob", F, "bob")),
        (puts("alice", A, "bob"), removes("bob", F, "alice")),
    ],
)
def test_two_founders_never_go_both(rivals: Rivals, one: Act, other: Act) -> None:
    for _ in range(ROUNDS):
        rivals.begin(bob=F)
        results = rivals.meet((one,), (other,))
        assert len(rivals.founders()) >= 1, results
        assert set(results) <= {"done", "Denied", "NotFound"}
        assert "done" in results


def test_a_user_is_promoted_while_leaving(rivals: Rivals) -> None:
    for _ in range(ROUNDS):
        rivals.begin(bob=A)
        results = rivals.meet(
            (puts("alice", F, "bob"), removes("alice", F, "alice")), (removes("bob", A, "bob"),)
        )
        assert len(rivals.founders()) >= 1, results


def test_an_invitation_is_accepted_or_taken_back(rivals: Rivals) -> None:
    accept = "bob", Verb.WRITE, "/v1/admin/invites/+acme/accept"
    for _ in range(ROUNDS):
        rivals.begin()
        world = rivals.live_worlds[0].world
        world.people.members.put("+acme", "bob", A, pending=True, by="alice")
        results = rivals.meet((accept,), (removes("alice", A, "I-bob"),))
        assert sorted(results) == ["NotFound", "done"]
        member = world.people.members.find("+acme", "bob")
        assert (member is not None and not member.pending) is (results[0] == "done")


def test_an_account_makes_one_organisation(rivals: Rivals) -> None:
    world = rivals.live_worlds[0].world
    for number in range(ROUNDS):
        names = [f"org{number}{side}" for side in "ab"]
        results = rivals.meet(*(((("carol", Verb.CREATE, f"/v1/admin/orgs/{name}")),) for name in names))
        assert sorted(results) == ["Denied", "done"]
        (made,) = [one.group for one in world.people.groups.of("carol")]
        world.people.groups.remove(made)


@pytest.mark.parametrize(
    "act",
    [
        puts("alice", M, "bob"),
        ("alice", Verb.CREATE, f"{ORG}/groups/sales"),
        ("alice", Verb.CREATE, f"{ORG}/groups/ops/roles/members/bob"),
        ("carol", Verb.WRITE, "/v1/admin/invites/+acme~ops/accept"),
    ],
)
def test_nothing_is_left_of_an_organisation_that_goes(rivals: Rivals, act: Act) -> None:
    world, database = rivals.live_worlds[0].world, rivals.live_worlds[0].database
    for _ in range(ROUNDS):
        rivals.begin()
        world.people.groups.create(GroupKind.ORG_GROUP, "acme", "ops", "alice")
        world.people.members.put("+acme~ops", "carol", M, pending=True, by="alice")
        results = rivals.meet((act,), (("alice", Verb.REMOVE, ORG),))
        assert results[1] == "done"
        assert results[0] in ("done", "NotFound", "Denied")
        assert database.rows("SELECT group_ref, name FROM member") == []
        assert database.rows("SELECT ref FROM people_group") == []


def test_a_name_is_taken_once(rivals: Rivals) -> None:
    world = rivals.live_worlds[0].world
    for number in range(ROUNDS):
        path = f"/v1/admin/groups/team{number}"
        results = rivals.meet((("bob", Verb.CREATE, path),), (("bob", Verb.CREATE, path),))
        assert sorted(results) == ["Conflict", "done"]
    assert len(world.people.groups.of("bob")) == ROUNDS
