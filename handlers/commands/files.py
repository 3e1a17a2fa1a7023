"""`curlew fs`: list, read and copy files of the tree as a user sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from handlers.commands.operators import find_user
from handlers.commands.options import FAILED, leave, needs_data
from handlers.filesystem.tree_fs import CurlewFS, local_files, vfs_errors
from handlers.processes.world import open_world
from handlers.settings.settings import Settings
from handlers.trees import ADVICE, ROOT
from handlers.trees.facets.kept_actions import note_change
from handlers.words.tables import table
from handlers.words.terminal_signs import safe_text
from vfs.access import Caller, Via
from vfs.errors import Denied, Invalid, VfsError
from vfs.ports.blobs import chunks
from vfs.ports.clock import stamp
from vfs.tree import Tree

OURS = "/v1"

as_user = click.option("--as", "user", metavar="USER", required=True, help="The user whose view it is.")


@click.group("fs")
def files() -> None:
    """List, read and copy files as a user sees them.

    Paths that begin with /v1 are the server's, others are files of this machine.
    """


@files.command("ls")
@needs_data
@as_user
@click.option("-l", "long", is_flag=True, help="With permissions, sizes and dates.")
@click.argument("path", default=OURS)
def list_files(settings: Settings, user: str, long: bool, path: str) -> None:
    """List a folder, or a single file."""
    with files_of(user, settings) as tree:
        spaces = ["details", "access"] if long else None
        infos = list(tree.scandir(path, spaces)) if tree.isdir(path) else [tree.getinfo(path, spaces)]
    if long:
        click.echo(table(("letters", "size", "last_modified", "name"), map(_row, infos)), nl=False)
    else:
        click.echo("".join(f"{_name(info)}\n" for info in infos), nl=False)


@files.command("cat")
@needs_data
@as_user
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def show(settings: Settings, user: str, paths: tuple[str, ...]) -> None:
    """Write the content of files to stdout."""
    with files_of(user, settings) as tree:
        for path in paths:
            with tree.openbin(path) as file:
                sys.stdout.buffer.writelines(chunks(file))


@files.command("cp")
@needs_data
@as_user
@click.option("-r", "recursive", is_flag=True, help="Copy folders with their content.")
@click.argument("source")
@click.argument("target")
def copy(settings: Settings, user: str, recursive: bool, source: str, target: str) -> None:
    """Copy a file or a folder to, from or within the server; files that cannot be copied are listed."""
    with files_of(user, settings) as tree:
        one, other = side(tree, source), side(tree, target)
        if other.is_folder():
            other = Side(other.files, f"{other.path.rstrip('/')}/{one.path.rstrip('/').rpartition('/')[2]}")
        if not one.is_folder():
            copy_file(one, other)
            return
        if not recursive:
            raise Invalid(f"{source} is a folder: add -r to copy it with its content")
        if type(one.files) is type(other.files) and f"{other.path}/".startswith(f"{one.path.rstrip('/')}/"):
            raise Invalid(f"{source} cannot be copied into itself")
        refused = [f"{path}: {error.detail}" for path, error in copy_folder(one, other)]
    for sentence in refused:
        click.echo(safe_text(f"curlew: {sentence}"), err=True)
    if refused:
        leave(f"{len(refused)} files could not be copied", FAILED)


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a copy: a path in the tree, or in this machine's file system."""

    files: Any
    path: str

    def is_folder(self) -> bool:
        """Return whether it is an existing folder."""
        return bool(self.files.isdir(self.path))


def side(tree: CurlewFS, path: str) -> Side:
    """Return the end of a copy for a path: in the server's tree or on this machine."""
    ours = path == OURS or path.startswith(f"{OURS}/")
    return Side(tree, path) if ours else Side(local_files(), str(Path(path).absolute()))


def copy_file(one: Side, other: Side) -> None:
    """Copy one file; on the server's side it is complete or does not exist."""
    with one.files.openbin(one.path) as file:
        other.files.upload(other.path, file)


def copy_folder(
    one: Side, other: Side, tell: Callable[[int], object] = lambda number: None
) -> Iterator[tuple[str, VfsError]]:
    """Copy a folder; yield the path and the reason of each file that was refused, and `tell` the count."""
    other.files.makedirs(other.path, recreate=True)
    for number, (path, info) in enumerate(one.files.walk.info(one.path), 1):
        there = Side(other.files, other.path + path.removeprefix(one.path.rstrip("/")))
        try:
            with vfs_errors():
                if info.is_dir:
                    other.files.makedir(there.path, recreate=True)
                else:
                    copy_file(Side(one.files, path), there)
        except VfsError as error:
            yield path, error
        tell(number)


@contextmanager
def files_of(user: str, settings: Settings) -> Iterator[CurlewFS]:
    """Yield the tree as a user sees it. Raises NotFound (no such user), Denied (locked)."""
    with open_world(settings) as world:
        account = find_user(world, user)
        if account.locked:
            raise Denied(f"the user {user} is locked")
        tree = CurlewFS(Tree(ROOT, ADVICE, note_change), world, Caller(account.name, Via.TOKEN))
        with vfs_errors(), tree:
            yield tree


def _name(info: Any) -> str:
    return f"{info.name}/" if info.is_dir else info.name


def _row(info: Any) -> tuple[str, int, str, str]:
    letters = "".join(letter if info.permissions.check(f"u_{letter}") else "-" for letter in "rwx")
    return letters, info.size, stamp(info.modified), _name(info)
