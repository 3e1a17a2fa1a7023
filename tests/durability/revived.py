"""The service over what a power cut has left, in this process, and what it owes there."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handlers.processes.web import application
from handlers.processes.world import build
from handlers.settings.sources import load
from tests.durability.day import Known, differences
from tests.durability.faulty_server import USER
from tests.durability.test_kills import check_storage
from tests.durability.writer import Writer
from tests.kit.client import Answer, call
from tests.kit.gunicorn import CHEAP, Client, Service


class Inside(Client):
    """Requests of one caller to an application without a socket."""

    def __init__(self, app: Any, token: str | None) -> None:
        self._app, self._token = app, token

    def call(
        self, method: str, path: str, body: bytes | None = None, media: str | None = None, query: str = "",
        **more: str,
    ) -> Answer:  # fmt: skip
        """One request."""
        headers = {
            "Accept": "*/*",
            "Authorization": f"Bearer {self._token}",
            "Content-Type": media or "",
            **more,
        }
        return call(self._app, method, f"{path}?{query}" if query else path, [*headers.items()], body or b"")

    def close(self) -> None:
        """Nothing is open."""


class Revived(Service):
    """The application of a data folder in place of its web server."""

    def __init__(self, app: Any) -> None:
        self._app = app

    def client(self, token: str | None) -> Client:
        """A caller with a token."""
        return Inside(self._app, token)


@contextmanager
def revived(folder: Path) -> Iterator[Revived]:
    """The service over a folder."""
    settings = load({**CHEAP, "CURLEW_DISK_RESERVE": "1M"}, data=str(folder))
    live_world = build(settings)
    try:
        yield Revived(application(settings, live_world))
    finally:
        live_world.close()


def owed(folder: Path, tokens: dict[str, str], before: Known, after: Known) -> list[str]:
    """What is wrong with the service over a folder after a cut between two operations."""
    wrong = []
    with revived(folder) as service:
        writer = Writer(service, USER, tokens, random.Random(0))
        client = service.client(tokens[USER])
        wrong += differences(writer, client, before, after)
        for path, body in (("/v1/vis/docs/next", None), ("/v1/vis/docs/next/content", b"next")):
            answer = client.call("POST" if body else "PUT", path, body, "text/plain")
            if answer.status >= 300:
                wrong.append(f"{path}: {answer}")
    check_storage(folder, f"sqlite:///{folder}/curlew.db")
    for bare in sorted((folder / "repos").glob("*.git")):
        done = subprocess.run(
            ["git", "--git-dir", str(bare), "fsck", "--no-dangling"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            wrong.append(f"fsck of {bare.name}: {done.stderr.strip()}")
    return wrong
