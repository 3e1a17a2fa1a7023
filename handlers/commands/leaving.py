"""`curlew export` and `curlew user remove`: all data of an account, and its removal."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import click

from handlers.commands.backups import ShownProgress, progress
from handlers.commands.files import Side, copy_folder
from handlers.commands.inventory import items_of
from handlers.commands.operators import find_user, note_command
from handlers.commands.options import drop_groups, may_make_data, needs_data, require
from handlers.commands.people import user
from handlers.filesystem.tree_fs import CurlewFS, local_files, vfs_errors
from handlers.processes.world import LiveWorld, build
from handlers.rules.kinds import ResourceKind
from handlers.security.events import ACCOUNT_REMOVED
from handlers.services.trash import end_all
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from handlers.words.terminal_signs import safe_text
from storage.git.copies import bundle
from storage.people.departures import StoredDepartures
from vfs.access import Caller, Via
from vfs.errors import Conflict, NotFound, Unsupported, VfsError, storage_error
from vfs.ports.groups import Group
from vfs.tree import Tree

OF_ACCOUNT = "/v1/admin"
WORDS = "comments.jsonl"


@click.command("export")
@may_make_data
@click.argument("name", metavar="USER")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export_user(settings: Settings, name: str, folder: Path) -> None:
    """Write all data of USER as files to a new FOLDER, which is complete or does not exist.

    `users/USER` and `admin` have all files that USER can read there, `repos` has a bundle of each repository
    for `git clone`, and `comments.jsonl` has the comments of USER, also on items of others. A locked account
    can be exported, too.
    """
    require(settings)
    drop_groups()
    if folder.exists():
        raise Conflict(f"{folder} exists already: name a new folder")
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        with progress() as shown:
            draft.mkdir(mode=0o700, parents=True)
            refused = _write(settings, name.removeprefix("@"), draft, shown)
            draft.rename(folder)
    except OSError as error:
        raise storage_error(error, f"the export to {folder}") from error
    finally:
        with suppress(FileNotFoundError):
            shutil.rmtree(draft)
    for sentence in refused:
        click.echo(safe_text(f"left out: {sentence}"), err=True)
    click.echo(f"{folder}: all that {name} has")


def _write(settings: Settings, name: str, folder: Path, shown: ShownProgress) -> list[str]:
    """Write an export; return sentences about files that could not be read."""
    with closing(build(settings)) as live_world, live_world.database.session():
        find_user(live_world.world, name)
        tree = CurlewFS(Tree(ROOT, ADVICE), live_world.world, Caller(name, Via.TOKEN))
        refused: list[str] = []
        for part in (f"/v1/users/{name}", OF_ACCOUNT):
            refused += _copy(tree, part, folder / part.removeprefix("/v1/"), shown)
        _write_repositories(live_world, name, folder / "repos", shown)
        _write_comments(live_world, name, folder / WORDS)
        return refused


def _copy(tree: CurlewFS, source: str, target: Path, shown: ShownProgress) -> Iterator[str]:
    """Copy a folder of the tree; yield sentences about refused files, except those that cannot be read."""
    tell = partial(shown.tell, f"files of {source}")
    for path, error in copy_folder(Side(tree, source), Side(local_files(), str(target)), tell):
        Path(str(target) + path.removeprefix(source)).unlink(missing_ok=True)
        if not isinstance(error, Unsupported):
            yield f"{path}: {error.detail}"


def _write_repositories(live_world: LiveWorld, name: str, folder: Path, shown: ShownProgress) -> None:
    folder.mkdir(mode=0o700)
    for number, repo in enumerate(items_of(live_world.world, "repo", name), 1):
        with (folder / f"{repo.name}.bundle").open("wb") as file:
            size = bundle(live_world.repositories.git, live_world.repositories.path(repo.id), file)
        if size == 0:
            (folder / f"{repo.name}.bundle").unlink()
        shown.tell("repositories", number)


def _write_comments(live_world: LiveWorld, name: str, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in StoredDepartures(live_world.database).comments(name):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


@user.command("remove")
@needs_data
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do it; otherwise only list what would be removed.")
@click.option("--with-groups", is_flag=True, help="Also remove groups that have other members.")
def remove_user(settings: Settings, name: str, yes: bool, with_groups: bool) -> None:
    """Remove an account with all its data; its name cannot be used again.

    This removes its items with their runs, repositories and shares, and the groups and the organisation that
    it founded. Its comments on items of others become blank. Use `curlew export` before to save the data.
    """
    with closing(build(settings)) as live_world, live_world.database.session(), progress() as shown:
        account = find_user(live_world.world, name)
        groups = founded_groups(live_world, account.name)
        if not with_groups:
            _require_alone(live_world, groups)
        if not yes:
            _tell(live_world, account.name, groups)
            return
        live_world.world.people.users.change(account.name, locked=True)
        remove_all(live_world, account.name, groups, shown)
        StoredDepartures(live_world.database).forget(account.name, live_world.world.clock)
        note_command(live_world.world, ACCOUNT_REMOVED, account.name)
    click.echo(f"removed {account.name}", err=True)


def founded_groups(live_world: LiveWorld, name: str) -> list[Group]:
    """Return the groups and the organisation that an account founded, without the organisation's groups."""
    refs = StoredDepartures(live_world.database).list_founded(name)
    found = (live_world.world.people.groups.find(ref, name) for ref in refs)
    return [one.group for one in found if one is not None]


def remove_all(live_world: LiveWorld, name: str, groups: list[Group], shown: ShownProgress) -> None:
    """Remove the items of an account, jobs first, and its groups.

    Raises Conflict if something remains, such as the space of a run that has not ended.
    """
    tree = CurlewFS(Tree(ROOT, ADVICE), live_world.world, Caller(name, Via.TOKEN))
    left = ""
    with vfs_errors():
        for number, path in enumerate(item_paths(tree, name, live_world.world.service.kinds.values()), 1):
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
            f"{name} is locked, and some of its data is left. {left} Repeat the command when that has ended"
        )
    end_all(live_world.world, name)
    for group in groups:
        live_world.world.people.groups.remove(group)


def item_paths(tree: CurlewFS, name: str, kinds: Iterable[ResourceKind]) -> Iterator[str]:
    """Yield the paths of all items of an account, jobs first, as these release their spaces."""
    for family, folder in sorted((kind.family, kind.folder) for kind in kinds):
        top = f"/v1/users/{name}/{family}/{folder}"
        yield from (f"{top}/{one}" for one in tree.listdir(top))


def _require_alone(live_world: LiveWorld, groups: list[Group]) -> None:
    for ref, owner in ((group.ref, group.owner) for group in groups):
        others = [one.name for one in live_world.world.people.members.roster(ref) if one.name != owner]
        if others:
            raise Conflict(
                f"{ref} has other members, such as {others[0]}: move them "
                "to another group first, or use --with-groups"
            )


def _tell(live_world: LiveWorld, name: str, groups: list[Group]) -> None:
    counts: Mapping[str, int] = {
        kind: sum(1 for _ in live_world.world.items.visible(kind, name, name))
        for kind in live_world.world.service.kinds
    }
    said = [f"{count} {kind}" for kind, count in counts.items() if count]
    said += [group.ref for group in groups]
    click.echo(f"{name} would lose: {', '.join(said) or 'nothing but its name'}. Use --yes to do it.")
