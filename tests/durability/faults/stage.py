"""A service of real processes into which faults are brought, and the chapter's table that tells of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from handlers.commands.child_processes import READY
from tests.kit.client import Answer
from tests.kit.generated import TEXTS
from tests.kit.git import Work
from tests.kit.gunicorn import CHEAP, WEB, Client, Service, prepare
from tests.kit.server import ROOT, RUNNER, environment

USER = "alice"
PLOT, PNG, SVG = "/v1/vis/plots/p", "/v1/vis/plots/p/files/plot.png", "/v1/vis/plots/p/files/plot.svg"
ROWS = b"month,birds\nMay,3\nJune,%d\n"
QUICK, SLOW = "quick", "slow"
SCRIPTED = {name: f"FROM scratch\nENV {act}\n" for name, act in ((QUICK, "WRITE=x=1"), (SLOW, "SLEEP=600"))}
REAL = {
    name: f'FROM localhost/busybox:latest\nCMD ["sh", "-c", "{act}"]\n'
    for name, act in ((QUICK, "echo 1 >/output/x"), (SLOW, "echo begun; sleep 12; echo 2 >/output/x"))
}
APART = ("unshare", "--mount", "--propagation", "private")
"""The runner sees other programs than this process where a test mounts some."""
TEXT, JSON = "text/plain", "application/json"
WELL_SECONDS = 180.0
IN_A_ROW = 6


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the chapter's table of faults."""

    fault: str
    clients: str
    lost: str
    well: str
    act: str

    @property
    def seconds(self) -> float:
        """The seconds after which all is well at the latest."""
        return max(float(number) for number in re.findall(r"(\d+) s", self.well))

    def tells(self, answer: Answer) -> None:
        """Fail unless clients are said to see this refusal: status, kind and sentence."""
        problem = json.loads(answer.body)
        kind = problem["type"].rpartition("#")[2]
        assert f"{answer.status} `{kind}`" in self.clients, (self.clients, answer)
        sentences = re.findall(r"“(.+?)”", self.clients)
        assert any(sentence in problem["detail"] for sentence in sentences), (sentences, problem)
        if answer.status in (503, 507):
            assert int(answer.headers["retry-after"]) > 0, answer

    def says(self, check: str) -> None:
        """Fail unless the table has the output of a check of readiness."""
        sentences = re.findall(r"“(.+?)”", self.clients)
        assert any(sentence in check for sentence in sentences), (sentences, check)


def table() -> dict[str, Row]:
    """The rows of the table in the chapter on operating, by their faults."""
    text = (TEXTS / "operating.md").read_text()
    found = re.search(r"\n\| fault \|.*\n\|[-|]+\n((?:\|.*\n)+)", text)
    assert found is not None, "the chapter has no table of faults"
    rows = [
        Row(*(cell.strip() for cell in line.strip().strip("|").split("|"))) for line in found[1].splitlines()
    ]
    return {row.fault: row for row in rows}


