"""A person with curl and git, the projects of this folder, and a machine inside of the company."""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.kit.command import Service
from tests.kit.git import Work

PROJECTS = Path(__file__).with_name("projects")
BUILT_WITHIN = 900.0
TEXT = ("-H", "Content-Type: text/plain")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a token who knows curl and git."""

    service: Service
    token: str
    folder: Path

    def curl(self, path: str, *words: str) -> bytes:
        """What curl gets from a path below `/v1`; its answer has to be a good one."""
        done = self.try_curl(path, "--fail-with-body", *words)
        assert done.returncode == 0, (done.stdout + done.stderr).decode()
        return done.stdout

    def try_curl(self, path: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        """The same, whatever comes of it."""
        head = ("-H", f"Authorization: Bearer {self.token}")
        address = f"http://127.0.0.1:{self.service.port}/v1/{path}"
        command = ["curl", "-sS", "--noproxy", "*", *head, *words, address]
        return subprocess.run(command, capture_output=True, check=False)

    def make(self, *paths: str) -> None:
        """Make things."""
        for path in paths:
            self.curl(path, "-X", "PUT")

    def write(self, path: str, text: str, *words: str) -> None:
        """Write a file."""
        self.curl(path, *TEXT, *words, "--data-binary", text)

    def begin(self, project: str, *needs: str) -> None:
        """Make what a project needs, push its repos by git, and make its jobs."""
        self.make(*needs)
        for repo in sorted((PROJECTS / project / "repos").iterdir()):
            self._push(repo)
        for job in sorted((PROJECTS / project / "jobs").iterdir()):
            self.make(f"code/jobs/{job.name}")
            for file in sorted((job / "config").iterdir()):
                self.curl(f"code/jobs/{job.name}/config/{file.name}", *TEXT, "--data-binary", f"@{file}")

    def _push(self, source: Path) -> None:
        """Push a folder of files, and wait until its image is ready."""
        repo = source.name
        self.make(f"code/repos/{repo}")
        work = Work(self.folder / repo)
        shutil.copytree(source, work.folder, dirs_exist_ok=True)
        work.commit({}, "First version")
        address = f"http://alice:{self.token}@127.0.0.1:{self.service.port}/git/alice/{repo}.git"
        done = work.run("push", address, "HEAD:main")
        until = time.monotonic() + BUILT_WITHIN
        while (said := self.curl(f"code/repos/{repo}/status")) in (b"queued", b"building"):
            assert time.monotonic() < until, done.stderr.decode()
            time.sleep(0.2)
        assert said == b"ready", done.stderr.decode() + self.curl(f"code/repos/{repo}/log").decode()

    def run(self, job: str, *inputs: str) -> dict[str, bytes]:
        """Run a job with these files, or with `{}`; the files of the result by their names."""
        sent = [word for file in inputs for word in ("-F", f"file=@{file}")]
        answer = self.folder / "answer"
        done = self.try_curl(
            f"code/jobs/{job}/data",
            *(sent or ("-H", "Content-Type: application/json", "-d", "{}")),
            *("-o", str(answer), "-w", "%{http_code}|%{content_type}|%header{content-disposition}"),
        )
        status, media, disposition = done.stdout.decode().split("|", 2)
        if status == "204":
            return {}
        content = answer.read_bytes()
        assert status == "200", content.decode()
        if media == "application/zip":
            with zipfile.ZipFile(io.BytesIO(content)) as book:
                return {name: book.read(name) for name in book.namelist()}
        return {disposition.partition('filename="')[2].partition('"')[0]: content}

    def log(self, job: str) -> str:
        """The log of its newest run."""
        return self.curl(f"code/jobs/{job}/log").decode()


def inputs_of(project: str) -> list[str]:
    """The files of a project's input."""
    return [str(file) for file in sorted((PROJECTS / project / "input").glob("*"))]


def expected_of(project: str) -> dict[str, bytes]:
    """The files that its run leaves, by their names."""
    return {file.name: file.read_bytes() for file in (PROJECTS / project / "expected").glob("*")}


def own_address() -> str:
    """The address of this host's way out, at which it is a machine inside of the company."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


@dataclass
class Site:
    """A web server inside of the company, with the pages of a project; it fails `failures` times."""

    address: str = ""
    failures: int = 0
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def site() -> Iterator[Site]:
    """One at the host's own address, until the end of the block."""
    web_site = Site()

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            web_site.keys.append(self.headers.get("Authorization"))
            if web_site.failures:
                web_site.failures -= 1
                self.send_error(503)
            else:
                super().do_GET()

        def log_message(self, *_: object) -> None:
            pass

    handler = partial(Handler, directory=str(PROJECTS / "prices" / "site"))
    with ThreadingHTTPServer((own_address(), 0), handler) as server:
        web_site.address = f"http://{own_address()}:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield web_site
        finally:
            server.shutdown()
            thread.join()
