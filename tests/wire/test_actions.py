"""Listings are right: each entry's letters and actions are what OPTIONS tells there, for every caller."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.kit.git import Work
from tests.kit.service import Application
from tests.wire.letters import TreeWorld

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


class Walk(TreeWorld):
    """Looks at everything that a caller is shown below a path."""

    def entries(self, who: str, path: str) -> Iterator[dict[str, Any]]:
        """The rows of a folder and of all folders in it."""
        answer = self.ask(who, "GET", path)
        if answer.status == 200 and answer.headers["x-nvm-type"] == "dir":
            for entry in json.loads(answer.body):
                yield entry
                if entry["type"] == "dir":
                    yield from self.entries(who, entry["uri"])

    def mismatches(self, who: str, path: str) -> Iterator[str]:
        """The rows that OPTIONS does not confirm."""
        for entry in self.entries(who, path):
            answer = self.ask(who, "OPTIONS", entry["uri"])
            if not entry["actions"]:
                if answer.status not in (401, 403, 404):
                    yield f"{entry['uri']} as {who}: nothing is listed, and OPTIONS answers {answer.status}"
                continue
            shown = json.loads(answer.body)
            if [shown.get(name) for name in SHOWN] != [entry[name] for name in SHOWN]:
                yield f"{entry['uri']} as {who}: {entry}, and OPTIONS tells {shown}"

    def broken(self, who: str, path: str) -> Iterator[str]:
        """The rows below a path whose GET is offered and fails, or works and is not offered."""
        for entry in self.entries(who, path):
            read = self.ask(who, "GET", entry["uri"]).status
            if ("GET" in entry["actions"]) is not (read in (200, 204)):
                yield f"{entry['uri']} as {who}: {entry['actions']}, and GET answers {read}"


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
        assert list(walk.mismatches(who, path)) == []
        assert any(walk.entries(who, path))


REPO = "/v1/code/repos/tree"
NAMES = st.binary(min_size=1, max_size=40).filter(
    lambda name: not set(name) & {0, 0x2F} and name.lower() not in (b".", b"..", b".git", b"link", b"module")
)
SIGNS = ("\\", "\n", "\x7f", "\x85\u2028", "50%", "%41?#;+ ", "~", "-q")
ODD = [b"caf\xe9", b"caf\xe8", *(f"a{sign}b".encode() for sign in SIGNS)]


@given(st.lists(NAMES, max_size=5, unique_by=bytes.lower))
@example(ODD)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_files_of_a_commit_are_offered_as_they_are(
    service: Application, tmp_path_factory: pytest.TempPathFactory, names: list[bytes]
) -> None:
    walk = Walk(service)
    walk.ask("owner", "PUT", REPO)
    item = service.item("repo", "alice/tree").id
    repositories: Any = service.world.code.repositories
    work = Work(tmp_path_factory.mktemp("tree") / "work", repositories.path(item))
    for number, name in enumerate(names):
        path = os.path.join(os.fsencode(work.folder), name)
        os.symlink(name, path) if number % 3 == 1 else None
        if number % 3 == 2:
            os.mkdir(path)
            path = os.path.join(path, b"inner")
        if number % 3 != 1:
            Path(os.fsdecode(path)).write_text("text")
    (work.folder / "link").symlink_to("nowhere/at all")
    inner = work.commit({"main.py": "1"})
    work.git("update-index", "--add", "--cacheinfo", f"160000,{inner},module")
    work.git("commit", "-q", "-m", "all of it")
    sha = work.git("rev-parse", "HEAD")
    work.push("+main:main")
    files = f"{REPO}/commits/{sha}/files"
    assert list(walk.mismatches("owner", files)) == []
    assert list(walk.broken("owner", files)) == []
    rows = {row["name"]: row for row in walk.entries("owner", files)}
    for name, leads in (("link", b"nowhere/at all"), ("module", inner.encode())):
        assert (rows[name]["type"], rows[name]["actions"]) == ("link", ["OPTIONS", "GET"])
        assert walk.ask("owner", "GET", rows[name]["uri"]).body == leads
    offered = {os.fsencode(name) for name in rows} & set(names)
    assert offered == {name for name in names if _is_listed(name)}


def _is_listed(name: bytes) -> bool:
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return False
    return not any(sign < " " or sign in "\\\x7f" for sign in text)


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize("pictured", [False, True])
def test_pictures_are_offered_where_there_are_some(service: Application, pictured: bool) -> None:
    walk = Walk(service)
    service.user("acme", "organisation", "public")
    service.arrange("group", ["+acme", "+acme~sales"], [])
    service.arrange("member", ["+acme~sales", "alice", "members"], [])
    service.world.people.groups.change("+acme", public=True)
    for user, place in (("alice", "/v1/admin/profile"), ("acme", "/v1/admin/orgs/acme/profile")):
        for which in ("image", "banner") if pictured else ():
            path = f"{place}/picture/{which}"
            headers = [("Authorization", f"Bearer {service.user(user)}"), ("Content-Type", "image/png")]
            assert service.call("POST", path, headers, PNG).status in (200, 201)
    for who in ("owner", "stranger", "anyone"):
        for path in ("/v1/u/alice", "/v1/o/acme", "/v1/o/+acme~sales"):
            assert list(walk.mismatches(who, path)) == []
            assert list(walk.broken(who, path)) == []
            for name in ("img", "banner"):
                seen = pictured and not path.endswith("sales")
                statuses = [walk.ask(who, method, f"{path}/{name}").status for method in ("GET", "OPTIONS")]
                assert set(statuses) <= ({200} if seen else {401, 404}), (who, path, statuses)
    listed = {row["name"]: row["actions"] for row in walk.entries("stranger", "/v1/u/alice")}
    assert listed["img"] == listed["banner"] == (["OPTIONS", "GET"] if pictured else [])
