"""One server for all tests of the published clients, and two behind nginx; each test has separate users."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handlers.processes.world import open_world
from tests.kit.disk import quick
from tests.kit.hosts.served import serving_by_two
from tests.kit.server import Server, serving

tmp_path, tmp_path_factory = quick.tmp_path, quick.tmp_path_factory

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Person:
    """A user of the server, and what the Python client is given to be that user."""

    server: Server
    name: str
    token: str

    @property
    def connection(self) -> dict[str, Any]:
        """Arguments that every class of the Python client takes."""
        return {"token": self.token, "api_root": self.server.root, "ignore_config": True}

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        """What the API itself says to this user."""
        return self.server.ask(method, path, body, self.name)


@pytest.fixture(
    scope="session",
    params=["one host", pytest.param("two webs", marks=[pytest.mark.postgres, pytest.mark.repeats])],
)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Curlew as its processes, with scripted steps: on one host, or two web servers asked in turn."""
    folder = tmp_path_factory.mktemp("server")
    if request.param == "one host":
        with serving(folder) as server:
            yield server
        return
    with serving_by_two(folder, request.getfixturevalue("postgres")) as server:
        yield server


@pytest.fixture
def person(server: Server) -> Callable[[], Person]:
    """Makes users."""

    def make() -> Person:
        name = f"user-{next(_numbers)}"
        return Person(server, name, server.add(name))

    return make


@pytest.fixture
def alice(person: Callable[[], Person]) -> Person:
    """A user."""
    return person()


@pytest.fixture
def verified(alice: Person) -> Person:
    """The same user, who has verified an address."""
    with open_world(alice.server.settings) as world:
        world.people.users.change(alice.name, verified=True)
    return alice


@pytest.fixture
def bob(person: Callable[[], Person]) -> Person:
    """Another user."""
    return person()


@pytest.fixture
def image(alice: Person, tmp_path: Path) -> Callable[..., str]:
    """Makes a repo of alice's, and pushes what its steps do; the repo's name."""

    def make(repo: str, *script: str) -> str:
        alice.ask("PUT", f"code/repos/{repo}")
        recipe = "\n".join(["FROM scratch", *(f"ENV {line}" for line in script)])
        said = alice.server.push(alice.name, repo, {"Containerfile": recipe}, tmp_path / f"work-{repo}")
        assert f"ready @{alice.name}/{repo}:latest" in said
        return repo

    return make
