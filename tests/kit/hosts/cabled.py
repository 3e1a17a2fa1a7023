"""A host at the end of a cable: its programs, and what somebody on it is answered by its web server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from chains.podman.leftovers import unmount
from handlers.commands.child_processes import READY
from tests.kit.clocks import until
from tests.kit.hosts.cables import Cable, cables
from tests.kit.hosts.relays import BUCKET, DATABASE, REGISTRY, at_store
from tests.kit.hosts.shared import shared_parts
from tests.kit.postgres import Postgres
from tests.kit.processes import own
from tests.kit.server import Server

SECONDS = 120.0
PORT = 8000
STOPS_WITHIN = 30.0
ENDS = ("ready", "failed")


class CabledHost:
    """A host with its web server, and a runner while it is wanted."""

    def __init__(self, cable: Cable, folder: Path, shared: Mapping[str, str], stack: ExitStack) -> None:
        self.cable, self.folder = cable, folder
        folder.mkdir()
        stack.callback(unmount, folder)
        origin = f"http://{cable.address}:{PORT}"
        place = {"DATA": str(folder), "BIND": f"0.0.0.0:{PORT}", "BASE_URL": origin, "REGISTRATION": "open"}
        self.settings = {**shared, **place, "WORKERS": "1", "NETWORK": "none", "STOP_GRACE": "1"}
        self.log = folder.with_suffix(".log")
        self.web = stack.enter_context(self.program("web"))
        self.server = Server(folder, 0)
        self.server.origin, self.server.root = origin, f"{origin}/v1/"

    @contextmanager
    def program(
        self, command: str, curlew: Sequence[str] = ("-m", "handlers")
    ) -> Iterator[subprocess.Popen[bytes]]:
        """`curlew COMMAND` on this host, once it is ready; as by systemd it is killed if it does not end.

        `curlew` are the words by which Python starts it.
        """
        kept = {name: word for name, word in os.environ.items() if not name.startswith("CURLEW_")}
        heard, say = os.pipe()
        with self.log.open("ab") as lines:
            process = subprocess.Popen(
                [*self.cable.inside, sys.executable, *curlew, command],
                env={**kept, **own(self.settings), READY: str(say)},
                pass_fds=(say,),
                stdout=lines,
                stderr=lines,
            )
        os.close(say)
        try:
            with os.fdopen(heard) as pipe:
                assert pipe.readline(), f"{command} ended before it was ready: {self.log.read_text()[-2000:]}"
            yield process
        finally:
            process.terminate()
            try:
                process.wait(STOPS_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def ask(
        self, method: str, path: str, token: str, body: str = "", media: str = "text/plain", *heads: str
    ) -> tuple[int, str]:
        """Status and body of an answer of this host's web server to somebody on the same host."""
        lines = [f"Authorization: Bearer {token}", f"Host: {self.cable.address}:{PORT}", *heads]
        said = ["-X", method, *(word for line in lines for word in ("-H", line))]
        if body:
            said += ["-H", f"Content-Type: {media}", "--data-binary", "@-"]
        done = subprocess.run(
            [*self.cable.inside, "curl", "-sS", "-m", str(SECONDS), "-w", "\n%{http_code}", *said]
            + [f"http://127.0.0.1:{PORT}{path}"],
            input=body,
            capture_output=True,
            text=True,
            check=False,
        )
        text, _, status = done.stdout.rpartition("\n")
        return int(status or 0), text

    def asks(self, method: str, path: str, token: str, body: str = "", *more: str) -> str:
        """A good answer to somebody on this host; `more` are a media type and heads."""
        status, said = self.ask(method, path, token, body, *more)
        assert status < 300, (method, path, status, said)
        return said

    def build(self, owner: str, repo: str, recipe: str, scratch: Path) -> str:
        """Push the recipe of a repo, which is made when it is not there; what became of its image."""
        address, token = f"/v1/code/repos/{repo}", self.server.tokens[owner]
        self.ask("PUT", address, token)
        self.server.push(owner, repo, {"Dockerfile": recipe}, scratch)
        return str(until(lambda: self.asks("GET", f"{address}/status", token), lambda said: said in ENDS))

    def trigger(self, job: str, token: str, word: str) -> str:
        """Trigger a job with a text; the number of its run."""
        body = self.asks(
            "POST", f"{job}/data", token, f'"{word}"', "application/json", "Prefer: respond-async"
        )
        return str(json.loads(body)["run"])

    def status_of(self, job: str, run: str, token: str) -> str:
        """The status of a run."""
        return self.asks("GET", f"{job}/runs/{run}/status", token)

    def end_of(self, job: str, run: str, token: str) -> str:
        """The status of a run when it has ended."""
        return str(until(lambda: self.status_of(job, run, token), lambda said: said in ("success", "failed")))


@contextmanager
def cabled_hosts(
    folder: Path, postgres: Postgres, *, registry: bool = False, **more: str
) -> Iterator[list[CabledHost]]:
    """Two hosts of one installation; database, bucket and registry are at separate addresses.

    `more` are settings by their names in capitals.
    """
    with ExitStack() as stack:
        _, *laid = stack.enter_context(cables(2, DATABASE, BUCKET, REGISTRY))
        parts = stack.enter_context(shared_parts(folder, postgres, registry=registry))
        shared = stack.enter_context(at_store(parts))
        named = zip(laid, ("one", "other"), strict=True)
        yield [CabledHost(cable, folder / name, {**shared, **more}, stack) for cable, name in named]
