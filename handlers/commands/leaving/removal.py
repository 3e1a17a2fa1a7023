"""`curlew user remove`: the end of an account, and of what was its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from handlers.commands.backups.progress import ShownProgress, progress
from handlers.commands.listings import find_user
from handlers.commands.operator import note_command
from handlers.commands.options import needs_data
from handlers.commands.people import user
from handlers.filesystem.refusals import vfs_errors
from handlers.filesystem.tree_fs import CurlewFS
from handlers.processes.world import House, build
from handlers.security.events import ACCOUNT_REMOVED
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from storage.people.departures import StoredDepartures
from vfs.access import Caller, Via
from vfs.errors import Conflict, NotFound, VfsError
from vfs.ports.groups import Group
from vfs.tree import Tree


@user.command("remove")
@needs_data
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do it; else it is told what would go.")
@click.option("--with-groups", is_flag=True, help="Remove groups that others are in, too.")
def remove_user(settings: Settings, name: str, yes: bool, with_groups: bool) -> None:
    """Remove an account with all that is its own; its name is given to nobody again.

    Its items go with their runs, repositories and shares, and the groups and the organisation that it
    founded. What it said about things of others is blank. `curlew export` writes all of it down before.
    """
    house = build(settings)
    try:
        with house.database.session(), progress() as shown:
            account = find_user(house.world, name)
            groups = founded_groups(house, account.name)
            if not with_groups:
                _require_alone(house, groups)
            if not yes:
                _tell(house, account.name, groups)
                return
            house.world.people.users.change(account.name, locked=True)
            remove_all(house, account.name, groups, shown)
            StoredDepartures(house.database).forget(account.name, house.world.clock)
            note_command(house.world, ACCOUNT_REMOVED, account.name)
    finally:
        house.close()
    click.echo(f"removed {account.name}", err=True)


def founded_groups(house: House, name: str) -> list[Group]:
    """The groups and the organisation that an account founded; what is below an organisation is its own."""
    refs = StoredDepartures(house.database).list_founded(name)
    found = (house.world.people.groups.find(ref, name) for ref in refs)
    return [one.group for one in found if one is not None]


def remove_all(house: House, name: str, groups: list[Group], shown: ShownProgress) -> None:
    """Remove the items of an account, jobs first, and its groups.

    Raises Conflict when something stays, such as the space of a run that is still to end.
    """
    tree = CurlewFS(Tree(ROOT, ADVICE), house.world, Caller(name, Via.TOKEN))
    left = ""
    with vfs_errors():
        for number, path in enumerate(item_paths(tree, name), 1):
            try:
                with vfs_errors():
                    tree.removetree(path)
            except NotFound:
                continue
            except VfsError as error:
                left = f"{path}: {error.detail}"
            shown.tell("items", number)
    if left:
        raise Conflict(
            f"{name} is locked, and not all of it is gone yet. {left} Do it again when that has ended"
        )
    for group in groups:
        house.world.people.groups.remove(group)


def item_paths(tree: CurlewFS, name: str) -> Iterator[str]:
    """The paths of all items of an account, jobs first: they give back their spaces."""
    for family in ("code", "vis"):
        for folder in sorted(tree.listdir(f"/v1/users/{name}/{family}")):
            top = f"/v1/users/{name}/{family}/{folder}"
            yield from (f"{top}/{one}" for one in tree.listdir(top))


def _require_alone(house: House, groups: list[Group]) -> None:
    for ref, owner in ((group.ref, group.owner) for group in groups):
        others = [one.name for one in house.world.people.members.roster(ref) if one.name != owner]
        if others:
            raise Conflict(
                f"{ref} has other members, such as {others[0]}: have them moved "
                "to another group first, or say --with-groups"
            )


def _tell(house: House, name: str, groups: list[Group]) -> None:
    counts: Mapping[str, int] = {
        kind: sum(1 for _ in house.world.items.visible(kind, name, name))
        for kind in house.world.service.kinds
    }
    said = [f"{count} {kind}" for kind, count in counts.items() if count]
    said += [group.ref for group in groups]
    click.echo(f"{name} would lose: {', '.join(said) or 'nothing but its name'}. Say --yes to do it.")
