"""Which images a Dockerfile may name that git pushes over HTTP: those that the one who pushes may use."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest

from handlers.identity.credentials import digest, fresh
from tests.kit.git import Work
from tests.kit.service import Application
from vfs.access import Via

TARGETS = {
    "main": "FROM {}\n",
    "ARG": "ARG BASE={}\nFROM ${{BASE}}\n",
    "COPY": "FROM scratch\nCOPY --from={} / /\n",
    "RUN": "FROM scratch\nRUN --mount=type=bind,from={},target=/w true\n",
    "stages": "FROM scratch AS one\nFROM {} AS two\nFROM one\nCOPY --from=two / /\n",
}


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Pushing:
    """The people of a service with git, and the answers to them."""

    def __init__(self, service: Application, folder: Path, port: int) -> None:
        self.service = service
        self.port = port
        self.work = Work(folder / "work")
        for name in ("alice", "bob", "carol"):
            service.user(name)
        service.arrange("image", ["bob/words", "ECHO=from bob"], [])
        service.arrange("image", ["bob/secret", "ECHO=a secret"], [])
        self.make("bob", "unbuilt")
        self.make("alice", "upper")

    def make(self, owner: str, repo: str) -> None:
        head = [("Authorization", f"Bearer {self.service.user(owner)}")]
        assert self.service.call("PUT", f"/v1/code/repos/{repo}", head, b"").status == 201

    def share(self, repo: str, target: str, letters: str) -> None:
        self.service.arrange("share", ["repo", repo, target, letters], [])

    def revoke(self, repo: str, target: str) -> None:
        self.service.world.grants.take(self.service.item("repo", repo).id, target)

    def push(self, dockerfile: str, who: str = "alice", token: str = "") -> list[str]:
        """What git shows of the build of a Dockerfile."""
        return self.push_all({"main": dockerfile}, who, token)["latest"]

    def push_all(
        self, recipes: Mapping[str, str], who: str = "alice", token: str = ""
    ) -> dict[str, list[str]]:
        """What git shows of the builds of several branches, by their labels."""
        for branch, dockerfile in recipes.items():
            self.work.git("checkout", "-q", "-B", branch)
            self.work.commit({"Dockerfile": dockerfile})
        address = f"http://{who}:{token or self.service.user(who)}@127.0.0.1:{self.port}/git/alice/upper.git"
        done = self.work.run("push", "--force", address, *recipes)
        assert done.returncode == 0, done.stderr
        said: dict[str, list[str]] = {}
        for line in done.stderr.decode().splitlines():
            text = line.partition("remote: ")[2].rstrip()
            if begun := re.match(r"building @alice/upper:(\S+) from", text):
                label = begun[1]
                said[label] = []
            elif text:
                said[label].append(text)
        return said

    def echo(self) -> str:
        """What the image says when a job of alice's runs it."""
        head = [("Authorization", f"Bearer {self.service.user('alice')}")]
        text = [*head, ("Content-Type", "text/plain")]
        self.service.call("PUT", "/v1/code/jobs/say", head, b"")
        self.service.call("POST", "/v1/code/jobs/say/config/chains", text, b"upper")
        sent = [*head, ("Content-Type", "application/json")]
        assert self.service.call("POST", "/v1/code/jobs/say/data", sent, b"{}").status < 300
        return self.service.call("GET", "/v1/code/jobs/say/log", head, b"").body.decode()


