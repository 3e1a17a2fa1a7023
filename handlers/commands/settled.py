"""What every command shares: the `--data` option, settings read or refused with a sentence, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from handlers.settings import Settings, SettingsError, load
from vfs.errors import VfsError

FAILED = 1
MISUSED = 2


def settled(command: Callable[..., Any]) -> Callable[..., Any]:
    """A command that takes `--data DIR` and is called with Settings first;
    refusals become one line on stderr and an exit code.
    """

    @click.option("--data", metavar="DIR", help="The server's data folder (default ./var, or CURLEW_DATA).")
    @wraps(command)
    def run(data: str | None, **options: Any) -> Any:
        bind = options.get("bind")
        try:
            settings = load(os.environ, data=data, bind=bind)
        except SettingsError as error:
            leave(str(error), MISUSED)
        try:
            return command(settings, **options)
        except VfsError as error:
            leave(error.detail, FAILED)

    return run


def leave(sentence: str, code: int) -> None:
    """End the program with a sentence on stderr."""
    click.echo(f"curlew: {sentence}", err=True)
    sys.exit(code)


__all__ = ["FAILED", "MISUSED", "Settings", "leave", "settled"]
