"""Files of counts take their room first, and count by templates of the declared tree."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from handlers.metrics.count_files import KINDS, SIZES, VARIABLE, Routes, begin_counts, kind_of, take_room
from handlers.metrics.request_counters import RequestCounters
from handlers.server.refusals import TURNED_AWAY
from handlers.trees import ADVICE, ROOT
from tests.kit.processes import fork
from vfs.tree import Tree

OFF = """
import sys
import handlers.__main__
import handlers.processes.web
sys.exit("prometheus_client" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, "elsewhere")
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "counter_1.db").write_bytes(b"of an earlier start")
    return begin_counts(tmp_path)


@contextmanager
def full() -> Iterator[None]:
    """Room for files of 1000 bytes at most."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def sizes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_blocks * 512 for file in folder.iterdir()}


def test_the_room_is_taken_at_once_and_the_files_of_the_dead_with_it(folder: Path) -> None:
    assert (sizes(folder), os.environ[VARIABLE]) == ({}, str(folder))
    assert fork(lambda: take_room(folder)) == 0
    assert sorted(sizes(folder).values()) == sorted(SIZES.values())
    assert take_room(folder)
    assert set(sizes(folder)) == {f"{kind}_{os.getpid()}.db" for kind in SIZES}
    assert fork(lambda: take_room(folder)) == 0
    assert len(sizes(folder)) == 2 * len(SIZES)


def test_without_room_nothing_is_counted(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    counters = RequestCounters(folder, lambda path: pytest.fail("a request was counted"), TURNED_AWAY)
    with full():
        counters.begin()
    counters.count_request("GET", "/v1", 200, 0.1)
    assert "requests are not counted by this process, for lack of space" in caplog.text


def test_a_process_that_counts_nothing_does_not_import_what_counts() -> None:
    assert subprocess.run([sys.executable, "-c", OFF], check=False).returncode == 0


TREE = Tree(ROOT, ADVICE)
ROUTES = Routes(TREE)
JOB = "/v1/users/:user/code/jobs/:job"


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1", "/v1"),
        ("/v1/auth", "/v1/auth"),
        ("/v1/users/wren", "/v1/users/:user"),
        ("/v1/users/wren/code/jobs/nest/", JOB),
        ("/v1/users/wren/code/jobs/nest/config/%65nv/KEY", f"{JOB}/config/env/:variable"),
        ("/v1/users/wren/code/spaces/eggs/content/a/b/c", "/v1/users/:user/code/spaces/:space/content/*"),
        ("/v1/users/wren/no-such/secret", "astray"),
        ("/v1/no-such", "astray"),
        ("/", "page"),
        ("/u/wren/j/nest", "page"),
        ("/git/wren/nest.git/info/refs", "git"),
        ("/gql", "graphql"),
        ("/ws/", "events"),
        ("/readyz", "health"),
        ("*", "page"),
        ("/v1/users/%ff%00", "/v1/users/:user"),
    ],
)
def test_a_path_has_the_route_of_its_place(path: str, route: str) -> None:
    assert ROUTES.route(path) == route


def test_every_template_is_a_route_and_has_a_kind() -> None:
    fillers = {name: name.replace(":", "x-") for route in TREE.routes() for name in route.template.split("/")}
    fillers[":shared_link"] = "link~x"
    templates = {route.template for route in TREE.routes()}
    for template in templates:
        found = ROUTES.route("/".join(fillers[name] for name in template.split("/")))
        assert found in templates or found.removesuffix("/*") in templates
        assert {kind_of("GET", found), kind_of("POST", found)} <= set(KINDS)


def test_the_callers_jobs_have_the_route_of_all_jobs() -> None:
    assert ROUTES.route("/v1/code/jobs/nest/data") == f"{JOB}/data"
    assert [kind_of(*one) for one in [("POST", f"{JOB}/data"), ("GET", "/v1/auth"), ("GET", "git")]] == [
        "job",
        "read",
        "git",
    ]
