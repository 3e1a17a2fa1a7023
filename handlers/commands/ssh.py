"""`curlew ssh-key` and `ssh-serve`: the commands that the host's OpenSSH runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import click

from handlers.commands.options import FAILED, become, needs_data, require
from handlers.rules.plain_lines import one_line
from handlers.settings.settings import Settings, SettingsError
from handlers.settings.sources import load
from handlers.words.terminal_signs import safe_text
from vfs.errors import VfsError


@click.group()
def ssh() -> None:
    """Commands that OpenSSH runs, in a separate group, so that other commands are not loaded for each key."""


@ssh.command("ssh-key")
@click.argument("key", nargs=-1, required=True, metavar="FINGERPRINT|KEY")
@needs_data
def ssh_key(settings: Settings, key: tuple[str, ...]) -> None:
    """Print the line of authorized_keys for a key that may use git here, and nothing for any other.

    OpenSSH runs it (AuthorizedKeysCommand).
    """
    from handlers.processes.ssh_keys import authorized_line

    if line := authorized_line(settings, key):
        click.echo(line)


@ssh.command("ssh-serve")
@click.option("--data", metavar="DIR", help="The server's data folder.")
@click.option("--config", metavar="FILE", help="The settings.")
@click.argument("fingerprint")
def ssh_serve(data: str | None, config: str | None, fingerprint: str) -> None:
    """Serve git to the holder of a key: clone, fetch or push, as SSH_ORIGINAL_COMMAND asks.

    OpenSSH runs it, by the line that `curlew ssh-key` prints.
    """
    from handlers.processes.ssh import serve_git

    tell = tell_client_alone()
    try:
        settings = load(os.environ, data=data, config=config)
        require(settings)
        become(settings.folder)
        code = serve_git(settings, fingerprint, os.environ, tell)
    except SettingsError as error:
        click.echo(f"curlew: {error}", err=True)
        tell("this server is not set up; tell its operator")
        code = FAILED
    except VfsError as error:
        tell(error.detail)
        code = FAILED
    sys.exit(code)


def tell_client_alone() -> Callable[[str], object]:
    """Reserve standard error for sentences to the client; the program logs to the host's log."""
    client = os.dup(2)
    if logger := shutil.which("logger"):
        journal = subprocess.Popen(
            [logger, "-t", "curlew-ssh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert journal.stdin is not None
        os.dup2(journal.stdin.fileno(), 2)
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

    def tell(sentence: str) -> None:
        os.write(client, f"curlew: {safe_text(one_line(sentence))}\n".encode())

    return tell


if __name__ == "__main__":
    ssh()
