"""Rights that are taken back while a push is on its way: references stay as they are, and git says why."""

from __future__ import annotations

import os
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.kit.git import Work
from tests.kit.server import Server, web
from tests.kit.world import migrate

REPO = "code/repos/tools"
NAME = "alice/tools"
MIB = 1 << 20
# More than a request may have to be read whole before it is looked at.
STREAMED = 6 * MIB
SECONDS = 60.0
PACK = b"PACK"


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on either database, with alice."""
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    url = postgres.copy_of("tests.wire", migrate) if postgres is not None else ""
    with web(tmp_path_factory.mktemp("pushes"), CURLEW_DATABASE_URL=url) as server:
        server.add("alice")
        yield server
    if postgres is not None:
        postgres.drop(url)


@pytest.fixture
def bob(server: Server) -> Iterator[str]:
    """The token of bob, to whom alice shared a repo; both are new."""
    server.ask("PUT", REPO, who="alice")
    server.ask("POST", f"{REPO}/config/type", b"code", who="alice")
    if "bob" not in server.tokens:
        server.add("bob")
    share(server, "rw")
    wanted = {"username": "bob", "password": server.password("bob"), "token_name": "push"}
    yield server.ask("POST", "token", wanted)["token"]
    with suppress(OSError):
        server.ask("DELETE", "admin/tokens/push", who="bob")
    server.ask("DELETE", REPO, who="alice")


def share(server: Server, letters: str) -> None:
    server.ask("PUT", f"{REPO}/shared/@bob~{letters}", who="alice")


class SlowLine:
    """A way to the server on which what follows the first `free` bytes of a pack waits until it is let go."""

    def __init__(self, server: Server, free: int, held: ExitStack) -> None:
        self._server = urlsplit(server.origin)
        self._free = free
        self._held = held
        self.arrived, self.let_go = threading.Event(), threading.Event()
        self._listener = held.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.port = self._listener.getsockname()[1]
        self._start(self._accept)
        held.callback(self._listener.shutdown, socket.SHUT_RDWR)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work)
        thread.start()
        self._held.callback(thread.join)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near = self._held.enter_context(self._listener.accept()[0])
                place = (str(self._server.hostname), self._server.port or 80)
                far = self._held.enter_context(socket.create_connection(place))
                self._start(partial(self._send, near, far))
                self._start(partial(self._answer, far, near))

    def _send(self, near: socket.socket, far: socket.socket) -> None:
        sent, begins = 0, False
        with suppress(OSError):
            while piece := near.recv(1 << 16):
                begins = begins or PACK in piece
                if begins and sent >= self._free:
                    self.arrived.set()
                    self.let_go.wait(SECONDS)
                far.sendall(piece)
                sent += len(piece) if begins else 0
            far.shutdown(socket.SHUT_WR)

    def _answer(self, far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while piece := far.recv(1 << 16):
                near.sendall(piece)
            near.shutdown(socket.SHUT_WR)


def await_admitted(server: Server, size: int) -> None:
    """Wait until the server takes down a push that is longer than what it reads before it asks who pushes."""
    began = time.monotonic()
    while size and not is_taking_down(server.folder / "repos"):
        assert time.monotonic() - began < SECONDS
        time.sleep(0.01)


def is_taking_down(folder: Path) -> bool:
    """Whether a process fills a nameless file in a folder: not one for the few bytes by which git tries."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            target = os.readlink(link)
            is_nameless = target.startswith(f"{folder}/") and target.endswith(" (deleted)")
            if is_nameless and link.stat().st_size > MIB:
                return True
    return False


def push(
    server: Server, work: Work, token: str, meanwhile: Callable[[], object], size: int = STREAMED
) -> tuple[int, str]:
    """The exit code and the words of git, which pushes while something happens before its pack is there."""
    work.commit({"noise": random.Random(7).randbytes(size)})
    with ExitStack() as held:
        line = SlowLine(server, size // 2, held)
        address = f"http://bob:{token}@127.0.0.1:{line.port}/git/{NAME}.git"
        process = work.start("push", address, "HEAD:refs/heads/main")
        assert line.arrived.wait(SECONDS)
        await_admitted(server, size)
        meanwhile()
        line.let_go.set()
        _, said = process.communicate(timeout=SECONDS)
    return process.returncode, said.decode()


def branches(server: Server, work: Work) -> str:
    """What alice's repo has, as git lists it."""
    place = server.origin.removeprefix("http://")
    return work.git("ls-remote", f"http://alice:{server.tokens['alice']}@{place}/git/{NAME}.git")


def test_a_push_whose_right_stays_is_taken(server: Server, bob: str, tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    code, said = push(server, work, bob, lambda: None)
    assert code == 0, said
    assert "refs/heads/main" in branches(server, work)


def take_share(server: Server) -> None:
    server.ask("DELETE", f"{REPO}/shared/@bob~rw", who="alice")


def narrow_share(server: Server) -> None:
    share(server, "r")


def end_token(server: Server) -> None:
    server.ask("DELETE", "admin/tokens/push", who="bob")


TAKEN = [
    (take_share, 404, "there is no"),
    (narrow_share, 403, "you may see /v1/users/alice/code/repos/tools, but this needs w access"),
    (end_token, 401, "token"),
]


@pytest.mark.parametrize(("take", "status", "why"), TAKEN)
def test_a_push_whose_right_is_taken_back_changes_nothing(
    server: Server, bob: str, tmp_path: Path, take: Callable[[Server], None], status: int, why: str
) -> None:
    work = Work(tmp_path / "work")
    code, said = push(server, work, bob, lambda: take(server))
    assert code != 0
    assert re.search(f"^remote: .*{re.escape(why)}", said, re.MULTILINE), said
    assert "remote: Nothing was kept of the push." in said
    assert "pre-receive hook declined" in said
    assert branches(server, work) == ""


@pytest.mark.parametrize(("take", "status", "why"), TAKEN)
def test_a_small_push_is_checked_once_it_has_arrived(
    server: Server, bob: str, tmp_path: Path, take: Callable[[Server], None], status: int, why: str
) -> None:
    work = Work(tmp_path / "work")
    code, said = push(server, work, bob, lambda: take(server), 0)
    assert code != 0
    assert f"HTTP {status}" in said
    assert branches(server, work) == ""


def test_a_push_does_not_reach_another_repo_of_that_name(server: Server, bob: str, tmp_path: Path) -> None:
    work = Work(tmp_path / "work")

    def replace() -> None:
        server.ask("DELETE", REPO, who="alice")
        server.ask("PUT", REPO, who="alice")
        share(server, "rw")

    code, said = push(server, work, bob, replace)
    assert code != 0, said
    assert branches(server, work) == ""
