"""`curlew backup` and `curlew restore`: save an installation to one file, and restore it, with progress."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

import click

from chains.files.fsync import settle
from chains.files.keeper import keeper_of
from chains.files.removal import RemovalHold
from chains.files.run_folders import Folders
from handlers.commands.inventory import items_of, queue_rebuilds
from handlers.commands.options import FAILED, become, drop_groups, may_make_data, require
from handlers.commands.serving import run_together
from handlers.processes.world import open_world
from handlers.rules.kinds import counts_of
from handlers.settings.quantities import rounded_size
from handlers.settings.settings import Settings
from handlers.settings.sources import PREFIX, load
from handlers.trees import KINDS
from handlers.words.terminal_signs import safe_text
from storage.backup.backup import LAST_BACKUP, BackupSources, write_backup
from storage.backup.backup_scan import ScannedBackup, scan_backup
from storage.backup.restore import RestoreTarget, restore_backup
from storage.bytes.blobs import FileBlobs
from storage.git.repositories import GitRepositories
from storage.upkeep.clocks import WallClock
from vfs.errors import storage_error
from vfs.ports.clock import stamp
from vfs.ports.quotas import QuotaName

TERMINAL_SECONDS = 0.2
PLAIN_SECONDS = 10.0
WIPE = "\r\x1b[K"


class ShownProgress:
    """Shows the current action and its count on standard error."""

    def __init__(self) -> None:
        self._at_terminal = sys.stderr.isatty()
        self._pause = TERMINAL_SECONDS if self._at_terminal else PLAIN_SECONDS
        self._last = ("", 0)
        self._said = time.monotonic()

    def tell(self, what: str, done: int) -> None:
        """Record a completed item; it is printed at intervals."""
        if what != self._last[0]:
            self.end()
        self._last = what, done
        if time.monotonic() - self._said >= self._pause:
            self._say(end=not self._at_terminal)

    def end(self) -> None:
        """Print the total of the last action."""
        if self._last[0]:
            self._say(end=True)
            self._last = "", 0

    def _say(self, *, end: bool) -> None:
        what, done = self._last
        click.echo(f"{WIPE if self._at_terminal else ''}{done:,} {what}", err=True, nl=end)
        self._said = time.monotonic()


@contextmanager
def progress() -> Iterator[ShownProgress]:
    """Yield the progress of a command; SIGTERM ends it like Ctrl-C, and its changes are undone."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    shown = ShownProgress()
    try:
        yield shown
        shown.end()
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


MOST_SHOWN = 50
REHEARSED = "127.0.0.1:8001"


@click.command()
@may_make_data
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--verify", is_flag=True, help="Write nothing: read FILE and verify its content.")
@click.option("--without-keys", is_flag=True, help="Leave the key file out; store it elsewhere.")
def backup(settings: Settings, file: Path, verify: bool, without_keys: bool) -> None:
    """Write all data of a running server to FILE, a tar archive, or verify such a file.

    FILE appears when it is complete, and replaces a file of that name. Run the command as root if the runner
    runs as root, else as the account of the data folder.
    """
    if verify:
        verify_backup(file)
        return
    require(settings)
    drop_groups()
    with progress() as shown, whole_file(file) as target:
        now = stamp(WallClock().now())
        written = write_backup(target, sources_of(settings, without_keys), file.parent, now, shown.tell)
    click.echo(f"{file}: {written.members:,} files, {rounded_size(written.size)}")
    if written.lost:
        _list([f"{name}: {why}" for name, why in written.lost])
        say = "the backup is written, but the server itself has lost what is named above"
        click.echo(f"curlew: {say}", err=True)
        sys.exit(FAILED)
    with keeper_of(settings.folder).acting():
        (settings.folder / LAST_BACKUP).touch()


def verify_backup(file: Path) -> None:
    """Print the faults of a backup, by name."""
    with progress() as shown, _open(file) as source:
        found = scan_backup(source, shown.tell, repo_kinds())
    _list([f"{name}: lost before the backup: {why}" for name, why in found.lost])
    _list(found.wrong)
    if found.wrong:
        click.echo(f"curlew: {file} is damaged", err=True)
        sys.exit(FAILED)
    click.echo(f"{file}: {_summary_of(found)}: whole")


