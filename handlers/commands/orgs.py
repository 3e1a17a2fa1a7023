"""`curlew org`: the plans of organisations, from the command line, while a server runs."""

from __future__ import annotations

import click

from handlers.commands.operator import note_command
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.rules.plans import OrgPlan
from handlers.security.events import PLAN_CHANGED
from handlers.settings import Settings
from vfs.errors import NotFound


@click.group()
def org() -> None:
    """Set the plans of organisations."""


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
            raise NotFound(f"there is no organisation {name}")
        if plan is None:
            click.echo(found.group.plan)
            return
        world.people.groups.change(ref, plan=OrgPlan(plan))
        note_command(world, PLAN_CHANGED, target=f"{ref} {plan}")
    click.echo(f"{ref} is on the plan {plan}", err=True)
