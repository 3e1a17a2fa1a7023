"""Functions shared by commands of operators: listings, users by name, and lines of the security log."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from handlers.security.events import SecurityEvent
from handlers.security.log_lines import SecurityLine
from handlers.services.world import World
from handlers.settings.quantities import rounded_size
from handlers.words.tables import table
from vfs.errors import NotFound
from vfs.ports.people import User

Cell = str | int | bool | None
BYTES = "bytes"

as_json = click.option("--json", "as_json", is_flag=True, help="One JSON array instead of a table.")


def print_rows(rows: Iterable[Mapping[str, Cell]], heads: Sequence[str], *, as_json: bool) -> None:
    """Print rows with these columns; the table rounds bytes."""
    if as_json:
        click.echo(json.dumps(list(rows), indent=2))
    else:
        cells = [tuple(table_cell(head, row[head]) for head in heads) for row in rows]
        click.echo(table(heads, cells), nl=False)


def table_cell(head: str, cell: Cell) -> Cell:
    """Return a cell for the table."""
    return rounded_size(cell) if head == BYTES and isinstance(cell, int) else cell


def find_user(world: World, name: str) -> User:
    """Return the user of this name. Raises NotFound."""
    found = world.people.users.find(name.removeprefix("@"))
    if found is None:
        raise NotFound(f"there is no user {name}; curlew user list shows them")
    return found


def user_names(world: World, name: str | None) -> Iterator[str]:
    """Return the names of all users, or only the requested one. Raises NotFound."""
    if name is not None:
        yield find_user(world, name).name
        return
    yield from (user.name for user in world.people.users.all())


COMMAND = "command"


def note_command(
    world: World, event: SecurityEvent, account: str | None = None, target: str | None = None
) -> None:
    """Record an operator's action, with its account or target."""
    action = SecurityLine(event.name, via=COMMAND, account=account, target=target, client=operator())
    world.service.security.record(action)


def operator() -> str:
    """Return the account that runs this command: the one in sudo's variable, else that of the process."""
    number = os.environ.get("SUDO_UID") or str(os.getuid())
    try:
        return f"{pwd.getpwuid(int(number)).pw_name} on this host"
    except (KeyError, ValueError, OverflowError):
        return f"the user {number} on this host"
