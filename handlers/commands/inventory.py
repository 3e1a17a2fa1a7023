"""`curlew job` and `curlew repo`: the code of all users, listed while a server runs."""

from __future__ import annotations

from collections.abc import Iterator

import click

from handlers.commands.listings import Cell, as_json, print_rows, user_names
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.services.world import World
from handlers.settings import Settings
from vfs.ports.world import Item

JOB_HEADS = ("owner", "name", "shortname", "last_run", "run_status", "last_modified")
REPO_HEADS = ("owner", "name", "shortname", "build", "bytes", "last_modified")

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
    """List repositories of code."""


@repo.command("list")
@needs_data
@of_user
@as_json
def list_repos(settings: Settings, owner: str | None, as_json: bool) -> None:
    """List the repositories of USER, or of all users, with the newest build and what each takes on disk."""
    with open_world(settings) as world:
        rows = [repo_row(world, item) for item in items_of(world, "repo", owner)]
    print_rows(rows, REPO_HEADS, as_json=as_json)


def items_of(world: World, kind: str, owner: str | None) -> Iterator[Item]:
    """The items of a kind, of one user or of all, by owner and name. Raises NotFound."""
    for name in user_names(world, owner):
        yield from (found.item for found in world.items.visible(kind, name, name))


def job_row(world: World, item: Item) -> dict[str, Cell]:
    """The facts of a job by the heads of its listing."""
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
    """The facts of a repository by the heads of its listing."""
    build = world.code.builds.latest(item.id)
    return {
        "owner": item.owner,
        "name": item.name,
        "shortname": item.shortname,
        "build": build.status.value if build else None,
        "bytes": world.code.repositories.size(item.id),
        "last_modified": item.last_modified,
    }
