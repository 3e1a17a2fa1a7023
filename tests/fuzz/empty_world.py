"""A whole service for the fuzzer: a user who has something of every kind, and a runner at work."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from handlers.processes.web import tree_and_pages
from handlers.settings.sources import load
from handlers.trees import KINDS, ROOT
from tests.kit.client import Answer, call
from tests.kit.service import Application, open_service

QUICK = {
    "password_memory": "8",
    "password_time": "1",
    "synchronous": "normal",
    "stop_grace": "0.3",
    "registrations": "1000",
}
NAME = "heron"
ITEMS = {kind.folder: f"/v1/{kind.family}/{kind.folder}/{NAME}" for kind in KINDS.values()}
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
PLAIN, AS_PNG, AS_JSON = "text/plain", "image/png", "application/json"


class EmptyWorld:
    """The service, who knocks at it, and the names that are there."""

    def __init__(self, service: Application) -> None:
        self.app = service.application
        self.service = service
        self.token = service.user("fuzz", "public")
        self.other = service.user("other", "public")
        self._push()
        self.known: dict[str, list[str]] = {}

    def ask(self, method: str, path: str, body: bytes = b"", media: str | None = None) -> Answer:
        """The answer to one request of the user."""
        sent = [("Content-Type", media)] if media is not None else []
        return self.ask_with(method, path, *sent, body=body)

    def ask_with(self, method: str, path: str, *headers: tuple[str, str], body: bytes = b"") -> Answer:
        """The answer to one request of the user with these headers; the last one of a name counts."""
        return call(self.app, method, path, [("Authorization", f"Bearer {self.token}"), *headers], body)

    def _push(self) -> None:
        self.service.arrange("image", [f"fuzz/{NAME}", "COPY=copied"], ())

    def populate(self) -> None:
        """Bring everything back that a request may have removed."""
        jobs = ITEMS["jobs"]
        for path in ITEMS.values():
            self.ask("PUT", path)
            self.ask("PUT", f"{path}/shared/@other~r")
            self.ask("PUT", f"{path}/tags/fav")
        for kind in ("docs", "mails", "plots"):
            self.ask("POST", f"{ITEMS[kind]}/assets/logo.png", PNG, AS_PNG)
        self.ask("POST", "/v1/admin/profile/picture/image", PNG, AS_PNG)
        self.ask("POST", f"{jobs}/config/env/KEY", b"secret", PLAIN)
        self.ask("PUT", f"{ITEMS['spaces']}/content/folder/")
        self.ask("PUT", f"{ITEMS['spaces']}/content/folder/note.txt", b"a note", PLAIN)
        self.ask("PUT", "/v1/code/jobs/held")
        self.ask("POST", "/v1/code/jobs/held/config/chains", b"a <- heron\nb <- heron\na -> b!", PLAIN)
        self.ask("POST", f"{jobs}/config/chains", b"heron", PLAIN)
        if self.ask("POST", f"{jobs}/data", b"{}", AS_JSON).status == 422:
            self._push()
        self.known = self._names()

    def _names(self) -> dict[str, list[str]]:
        """Names that are there, by the parameter that takes them; the last ones never are."""
        post = {"token_name": "spare", "username": "fuzz", "password": self.service.password("fuzz")}
        self.service.call("POST", "/v1/token", [("Content-Type", AS_JSON)], _json(post))
        runs = [str(row["name"]) for row in _rows(self.ask("GET", f"{ITEMS['jobs']}/runs"))]
        commits = [str(row["name"]) for row in _rows(self.ask("GET", f"{ITEMS['repos']}/commits"))]
        short = [self.ask("GET", f"{path}/shortname").body.decode() for path in ITEMS.values()]
        own = {kind.removesuffix("s"): [NAME] for kind in ITEMS}
        return own | {
            "job": [NAME, NAME, "held"],
            "user": ["fuzz", "fuzz", "fuzz", "other", "nobody"],
            "run": runs or ["20260101-000000-00000000"],
            "sha": commits or ["0" * 40],
            "shortname": [one for one in short if one.isalnum()] or ["abcde"],
            "asset": ["logo.png", "new.png"],
            "target": ["@other~r", "@other", "@other~rw", "public", "public~r", "@nobody"],
            "tag": ["fav", "+own", "=category", "wip"],
            "token": ["spare"],
            "variable": ["KEY", "OTHER"],
            "since": ["0", "1", "99999999999999999999"],
            "limit": ["0", "1", "-1"],
            "recursive": ["true", "no"],
            "path": ["folder", "folder/note.txt", "new.txt", "folder/new/"],
        }


def filled(template: str, empty_world: EmptyWorld) -> str:
    """The path of a template, with names that are there."""
    return re.sub(r":([a-z_]+)", lambda found: empty_world.known.get(found[1], [NAME])[0], template)


def every_path(empty_world: EmptyWorld) -> list[str]:
    """Each path of the tree once."""
    return list(
        dict.fromkeys(filled(route.template, empty_world) for route in tree_and_pages(ROOT)[0].routes())
    )


@contextmanager
def open_world(folder: Any) -> Iterator[EmptyWorld]:
    """The service on a separate folder."""
    with open_service(load({}, data=str(folder), **QUICK)) as service:
        yield EmptyWorld(service)


def _rows(answer: Answer) -> list[Any]:
    return json.loads(answer.body) if answer.status == 200 else []


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
