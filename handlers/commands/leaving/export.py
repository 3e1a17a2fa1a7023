"""`curlew export`: all that an account has, as files that one can read."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click

from handlers.commands.backups.progress import ShownProgress, progress
from handlers.commands.files import Side, copy_file
from handlers.commands.inventory import items_of
from handlers.commands.listings import find_user
from handlers.commands.options import drop_groups, may_make_data, require
from handlers.filesystem.refusals import vfs_errors
from handlers.filesystem.tree_fs import CurlewFS, local_files
from handlers.processes.world import House, build
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from handlers.words.terminal_signs import safe_text
from storage.git.bundles import bundle
from storage.people.departures import StoredDepartures
from vfs.access import Caller, Via
from vfs.errors import Conflict, Unsupported, VfsError, storage_error
from vfs.tree import Tree

OF_ACCOUNT = "/v1/admin"
WORDS = "comments.jsonl"


@click.command("export")
@may_make_data
@click.argument("name", metavar="USER")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export_user(settings: Settings, name: str, folder: Path) -> None:
    """Write all that USER has into a new FOLDER, as files: it is there whole, or not at all.

    `users/USER` and `admin` have what the tree answers to USER, `repos` a bundle of each repository, for
    `git clone`, and `comments.jsonl` what USER said about things, also of others. A locked account has its
    export, too.
    """
    require(settings)
    drop_groups()
    if folder.exists():
        raise Conflict(f"{folder} is there already: name a folder that is not")
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
    """Write an export; sentences about what could not be read."""
    house = build(settings)
    try:
        with house.database.session():
            find_user(house.world, name)
            tree = CurlewFS(Tree(ROOT, ADVICE), house.world, Caller(name, Via.TOKEN))
            refused: list[str] = []
            for part in (f"/v1/users/{name}", OF_ACCOUNT):
                refused += _copy(tree, part, folder / part.removeprefix("/v1/"), shown)
            _write_repositories(house, name, folder / "repos", shown)
            _write_comments(house, name, folder / WORDS)
            return refused
    finally:
        house.close()


def _copy(tree: CurlewFS, source: str, target: Path, shown: ShownProgress) -> Iterator[str]:
    """Copy a folder of the tree; sentences about files that are refused, save those that nobody reads."""
    ours = local_files()
    ours.makedirs(str(target), recreate=True)
    for number, (path, info) in enumerate(tree.walk.info(source), 1):
        there = Side(ours, str(target) + path.removeprefix(source))
        try:
            with vfs_errors():
                if info.is_dir:
                    ours.makedir(there.path, recreate=True)
                else:
                    copy_file(Side(tree, path), there)
        except Unsupported:
            Path(there.path).unlink(missing_ok=True)
        except VfsError as error:
            Path(there.path).unlink(missing_ok=True)
            yield f"{path}: {error.detail}"
        shown.tell(f"files of {source}", number)


def _write_repositories(house: House, name: str, folder: Path, shown: ShownProgress) -> None:
    folder.mkdir(mode=0o700)
    for number, repo in enumerate(items_of(house.world, "repo", name), 1):
        with (folder / f"{repo.name}.bundle").open("wb") as file:
            size = bundle(house.repositories.git, house.repositories.path(repo.id), file)
        if size == 0:
            (folder / f"{repo.name}.bundle").unlink()
        shown.tell("repositories", number)


def _write_comments(house: House, name: str, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in StoredDepartures(house.database).comments(name):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
