"""`curlew hooks`: the hooks of all accounts, for the operator."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.services.outgoing_hooks import HookSecrets
from handlers.services.world import World
from handlers.settings.settings import Settings
from handlers.words.tables import table
from vfs.errors import VfsError
from vfs.ports.hooks import Hook


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
