"""`curlew job`, `repo`, `org`, `hooks` and `links`: lists of all accounts, while a server runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import click

from handlers.commands.operators import Cell, as_json, note_command, print_rows, user_names
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.rules.ranks import OrgPlan
from handlers.security.events import PLAN_CHANGED
from handlers.services.build_images import MISSING, lost_labels, rebuilds
from handlers.services.outgoing_hooks import HookSecrets
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.trees.facets.links import is_open
from handlers.words.tables import table
from vfs.errors import NotFound, VfsError
from vfs.ports.groups import Group, GroupKind
from vfs.ports.hooks import Hook
from vfs.ports.items import Item
from vfs.ports.links import ItemLink

JOB_HEADS = ("owner", "name", "shortname", "last_run", "run_status", "last_modified")
REPO_HEADS = ("owner", "name", "shortname", "build", "bytes", "last_modified")

NOTHING = "nothing is queued: no image of a label is missing, or its build is in progress"

of_user = click.argument("owner", metavar="[USER]", required=False)


@click.group()
def job() -> None:
    """List jobs."""


@job.command("list")
@needs_data
@of_user
@as_json
def list_jobs(settings: Settings, owner: str | None, as_json: bool) -> None:
    """List the jobs of USER, or of all users, with the state and start of each one's newest run."""
    with open_world(settings) as world:
        rows = [job_row(world, item) for item in items_of(world, "job", owner)]
    print_rows(rows, JOB_HEADS, as_json=as_json)


@click.group()
def repo() -> None:
    """List repositories of code, and rebuild missing images."""


@repo.command("list")
@needs_data
@of_user
@as_json
def list_repos(settings: Settings, owner: str | None, as_json: bool) -> None:
    """List the repositories of USER, or of all users, with the newest build and the disk space of each."""
    with open_world(settings) as world:
        rows = [repo_row(world, item) for item in items_of(world, "repo", owner)]
    print_rows(rows, REPO_HEADS, as_json=as_json)


@repo.command("rebuild")
@needs_data
@click.argument("names", metavar="[@OWNER/NAME]...", nargs=-1)
@click.option("--all", "of_all", is_flag=True, help="All repositories.")
@click.option("--every", is_flag=True, help="Every image that a label names, whether it is missing or not.")
def rebuild_images(settings: Settings, names: Sequence[str], of_all: bool, every: bool) -> None:
    """Queue builds of missing images, as after a restore without images; a runner builds them.

    The runner looks for missing images when it starts, each minute, and when the image of a step is missing.
    Each is built with the permissions of the user who pushed its commit.
    """
    if of_all is bool(names):
        raise click.UsageError("name repositories as @owner/name, or use --all")
    with open_world(settings) as world:
        items = items_of(world, "repo", None) if of_all else [repo_called(world, name) for name in names]
        queued = [line for item in items for line in queue_rebuilds(world, item, every=every)]
    click.echo("\n".join(queued) or NOTHING)


def queue_rebuilds(world: World, item: Item, *, every: bool) -> Iterator[str]:
    """Queue the builds of a repository and print a line for each."""
    for order in rebuilds(world, item.id, every=every):
        order.queue(world)
        labels = ", ".join(f"@{item.owner}/{item.name}:{label}" for label in order.labels)
        yield f"queued {labels} from {order.commit[:7]}, as pushed by @{order.by}"


def repo_called(world: World, name: str) -> Item:
    """Return the repository of an `@owner/name`. Raises NotFound."""
    owner, _, repo = name.removeprefix("@").partition("/")
    found = world.items.find("repo", owner, repo, owner)
    if found is None:
        raise NotFound(f"there is no repo {name}; curlew repo list shows them, and @owner/name names one")
    return found.item


def items_of(world: World, kind: str, owner: str | None) -> Iterator[Item]:
    """Return the items of a kind, of one user or of all, by owner and name. Raises NotFound."""
    for name in user_names(world, owner):
        yield from (found.item for found in world.items.visible(kind, name, name))


def job_row(world: World, item: Item) -> dict[str, Cell]:
    """Return the values of a job by the columns of its listing."""
    newest = next(iter(world.code.runs.reader.newest(item.id, 1)), None)
    return {
        "owner": item.owner,
        "name": item.name,
        "shortname": item.shortname,
        "last_run": newest.created_on if newest else None,
        "run_status": newest.status.value if newest else None,
        "last_modified": item.last_modified,
    }


def repo_row(world: World, item: Item) -> dict[str, Cell]:
    """Return the values of a repository by the columns of its listing."""
    build = world.code.builds.latest(item.id)
    state = build.status.value if build else None
    if build and build.image is not None and lost_labels(world, item.id):
        state = MISSING
    return {
        "owner": item.owner,
        "name": item.name,
        "shortname": item.shortname,
        "build": state,
        "bytes": world.code.repositories.size(item.id),
        "last_modified": item.last_modified,
    }


ORG_HEADS = ("name", "owner", "plan", "public", "groups", "members", "created_on")


@click.group()
def org() -> None:
    """List organisations, and set their plans."""


@org.command("list")
@needs_data
@as_json
def list_orgs(settings: Settings, as_json: bool) -> None:
    """List all organisations, with the numbers of their groups and members."""
    with open_world(settings) as world:
        groups = [
            relation.group
            for user in user_names(world, None)
            for relation in world.people.groups.of(user)
            if relation.group.kind is GroupKind.ORG and relation.group.owner == user
        ]
        rows = [org_row(world, group) for group in sorted(groups, key=lambda each: each.name)]
    print_rows(rows, ORG_HEADS, as_json=as_json)


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
    """Set the plan of an organisation: free, premium or enterprise. Without PLAN print the current one."""
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


LINK_HEADS = ("item", "link", "state", "made", "ends", "password", "uses", "last use")


@click.command()
@needs_data
def links(settings: Settings) -> None:
    """List the links that open items without an account: item, name, state, end, uses; not their keys."""
    with open_world(settings) as world:
        rows = [_link_row(world, item, link) for item, link in world.social.links.everyone()]
    click.echo(table(LINK_HEADS, rows), nl=False)


def _link_row(world: World, item: Item, link: ItemLink) -> tuple[str, ...]:
    letter = world.service.kinds[item.kind].letter
    return (
        f"/u/{item.owner}/{letter}/{item.name}",
        link.name,
        "open" if is_open(world, link) else "closed",
        link.created_on,
        link.expires_on or "",
        "yes" if link.password is not None else "",
        f"{link.used} of {link.uses}" if link.uses is not None else str(link.used),
        link.last_use or "",
    )


@click.command()
@needs_data
def hooks(settings: Settings) -> None:
    """List the hooks of all accounts: owner, name, host, state, waiting messages."""
    with open_world(settings) as world:
        waiting = world.social.hooks.tally()
        rows = [
            (f"@{one.owner}", one.name, _host(world, one), one.state, str(waiting.get(one.id, 0)), one.why)
            for one in world.social.hooks.everyone()
        ]
    click.echo(table(("owner", "hook", "host", "state", "waiting", "why"), rows), nl=False)


def _host(world: World, hook: Hook) -> str:
    """Return the host of a hook; the rest of its address may be secret."""
    try:
        return urlsplit(HookSecrets.open(world, hook).url).netloc
    except VfsError:
        return "?"
