"""Of equal requests at the same moment to several workers exactly one does it, over sockets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.kit.server import Server, add_image, web
from tests.kit.world import migrate
from tests.wire.test_turns_at_once import made_at_once

MANY, ROUNDS = 4, 12
DOC, JOB = "vis/docs/report", "code/jobs/letter"


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.repeats])]
)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Two workers without a runner, on both databases, and alice and bob."""
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = postgres.copy_of("tests.wire", migrate) if postgres is not None else ""
    with web(tmp_path, CURLEW_WORKERS="2", CURLEW_DATABASE_URL=url) as server:
        for name in ("alice", "bob"):
            server.add(name)
        add_image(tmp_path, url)
        for path in (DOC, JOB):
            status(server, "PUT", path)
        status(server, "POST", f"{JOB}/config/chains", b"count")
        yield server
    if postgres is not None:
        postgres.drop(url)


def status(
    server: Server, method: str, path: str, body: bytes | None = None, media: str = "text/plain"
) -> int:
    """The status of one request of alice's."""
    headers = {"Authorization": f"Bearer {server.tokens['alice']}", "Content-Type": media}
    try:
        with urlopen(Request(server.root + path, body, headers, method=method)) as answer:
            return int(answer.status)
    except HTTPError as refused:
        return refused.code


def meet(server: Server, *asked: str) -> list[int]:
    """The statuses of equal requests that are sent together."""
    return made_at_once(*[partial(status, server, *asked)] * MANY)


def test_one_shares_and_one_revokes(server: Server) -> None:
    for _ in range(ROUNDS):
        assert meet(server, "PUT", f"{DOC}/shared/@bob~r") == [200, 200, 200, 201]
        assert meet(server, "DELETE", f"{DOC}/shared/@bob") == [200, 404, 404, 404]


def test_one_tags_and_one_takes_the_tag_off(server: Server) -> None:
    for _ in range(ROUNDS):
        assert meet(server, "PUT", f"{DOC}/tags/fav") == [200, 200, 200, 201]
        assert meet(server, "DELETE", f"{DOC}/tags/fav") == [200, 404, 404, 404]


def test_one_follows_and_one_ceases_to(server: Server) -> None:
    for _ in range(ROUNDS):
        assert meet(server, "PUT", "admin/social/following/bob") == [200, 200, 200, 201]
        assert meet(server, "DELETE", "admin/social/following/bob") == [200, 404, 404, 404]


def test_one_cancels(server: Server) -> None:
    for _ in range(ROUNDS):
        request = Request(f"{server.root}{JOB}/data", b"{}", method="POST")
        request.add_header("Authorization", f"Bearer {server.tokens['alice']}")
        request.add_header("Content-Type", "application/json")
        request.add_header("Prefer", "respond-async")
        with urlopen(request) as answer:
            run = answer.headers["Location"].rpartition("/")[2]
        cancel = partial(status, server, "POST", f"{JOB}/runs/{run}/status", b"canceled")
        assert made_at_once(*[cancel] * MANY) == [200, 200, 200, 202]