class Program:
    """A process of the service beside its web server."""

    def __init__(self, words: Sequence[str], log: Path, **settings: str) -> None:
        self._words, self._log, self._settings = words, log, settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self._process is not None
        return self._process.pid

    def start(self, *passed: int) -> None:
        """Start it, and wait until it is ready; `passed` are file descriptors that it keeps."""
        heard, say = os.pipe()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._words, env=environment(**self._settings, **{READY: str(say)}),
                pass_fds=(say, *passed), stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        os.close(say)
        with os.fdopen(heard) as pipe:
            assert pipe.readline(), self._log.read_text()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    def stop(self) -> None:
        """Stop it in order."""
        assert self._process is not None
        self._process.terminate()
        assert self._process.wait(WELL_SECONDS) == 0, self._log.read_text()[-2000:]

    def kill(self) -> None:
        """kill -9 of it and of all that it started."""
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Stage:
    """Web server, rendering service and a runner on one data folder, of scripted steps or of containers."""

    def __init__(
        self, folder: Path, database: str = "", command: Sequence[str] = WEB, *, podman: bool = False
    ) -> None:
        self.folder, self.token = folder, ""
        self.database = database or f"sqlite:///{folder}/curlew.db"
        self.web = Service(folder, self.database, 2, command)
        more = {"CURLEW_DATABASE_URL": self.database, **CHEAP}
        of_data = ("--data", str(folder))
        log = folder.with_name("beside.log")
        ours = (sys.executable, "-P", "-m", "handlers")
        self.render = Program((*ours, "render", *of_data), log, CURLEW_RENDER_PROCESSES="1")
        scripted = (sys.executable, "-P", str(RUNNER), str(folder))
        words = (*APART, *ours, "runner", *of_data) if podman else scripted
        self.runner = Program(words, log, PYTHONPATH=str(ROOT), CURLEW_NETWORK="none", **more)
        self._recipes = REAL if podman else SCRIPTED
        self._number = 3

    def start(self, *, whole: bool = True) -> None:
        """Start the web server, and with `whole` what draws and runs, with jobs to run."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.token,) = prepare(self.folder, self.database, [USER]).values()
        self.web.start()
        self.want("PUT", PLOT)
        self.write()
        if whole:
            self.render.start()
            self.runner.start()
            for name, recipe in self._recipes.items():
                self._make_job(name, recipe)

    def restart(self) -> None:
        """Start all processes on what is there."""
        for process in (self.web, self.render, self.runner):
            process.start()

    def close(self) -> None:
        """End all."""
        for program in (self.runner, self.render):
            program.kill()
        self.web.kill()

    def call(
        self, method: str, path: str, body: bytes | None = None, media: str = TEXT, **more: str
    ) -> Answer:
        """One request over a separate connection."""
        client = self.client()
        try:
            return client.call(method, path, body, media if body is not None else None, **more)
        finally:
            client.close()

    def client(self) -> Client:
        """A client of alice's."""
        return self.web.client(self.token)

    def want(
        self, method: str, path: str, body: bytes | None = None, media: str = TEXT, **more: str
    ) -> bytes:
        """The body of an answer that has to be a good one."""
        answer = self.call(method, path, body, media, **more)
        assert answer.status < 300, (answer, self.web.log()[-2000:])
        return answer.body

    def write(self) -> bytes:
        """Write other data to the plot; what was acknowledged."""
        self._number += 1
        self.want("POST", f"{PLOT}/data", ROWS % self._number)
        return self.kept

    @property
    def kept(self) -> bytes:
        """What the plot must hold."""
        return ROWS % self._number

    def try_write(self) -> Answer:
        """The answer to a write of what is there already."""
        return self.call("POST", f"{PLOT}/data", self.kept)

    def set_clock(self, ahead: float) -> None:
        """Set the clock of a web server that is a `jumping_clock` ahead by these seconds."""
        draft = self.folder.with_name("ahead.draft")
        draft.write_text(str(ahead))
        draft.rename(self.folder.with_name("ahead"))

    def check(self, name: str) -> tuple[int, str, str]:
        """The status of readiness, and status and words of one of its checks."""
        answer = self.call("GET", "/readyz", Accept=JSON)
        found = json.loads(answer.body)["checks"][name]
        return answer.status, found["status"], found["output"]

    def trigger(self, job: str) -> str:
        """The path of a run that nobody waits for."""
        answer = self.call("POST", f"/v1/code/jobs/{job}/data", b"{}", JSON, Prefer="respond-async")
        assert answer.status == 202, answer
        return answer.headers["location"]

    def status(self, run: str) -> str:
        """The status of a run."""
        return self.want("GET", f"{run}/status").decode()

    def measure(self, row: Row, *, whole: bool = True) -> None:
        """Fail unless all is well, with nothing lost, as soon as the row says."""
        took = self.until_well(whole=whole)
        assert took < row.seconds, (row.fault, took)

    def until_well(self, *, whole: bool = True) -> float:
        """Seconds until what was kept is there, and all works: writes, and with `whole` pictures and runs."""
        began = time.monotonic()
        # Each web process detects on its side that all is well.
        await_so(lambda: all(self.try_write().status < 300 for _ in range(IN_A_ROW)))
        assert self.want("GET", f"{PLOT}/data") == self.kept
        self._number += 1
        await_so(lambda: self.try_write().status < 300)
        if whole:
            await_so(lambda: self.call("GET", PNG).status == 200)
            run = self.trigger(QUICK)
            await_so(lambda: self.status(run) == "success")
        await_so(lambda: json.loads(self.call("GET", "/readyz", Accept=JSON).body)["status"] != "fail")
        return time.monotonic() - began

    def _make_job(self, name: str, recipe: str) -> None:
        self.want("PUT", f"/v1/code/repos/{name}")
        work = Work(self.folder.with_name(f"work-{name}"))
        work.commit({"Containerfile": recipe})
        address = f"http://{USER}:{self.token}@127.0.0.1:{self.web.port}/git/{USER}/{name}.git"
        done = work.run("push", address, "HEAD:main")
        assert done.returncode == 0, done.stderr
        self.want("PUT", f"/v1/code/jobs/{name}")
        self.want("POST", f"/v1/code/jobs/{name}/config/chains", name.encode())


def await_so(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + WELL_SECONDS
    while not is_so():
        assert time.monotonic() < until, "it did not become well"
        time.sleep(0.02)