@pytest.fixture
def pushing(service: Application, tmp_path: Path) -> Iterator[Pushing]:
    with make_server("127.0.0.1", 0, service.application, Threaded, Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Pushing(service, tmp_path, server.server_port)
        finally:
            server.shutdown()
            thread.join()


def refused(said: list[str], spelled: str) -> str:
    """Why the build failed, with a word in place of what it names."""
    assert said[-1].startswith("failed: "), said
    assert not any(line.startswith("STEP") for line in said), said
    return said[-1].replace(spelled, "THIS")


def test_an_image_may_be_named_while_it_is_shared(pushing: Pushing) -> None:
    name = "@bob/words:main"
    recipes = {branch: recipe.format(name) for branch, recipe in TARGETS.items()}
    reasons = {refused(said, name) for said in pushing.push_all(recipes).values()}
    pushing.share("bob/words", "@alice", "x")
    for label, said in pushing.push_all(recipes).items():
        assert said[-1].startswith("ready @alice/upper:"), (label, said)
        assert not any("curlew.invalid" in line for line in said)
        assert any(line.startswith("STEP") and name in line for line in said)
    pushing.revoke("bob/words", "@alice")
    reasons |= {refused(said, name) for said in pushing.push_all(recipes).values()}
    others = ("@bob/absent:main", "@bob/secret:none", "@nobody/words:main", "@bob/unbuilt:latest")
    absent = {f"b{number}": f"FROM {other}\n" for number, other in enumerate(others)}
    logs = pushing.push_all(absent)
    reasons |= {refused(logs[f"b{number}"], other) for number, other in enumerate(others)}
    assert reasons == {
        "failed: @alice may not use THIS: there is no such repo, or its owner has to share it with x. "
        "The push is kept; images built before stay."
    }


def test_letters_other_than_x_let_nobody_build_upon_an_image(pushing: Pushing) -> None:
    pushing.share("bob/words", "@alice", "rw")
    refused(pushing.push("FROM @bob/words"), "@bob/words")


def test_a_missing_build_is_reported_to_those_who_may_use_the_image(pushing: Pushing) -> None:
    for repo in ("unbuilt", "words"):
        pushing.share(f"bob/{repo}", "@alice", "x")
    names = {"main": "@bob/unbuilt:latest", "other": "@bob/words:v9"}
    logs = pushing.push_all({branch: f"FROM {name}\n" for branch, name in names.items()})
    for label, name in (("latest", names["main"]), ("other", names["other"])):
        assert refused(logs[label], name).startswith("failed: THIS has no image: nothing was built as ")


def test_what_is_built_upon_an_image_does_what_that_does(pushing: Pushing) -> None:
    pushing.share("bob/words", "@alice", "x")
    pushing.push("FROM @bob/words\n")
    assert "from bob" in pushing.echo()


def test_the_rights_of_the_pusher_count_and_not_those_of_the_owner(pushing: Pushing) -> None:
    pushing.share("alice/upper", "@carol", "rw")
    pushing.share("bob/words", "@carol", "x")
    assert pushing.push("FROM @bob/words:main\n", "carol")[-1].startswith("ready")
    refused(pushing.push("FROM @bob/words:main\n# by alice\n"), "@bob/words:main")
    pushing.revoke("bob/words", "@carol")
    pushing.share("bob/words", "@alice", "x")
    refused(pushing.push("FROM @bob/words:main\n# by carol\n", "carol"), "@bob/words:main")
    assert pushing.push("FROM @bob/words:main\n# by alice again\n")[-1].startswith("ready")


def test_a_short_name_is_a_repo_of_the_owner_whom_the_pusher_may_know(pushing: Pushing) -> None:
    pushing.service.arrange("image", ["alice/own", "ECHO=her own"], [])
    pushing.push("FROM own:main\n")
    assert "her own" in pushing.echo()
    pushing.share("alice/upper", "@carol", "rw")
    said = pushing.push("FROM own:main\nENV WRITE=a=1\n", "carol")[-1]
    assert said.startswith("failed: FROM own:main: this server has no such image; write FROM python:3-slim")
    logs = pushing.push_all({"a": "FROM own\nRUN false\n", "b": "FROM no-such\nRUN false\n"}, "carol")
    assert [line.replace("no-such", "own") for line in logs["b"]] == logs["a"]


def test_what_a_run_pushes_is_pushed_by_its_owner(pushing: Pushing) -> None:
    token = fresh()
    tokens, builds = pushing.service.world.people.tokens, pushing.service.world.code.builds
    tokens.mint("alice", "of-a-run", digest(token), via=Via.RUN, claim="repo_rw", run=1)
    pushing.share("bob/words", "@alice", "x")
    assert pushing.push("FROM @bob/words\n", token=token)[-1].startswith("ready")
    latest = builds.latest(pushing.service.item("repo", "alice/upper").id)
    assert latest is not None
    assert latest.by == "alice"
