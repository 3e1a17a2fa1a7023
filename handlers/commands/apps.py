"""`curlew app`: applications that an operator registers from the command line, while a server runs."""

from __future__ import annotations

import re

import click

from handlers.commands.operators import note_command
from handlers.commands.options import needs_data
from handlers.processes.world import open_world
from handlers.rules.accounts import display_name
from handlers.rules.redirects import redirect
from handlers.rules.scopes import ALL, scope_words
from handlers.security.events import APPLICATION_REGISTERED
from handlers.settings.settings import Settings
from handlers.words.tables import table
from vfs.errors import Invalid, NotFound

CLIENT = re.compile(r"[a-z][a-z0-9_.-]{0,63}")


@click.group()
def app() -> None:
    """Register applications that users may connect to their accounts."""


@app.command("add")
@needs_data
@click.argument("client", metavar="ID")
@click.option("--name", metavar="TEXT", help="Name that users see (default: the id).")
@click.option("--description", default="", metavar="TEXT", help="One line that describes it.")
@click.option("--redirect", "redirects", multiple=True, required=True, metavar="URL", help="May be repeated.")
@click.option("--scope", "scopes", default=ALL, metavar="WORDS", help="The scopes that it may request.")
def add_app(
    settings: Settings,
    client: str,
    name: str | None,
    description: str,
    redirects: tuple[str, ...],
    scopes: str,
) -> None:
    """Register an application under its client id."""
    if not CLIENT.fullmatch(client):
        raise Invalid("an id is a lowercase letter, then up to 63 more of a-z, 0-9, '.', _ and -")
    fields = {
        "name": display_name(name or client),
        "description": display_name(description),
        "redirects": tuple(redirect(one) for one in redirects),
        "scopes": scope_words(scopes),
    }
    with open_world(settings) as world:
        world.people.applications.add(client, None, **fields)
        note_command(world, APPLICATION_REGISTERED, target=client)
    click.echo(f"registered {client}", err=True)


@app.command("list")
@needs_data
def list_apps(settings: Settings) -> None:
    """List the applications that the operator has registered."""
    with open_world(settings) as world:
        found = world.people.applications.of(None)
    heads = ("client_id", "name", "scopes", "redirects")
    rows = [(one.client, one.name, " ".join(one.scopes), " ".join(one.redirects)) for one in found]
    click.echo(table(heads, rows), nl=False)


@app.command("remove")
@needs_data
@click.argument("client", metavar="ID")
def remove_app(settings: Settings, client: str) -> None:
    """Remove an application, also one that a user registered; all its connections end."""
    with open_world(settings) as world:
        if not world.people.applications.remove(client):
            raise NotFound(f"there is no application {client}; curlew app list shows them")
        note_command(world, APPLICATION_REGISTERED, target=client)
    click.echo(f"removed {client}; its connections have ended", err=True)
