"""Listings of `curlew … list`: a table for people, with `--json` one array for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from handlers.render.tables import table
from handlers.services.world import World
from vfs.errors import NotFound
from vfs.ports.people import User

Cell = str | int | bool | None

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")


def print_rows(rows: Iterable[Mapping[str, Cell]], heads: Sequence[str], *, as_json: bool) -> None:
    """Print rows that have these heads."""
    if as_json:
        click.echo(json.dumps(list(rows), indent=2))
    else:
        click.echo(table(heads, [tuple(row[head] for head in heads) for row in rows]), nl=False)


def find_user(world: World, name: str) -> User:
    """The user of this name. Raises NotFound."""
    found = world.people.users.find(name.removeprefix("@"))
    if found is None:
        raise NotFound(f"there is no user {name}; curlew user list shows them")
    return found


def user_names(world: World, name: str | None) -> Iterator[str]:
    """The names of all users, or the one that was asked for. Raises NotFound."""
    if name is not None:
        yield find_user(world, name).name
        return
    yield from (user.name for user in world.people.users.all())
