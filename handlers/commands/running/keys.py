"""`curlew key rotate`: a new key for secrets, while a server runs."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from handlers.commands.backups import progress
from handlers.commands.operators import note_command
from handlers.commands.options import FAILED, drop_groups, may_make_data, require
from handlers.processes.world import build
from handlers.security.events import KEY_ROTATED
from handlers.settings.settings import Settings
from storage.bytes.key_rotation import add_key, drop_old_keys, reseal
from storage.bytes.seal import FileSeal, seal_of
from storage.upkeep.installation_mark import mark_key
from vfs.errors import storage_error


@click.group()
def key() -> None:
    """Manage the key that encrypts secrets."""


@key.command("rotate")
@may_make_data
@click.option("--drop-old", is_flag=True, help="Make no key; remove those that nothing needs.")
def rotate_key(settings: Settings, drop_old: bool) -> None:
    """Make a new key and encrypt every secret with it; running servers use it at once.

    The older keys stay in the file, because older backups and links to unsubscribe in mails need them.
    `--drop-old` removes them. After both commands, copy the key file to its safe place.
    """
    require(settings)
    drop_groups()
    try:
        with closing(build(settings)) as live_world, live_world.database.session(), progress() as shown:
            seal = seal_of(settings.key)
            if drop_old:
                gone = drop_old_keys(settings.key, live_world.database, seal)
                _mark(settings, seal)
                note_command(live_world.world, KEY_ROTATED)
                click.echo(f"{gone} older keys are no longer in {settings.key}")
                return
            add_key(settings.key)
            _mark(settings, seal)
            note_command(live_world.world, KEY_ROTATED)
            found = reseal(live_world.database, seal, shown.tell)
    except OSError as error:
        raise storage_error(error, f"the key file {settings.key}") from error
    click.echo(f"{settings.key} has a new key, and {found.renewed} secrets are sealed under it")
    if found.unreadable:
        for item, rel in found.unreadable:
            click.echo(f"no key of the file opens {rel} of the item {item}: write it again", err=True)
        sys.exit(FAILED)


def _mark(settings: Settings, seal: FileSeal) -> None:
    """Record this key as the one that all hosts must use."""
    if settings.has_several_hosts:
        mark_key(seal, settings.repos)
        click.echo(f"copy {settings.key} to the other hosts: secrets are now encrypted with its new key")