@click.command()
@may_make_data
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--rebuild", is_flag=True, help="Queue builds of all images at once.")
@click.option("--rehearse", is_flag=True, help="Restore next to a live server, and serve the result.")
@click.option("--bind", metavar="HOST:PORT", help="Address of a rehearsal (default 127.0.0.1:8001).")
def restore(settings: Settings, file: Path, rebuild: bool, rehearse: bool, bind: str | None) -> None:
    """Fill an empty data folder (`--data`) and an empty database from FILE, which `curlew backup` wrote.

    The database may be of another kind than that of the backup. FILE is read completely before anything is
    changed. A backup has no images; the missing ones are listed.

    With `--rehearse`, only the data folder is taken from the settings: the key, the database and the files
    of a live server do not change. Web and render then run until Ctrl-C; no job runs, and no mail is sent.
    """
    if rehearse:
        settings = _alone(settings, bind or REHEARSED)
    drop_groups()
    with progress() as shown, _open(file) as source:
        found = restore_backup(source, target_of(settings), shown.tell)
    click.echo(f"{settings.folder}: {_summary_of(found)}")
    _list([f"{name}: lost before the backup: {why}" for name, why in found.lost])
    become(settings.folder)
    if settings.key.exists():
        _see_to_images(settings, rebuild=rebuild)
        if rehearse:
            run_together(settings, ("web", "render"))
    else:
        click.echo(f"the backup has no keys: put the key file at {settings.key} before you start", err=True)


def _alone(settings: Settings, bind: str) -> Settings:
    """Return default settings for a data folder, and remove the variables that child processes would use."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    return load({}, config=os.devnull, data=str(settings.folder), bind=bind)


def _see_to_images(settings: Settings, *, rebuild: bool) -> None:
    """Queue builds of all missing images, or print their names."""
    with open_world(settings) as world:
        repos = list(items_of(world, "repo", None))
        if rebuild:
            _list([line for repo in repos for line in queue_rebuilds(world, repo, every=True)])
            return
        named = [
            f"@{repo.owner}/{repo.name}:{label}"
            for repo in repos
            for label in world.code.builds.images(repo.id)
        ]
    if named:
        _list([f"not in the backup: the image {name}" for name in named])
        click.echo("copy them, or build them: curlew repo rebuild --all --every", err=True)


def sources_of(settings: Settings, without_keys: bool) -> BackupSources:
    """Return the sources of a backup."""
    key = settings.key
    with keeper_of(key).acting():
        has_key = key.exists()
    return BackupSources(
        settings.database,
        FileBlobs(settings.blobs, WallClock()),
        GitRepositories(settings.repos, hold=RemovalHold(settings.shared)),
        Folders(settings.folder / "runs", own=settings.runner_home / "runs"),
        RemovalHold(settings.shared),
        key if has_key and not without_keys else None,
        repo_kinds(),
    )


def target_of(settings: Settings) -> RestoreTarget:
    """Return the targets of a restore."""
    return RestoreTarget(
        settings.folder,
        settings.database,
        settings.blobs_url or None,
        settings.key,
        settings.runner_home / "runs",
        settings.repos,
        repo_kinds(),
    )


def repo_kinds() -> frozenset[str]:
    """Return the kinds of items that have a repository."""
    return frozenset(kind for kind, counted in counts_of(KINDS).items() if QuotaName.REPOS in counted)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that gets its name at the end of the block, and is removed if the block fails."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
            settle(draft)
            os.rename(draft, path)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()
        settle(path.absolute().parent)
    except OSError as error:
        raise storage_error(error, f"the backup {path}") from error


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise storage_error(error, f"what is in {path}") from error


def _summary_of(found: ScannedBackup) -> str:
    head = found.head
    made = f"made by Curlew {head.curlew} on {head.made_on}, " if head is not None else ""
    return safe_text(f"{made}{found.members:,} files, {rounded_size(found.size)}")


def _list(lines: Sequence[str]) -> None:
    for line in lines[:MOST_SHOWN]:
        click.echo(safe_text(line), err=True)
    if len(lines) > MOST_SHOWN:
        click.echo(f"and {len(lines) - MOST_SHOWN:,} more", err=True)
