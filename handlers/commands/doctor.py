"""`curlew doctor`: looks at everything the service needs, and says what to do about what is missing."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict

import click

from chains.doctor import Check
from handlers.commands.settled import FAILED, settled
from handlers.settings import Settings
from vfs.errors import VfsError

PYTHON = (3, 11)
ROOM = 1 << 30


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of lines.")
@settled
def doctor(settings: Settings, as_json: bool) -> None:
    """Try Python, database, disk, git and Podman. Exit code 1 when something is wrong."""
    checks = []
    for check in _all(settings):
        checks.append(check)
        if not as_json:
            click.echo(_line(check))
    if as_json:
        rows = [asdict(check) for check in checks]
        click.echo(json.dumps(rows, indent=2))
    sys.exit(0 if all(check.ok for check in checks) else FAILED)


def _line(check: Check) -> str:
    word = "FAIL" if not check.ok else "WARN" if check.warning else "ok"
    said = f"{word:<4} {check.name:<11} {check.detail}"
    return f"{said}\n     {'':<11} do: {check.advice}" if word != "ok" else said


def _all(settings: Settings) -> Iterator[Check]:
    from handlers.running import host_of

    yield Check(
        "python", sys.version_info >= PYTHON, platform.python_version(), "install Python 3.11 or newer"
    )
    yield _database(settings)
    yield _disk(settings)
    yield _git()
    yield from host_of(settings).doctor()


def _database(settings: Settings) -> Check:
    from handlers.house import open_world

    advice = "correct CURLEW_DATABASE_URL, start the database, or make the data folder writable"
    try:
        with open_world(settings) as world:
            count = len(world.users.all())
    except (VfsError, OSError) as error:
        return Check("database", False, str(error), advice)
    kind = settings.database.split(":", 1)[0]
    return Check("database", True, f"{kind}, {count} users")


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(settings.folder).free
    return Check(
        "disk",
        free > ROOM,
        f"{free >> 30} GiB free below {settings.folder}",
        "make room, or choose another --data",
    )


def _git() -> Check:
    advice = "apt-get install git"
    try:
        said = subprocess.run(
            ["git", "--version"], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        return Check("git", False, str(error), advice)
    return Check("git", True, said)
