"""The server that the published clients are pointed at: separate processes on a port of this host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from handlers.commands.child_processes import READY
from handlers.processes.world import build
from handlers.settings.settings import Settings
from handlers.settings.sources import load
from tests.kit.git import Work
from tests.kit.hosts.forked import begin, end
from tests.kit.processes import USUAL as OF_SERVICES
from tests.kit.processes import free_port

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).with_name("scripted_runner.py")
KEPT = ("PATH", "LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG")
USUAL = {
    "CURLEW_WORKERS": "1",
    "CURLEW_THREADS": "32",
    "CURLEW_PASSWORD_MEMORY": "8",
    "CURLEW_REGISTRATIONS": "1000",
}
PASSWORD = "a password of {name}"


class Server:
    """A running server with its users' tokens."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.origin = f"http://127.0.0.1:{port}"
        self.root = f"{self.origin}/v1/"
        self.tokens: dict[str, str] = {}

    @property
    def settings(self) -> Settings:
        """The settings of a process beside it."""
        return load({}, data=str(self.folder))

    def password(self, name: str) -> str:
        """The password of every user of that name."""
        return PASSWORD.format(name=name)

    def add(self, name: str, **more: Any) -> str:
        """The token of a new public user, registered with `more` besides."""
        account = {"username": name, "password": self.password(name), "public": True, **more}
        self.ask("POST", "register", {**account, "email": f"{name}@birds.example"})
        wanted = {"username": name, "password": self.password(name), "token_name": "made-by-hand"}
        self.tokens[name] = self.ask("POST", "token", wanted)["token"]
        return self.tokens[name]

    def ask(self, method: str, path: str, body: Any = None, who: str = "") -> Any:
        """What the API itself says, as JSON where it is JSON; bytes are sent as text, all else as JSON."""
        as_text = body is None or isinstance(body, bytes)
        request = Request(self.root + path, body if as_text else json.dumps(body).encode(), method=method)
        request.add_header("Accept", "application/json")
        request.add_header("Content-Type", "text/plain" if as_text else "application/json")
        if who:
            request.add_header("Authorization", f"Bearer {self.tokens[who]}")
        with urlopen(request) as answer:
            content = answer.read()
            return json.loads(content) if "json" in answer.headers["Content-Type"] else content.decode()

    def push(
        self, owner: str, repo: str, files: Mapping[str, str], scratch: Path, header: str = "X-By: git"
    ) -> str:
        """Push files to a repo by git, with a header; the answer to git."""
        work = Work(scratch)
        work.commit(dict(files))
        address = f"http://{owner}:{self.tokens[owner]}@{self.origin.removeprefix('http://')}"
        done = work.run(
            "-c", f"http.extraHeader={header}", "push", f"{address}/git/{owner}/{repo}.git", "HEAD:main"
        )
        said = done.stderr.decode()
        assert done.returncode == 0, said
        return said


def add_image(folder: Path, url: str) -> None:
    """Have a repo `count` of alice's with an image, in a database that is no setting of the folder."""
    live_world = build(load({}, data=str(folder), database_url=url))
    repo = live_world.world.items.create("repo", "alice", "count")
    number = live_world.world.code.builds.queue(repo.id, ("latest",), "refs/heads/main", "c0ffee", "alice")
    live_world.world.code.builds.take("nobody")
    live_world.world.code.builds.finish(number, "image")
    live_world.close()


def environment(**more: str) -> dict[str, str]:
    """The environment of a program of ours: nothing of this shell's settings, proxies or home."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), **OF_SERVICES, **more}


def is_measured() -> bool:
    """Whether programs that tests start are traced, which a fork is not."""
    return any(name.startswith("COVERAGE_PROCESS_") for name in os.environ)


@contextmanager
def serving(folder: Path, *, podman: bool = False, forked: bool = True, **settings: str) -> Iterator[Server]:
    """A web server with these settings, a runner of scripted steps or of containers, and what draws."""
    real = ["-P", "-m", "handlers", "runner", "--data", str(folder)]
    runner = real if podman else ["-P", str(RUNNER), str(folder)]
    with web(folder, forked=forked, **settings) as server:
        # Steps with a token of their own are led to the web server.
        bind = server.origin.removeprefix("http://")
        with program(runner, CURLEW_BIND=bind, CURLEW_BASE_IMAGE=""), rendering(folder):
            yield server


@contextmanager
def web(folder: Path, *, forked: bool = True, **settings: str) -> Iterator[Server]:
    """A web server on a folder, with these settings, until the end of the block."""
    port = free_port()
    address = f"127.0.0.1:{port}"
    words = ["web", "--data", str(folder), "--bind", address]
    if is_measured() or not forked:
        with program(["-P", "-m", "handlers", *words], **settings):
            yield Server(folder, port)
        return
    process = begin(words, environment(**USUAL | settings))
    try:
        yield Server(folder, port)
    finally:
        end(process)
        assert process.exitcode == 0


@contextmanager
def rendering(folder: Path) -> Iterator[None]:
    """A rendering service for the web server of a folder, until the end of the block."""
    with program(["-P", "-m", "handlers", "render", "--data", str(folder)], CURLEW_RENDER_PROCESSES="1"):
        yield


@contextmanager
def program(words: list[str], **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program of ours that is ready, with settings besides, and ended afterwards if no test killed it."""
    heard, say = os.pipe()
    chosen = environment(**USUAL | {READY: str(say)} | more)
    process = subprocess.Popen([sys.executable, *words], env=chosen, pass_fds=(say,))
    os.close(say)
    try:
        with os.fdopen(heard) as pipe:
            assert pipe.readline(), f"{words} ended before it was ready"
        yield process
    finally:
        process.terminate()
        assert process.wait(120) in (0, -signal.SIGKILL)
