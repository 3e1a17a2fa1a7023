"""A listing never lies: each entry's letters and actions are what OPTIONS tells there, for every caller."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.service import Application
from tests.wire.letters import Town

TEXT, DATA = "text/plain", "application/json"
PLACES = {
    "/v1/users/alice/code/jobs/birds": "job",
    "/v1/users/alice/code/repos/silent": "repo",
    "/v1/users/alice/code/spaces/birds": "space",
    "/v1/users/alice/vis/docs/birds": "doc",
    "/v1/users/alice/vis/mails/birds": "mail",
    "/v1/users/alice/vis/plots/birds": "plot",
}
SHOWN = ("name", "uri", "type", "permissions", "actions")


class Walk(Town):
    """Looks at everything that a caller is shown below a path."""

    def entries(self, who: str, path: str) -> Iterator[dict[str, Any]]:
        """The rows of a folder and of all folders in it."""
        answer = self.ask(who, "GET", path)
        if answer.status == 200 and answer.headers["x-nvm-type"] == "dir":
            for entry in json.loads(answer.body):
                yield entry
                if entry["type"] == "dir":
                    yield from self.entries(who, entry["uri"])

    def lies(self, who: str, path: str) -> Iterator[str]:
        """The rows that OPTIONS does not confirm."""
        for entry in self.entries(who, path):
            answer = self.ask(who, "OPTIONS", entry["uri"])
            if not entry["actions"]:
                if answer.status not in (401, 403, 404):
                    yield f"{entry['uri']} as {who}: nothing is listed, and OPTIONS answers {answer.status}"
                continue
            told = json.loads(answer.body)
            if [told.get(name) for name in SHOWN] != [entry[name] for name in SHOWN]:
                yield f"{entry['uri']} as {who}: {entry}, and OPTIONS tells {told}"


@pytest.mark.parametrize("who", ["owner", "r", "x", "w", "d", "public-r", "anyone-r"])
def test_a_listing_tells_what_may_be_done(service: Application, who: str) -> None:
    walk = Walk(service)
    service.arrange("image", ["alice/silent", "ECHO=nothing"], [])
    for path, kind in PLACES.items():
        walk.ask("owner", "PUT", path)
        name = f"alice/{path.rpartition('/')[2]}"
        walk.share(kind, name)
        if who.endswith("-r"):
            service.arrange("share", [kind, name, "public", "r"], [])
    walk.ask("owner", "POST", "/v1/code/jobs/birds/config/chains", TEXT, b"silent")
    walk.ask("owner", "POST", "/v1/code/jobs/birds/data", DATA, b"{}")
    walk.ask("owner", "POST", "/v1/code/jobs/birds/config/env/KEY", TEXT, b"word")
    walk.ask("owner", "PUT", "/v1/code/spaces/birds/content/a/b.txt", TEXT, b"text")
    for name in ("fav", "=wader"):
        walk.ask("owner", "PUT", f"/v1/vis/docs/birds/tags/{name}")
    for path in PLACES:
        assert list(walk.lies(who, path)) == []
        assert any(walk.entries(who, path))
