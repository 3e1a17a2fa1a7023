"""Options of every command: `--data` and `--config` to Settings, errors to exit codes."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from chains.files.keeper import keeper_of
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import SourcedSettings, load_with_sources
from handlers.words.terminal_signs import safe_text
from storage.database.sqlite import file_of
from vfs.errors import Unavailable, VfsError

FAILED = 1
MISUSED = 2
EXIT_CODES = (
    "Exit codes: 0, done, or a service was stopped by a signal; 1, failed, with the reason on standard "
    "error; 2, the command line or a setting is wrong, and nothing was done."
)

LIBRARY = 'pip install "curlew[dask]" adds the library that steps on several hosts need'
Command = Callable[..., Any]


def needs_data(command: Command) -> Command:
    """Pass Settings to a command on an existing data folder, and run it as the folder's account."""

    def run_as_keeper(settings: Settings, **options: Any) -> Any:
        require(settings)
        become(settings.folder)
        return command(settings, **options)

    return may_make_data(wraps(command)(run_as_keeper))


def may_make_data(command: Command) -> Command:
    """Pass Settings to a command; an error is one line on stderr and an exit code."""

    def run(found: SourcedSettings, **options: Any) -> Any:
        return command(found.settings, **options)

    return needs_sources(wraps(command)(run))


def needs_sources(command: Command) -> Command:
    """Pass SourcedSettings to a command; an error is one line on stderr and an exit code."""

    @click.option("--data", metavar="DIR", help="The server's data folder (default ./var, or CURLEW_DATA).")
    @click.option("--config", metavar="FILE", help="The settings (default curlew.toml in the data folder).")
    @wraps(command)
    def run(data: str | None, config: str | None, **options: Any) -> Any:
        bind = options.get("bind")
        try:
            found = load_with_sources(os.environ, data=data, config=config, bind=bind)
            return command(found, **options)
        except SettingsError as error:
            leave(str(error), MISUSED)
        except VfsError as error:
            leave(error.detail, FAILED)

    return run


def require(settings: Settings) -> None:
    """Raise Unavailable unless the data folder and its database exist; create nothing."""
    folder, database = settings.folder, settings.database
    advice = "does --data name it? `curlew serve` and `curlew migrate` make one"
    try:
        if not folder.is_dir():
            raise Unavailable(f"there is no data folder at {folder}: {advice}")
        if database.startswith("sqlite:") and not Path(file_of(database)).exists():
            raise Unavailable(f"there is no database in the data folder {folder}: {advice}")
    except OSError as error:
        raise Unavailable(f"this account cannot read {folder}: {error.strerror}") from error


def become(folder: Path) -> None:
    """Switch to the account that keeps the data folder: root should not create files there."""
    keeper = keeper_of(folder)
    if keeper.uid is None:
        return
    try:
        os.initgroups(pwd.getpwuid(keeper.uid).pw_name, keeper.gid)
    except KeyError:
        os.setgroups([])
    os.setresgid(keeper.gid, keeper.gid, keeper.gid)
    os.setresuid(keeper.uid, keeper.uid, keeper.uid)


def drop_groups() -> None:
    """Drop root's groups, so that it acts as another account (chains.files.keeper) without them."""
    if os.geteuid() == 0:
        os.setgroups([])


def leave(sentence: str, code: int) -> None:
    """Exit the program with a sentence on stderr."""
    click.echo(safe_text(f"curlew: {sentence}"), err=True)
    sys.exit(code)
