"""The cost of listings of groups: as many statements for many entries as for few."""

from __future__ import annotations

from functools import partial

from handlers.rules.ranks import OrgPlan
from tests.handlers.service_world import ServiceWorld
from tests.kit.counting.statements import Statements
from vfs.access import Role, Verb
from vfs.ports.groups import GroupKind

PLACES = (
    "/v1/users/alice/vis/plots/p0/access",
    "/v1/users/alice/vis/plots/p0/shared",
    "/v1/users/alice/groups",
    "/v1/users/alice/groups/team",
    "/v1/users/alice/groups/team/shared",
    "/v1/users/alice/groups/team/shared/vis",
    "/v1/users/alice/groups/team/shared/vis/plots",
    "/v1/groups",
    "/v1/groups/@alice~team/roles/members",
    "/v1/orgs",
    "/v1/orgs/acme",
    "/v1/orgs/acme/groups",
    "/v1/orgs/acme/groups/g0/shared/vis/plots",
    "/v1/orgs/acme/groups/g0/roles/members",
    "/v1/o",
    "/v1/o/acme/p",
    "/v1/o/+acme~g0/p",
    "/v1/u/alice/p",
)
# carol is in none of the groups: what she sees hangs on their options.
ROSTER = "/v1/orgs/acme/groups/g0/roles/members"


def founded(service_world: ServiceWorld) -> None:
    """alice founds an organisation and a team; a group of the organisation shows its members to everybody."""
    groups = service_world.world.people.groups
    groups.create(GroupKind.ORG, "acme", "acme", "alice", OrgPlan.ENTERPRISE)
    groups.create(GroupKind.USER_GROUP, "alice", "team", "alice")
    grown(service_world, range(2))
    for option in ("public", "show_members"):
        service_world.write("alice", f"/v1/admin/orgs/acme/groups/g0/profile/options/{option}", "yes")


def grown(service_world: ServiceWorld, numbers: range) -> None:
    """For each number a user, groups that it and bob are in, and a plot that alice shares with all of "
    "them."""
    world = service_world.world
    for number in numbers:
        name = f"user-{number}"
        service_world.citizen(name)
        world.people.groups.create(GroupKind.ORG_GROUP, "acme", f"g{number}", "alice")
        world.people.groups.create(GroupKind.USER_GROUP, "alice", f"crew-{number}", "alice")
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/p{number}")
        for ref in ("@alice~team", "+acme~g0", f"+acme~g{number}", f"@alice~crew-{number}"):
            for member in (name, "bob"):
                world.people.members.put(ref, member, Role.MEMBERS, pending=False, by=None)
            service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/p{number}/shared/{ref}~r")
        service_world.call("alice", Verb.CREATE, f"/v1/vis/plots/p0/shared/@{name}~r")


def costs(service_world: ServiceWorld, statements: Statements) -> dict[str, int]:
    """Return the number of statements of each read."""
    found = {}
    reads = [(who, path) for who in ("alice", "bob") for path in PLACES if who == "alice" or "p0" not in path]
    for who, path in [*reads, ("carol", ROSTER)]:
        found[f"{who} {path}"] = statements(partial(service_world.read, who, path))
    return found


def test_many_entries_cost_what_few_do(service_world: ServiceWorld, statements: Statements) -> None:
    founded(service_world)
    few = costs(service_world, statements)
    grown(service_world, range(2, 12))
    assert costs(service_world, statements) == few
    assert max(few.values()) <= 12
