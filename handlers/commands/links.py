"""`curlew links`: the links of all accounts that open items without an account, for the operator."""

from __future__ import annotations

import click

from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.trees.facets.links import is_open
from handlers.words.tables import table
from vfs.ports.items import Item
from vfs.ports.links import ItemLink

HEADS = ("item", "link", "state", "made", "ends", "password", "uses", "last use")


@click.command()
@needs_data
def links(settings: Settings) -> None:
    """List the links that open items without an account: item, name, state, end, uses. Never their keys."""
    with open_world(settings) as world:
        rows = [_row(world, item, link) for item, link in world.social.links.everyone()]
    click.echo(table(HEADS, rows), nl=False)


def _row(world: World, item: Item, link: ItemLink) -> tuple[str, ...]:
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
