"""`curlew org`: organisations and their plans, from the command line, while a server runs."""

from __future__ import annotations

import click

from handlers.commands.listings import Cell, as_json, print_rows, user_names
from handlers.commands.operator import note_command
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.rules.ranks import OrgPlan
from handlers.security.events import PLAN_CHANGED
from handlers.services.world import World
from handlers.settings.settings import Settings
from vfs.errors import NotFound
from vfs.ports.groups import Group, GroupKind

HEADS = ("name", "owner", "plan", "public", "groups", "members", "created_on")


@click.group()
def org() -> None:
    """List organisations, and set their plans."""


@org.command("list")
@needs_data
@as_json
def list_orgs(settings: Settings, as_json: bool) -> None:
    """List all organisations, with how many groups and members each has."""
    with open_world(settings) as world:
        groups = [
            relation.group
            for user in user_names(world, None)
            for relation in world.people.groups.of(user)
            if relation.group.kind is GroupKind.ORG and relation.group.owner == user
        ]
        rows = [org_row(world, group) for group in sorted(groups, key=lambda each: each.name)]
    print_rows(rows, HEADS, as_json=as_json)


def org_row(world: World, group: Group) -> dict[str, Cell]:
    """Return the values of an organisation by the columns of its listing."""
    return {
        "name": group.name,
        "owner": group.owner,
        "plan": group.plan,
        "public": group.public,
        "groups": len(world.people.groups.under(group.ref, None)),
        "members": sum(not member.pending for member in world.people.members.roster(group.ref)),
        "created_on": group.created_on,
    }


@org.command("plan")
@needs_data
@click.argument("name", metavar="ORG")
@click.argument("plan", metavar="PLAN", type=click.Choice([plan.value for plan in OrgPlan]), required=False)
def set_plan(settings: Settings, name: str, plan: str | None) -> None:
    """Put an organisation on a plan: free, premium or enterprise. Without PLAN print the present one."""
    ref = f"+{name.removeprefix('+')}"
    with open_world(settings) as world:
        found = world.people.groups.find(ref, None)
        if found is None or found.group.plan is None or "~" in ref:
            raise NotFound(f"there is no organisation {name}; curlew org list shows them")
        if plan is None:
            click.echo(found.group.plan)
            return
        world.people.groups.change(ref, plan=OrgPlan(plan))
        note_command(world, PLAN_CHANGED, target=f"{ref} {plan}")
    click.echo(f"{ref} is on the plan {plan}", err=True)
