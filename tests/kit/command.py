"""A Curlew to be measured: a fresh data folder, users and tokens, requests, pushed images."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.kit.processes import free_port, own, running

KEPT_SECONDS = 5.0
BUILT_WITHIN = 120.0
UNDER_WAY = (b"queued", b"building")


class Service:
    """A running service on `folder`, reached by one kept-alive connection."""

    def __init__(self, folder: Path, port: int, pid: int) -> None:
        self.folder = folder
        self.port = port
        self.pid = pid
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._requested_at = 0.0

    def user(self, name: str, *more: str) -> str:
        """Make a user, with more options of the command; a token of its."""
        command = [sys.executable, "-m", "handlers", "user", "add", name, "--public", "--token", "bench"]
        command += more
        done = subprocess.run(
            [*command, "--data", str(self.folder)], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def ask(
        self,
        method: str,
        path: str,
        token: str,
        body: bytes = b"",
        media: str = "text/plain",
        accept: str = "*/*",
        **heads: str,
    ) -> tuple[int, bytes]:
        """Status and body of an answer."""
        head = {"Authorization": f"Bearer {token}", "Content-Type": media, "Accept": accept, **heads}
        if time.monotonic() - self._requested_at > KEPT_SECONDS:
            self._connection.close()
        self._connection.request(method, path, body, head)
        answer = self._connection.getresponse()
        said = answer.read()
        self._requested_at = time.monotonic()
        return answer.status, said

    def want(
        self,
        method: str,
        path: str,
        token: str,
        body: bytes = b"",
        media: str = "text/plain",
        **heads: str,
    ) -> bytes:
        """The body of an answer that has to be a good one."""
        status, said = self.ask(method, path, token, body, media, **heads)
        if status >= 400:
            raise SystemExit(f"{method} {path} was answered with {status}: {said.decode()[:500]}")
        return said

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def data(self, path: str, token: str) -> Any:
        """A JSON document."""
        return json.loads(self.want("GET", path, token))

    def push(self, owner: str, token: str, repo: str, dockerfile: str) -> str:
        """Push a repository that is only a Dockerfile; the commit its image was built from."""
        self.want("PUT", f"/v1/users/{owner}/code/repos/{repo}", token)
        work = self.folder / "work" / repo
        work.mkdir(parents=True)
        (work / "Dockerfile").write_text(dockerfile)
        remote = f"http://{owner}:{token}@127.0.0.1:{self.port}/git/{owner}/{repo}.git"
        _git(work, "init", "-q", "-b", "main")
        _git(work, "add", ".")
        _git(work, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-qm", "First")
        output = _git(work, "push", "-q", remote, "main")
        if not self._becomes_ready(f"/v1/users/{owner}/code/repos/{repo}/status", token):
            raise SystemExit(f"the image of {repo} was not built:\n{output}")
        return _git(work, "rev-parse", "HEAD").strip()

    def _becomes_ready(self, status: str, token: str) -> bool:
        """Whether an image is built: a push does not wait for a runner that is still to start."""
        until = time.monotonic() + BUILT_WITHIN
        while (said := self.want("GET", status, token)) in UNDER_WAY and time.monotonic() < until:
            time.sleep(0.1)
        return said == b"ready"

    def request(self, method: str, path: str, token: str, body: bytes = b"") -> bytes:
        """The bytes of a request, for the loader."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {token}\r\n"
        if body:
            head += f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        return head.encode() + b"\r\n" + body


@contextmanager
def serving(command: str, folder: Path, **settings: str) -> Iterator[Service]:
    """`curlew serve` or `curlew web` on a fresh folder."""
    folder.mkdir()
    port = free_port()
    chosen = {"DATA": str(folder), "BIND": f"127.0.0.1:{port}", "GRACEFUL_TIMEOUT": "1", **settings}
    log = folder.with_suffix(".log")
    with running("handlers", command, port=port, log=log, **own(chosen)) as pid:
        service = Service(folder, port, pid)
        try:
            yield service
        finally:
            service.close()


def _git(folder: Path, *words: str) -> str:
    environ = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", "PATH": os.environ["PATH"]}
    command = ["git", "-C", str(folder), *words]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"git {words[0]} failed:\n{done.stderr}")
    return done.stdout + done.stderr
