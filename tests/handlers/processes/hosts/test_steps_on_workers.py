"""A job over the real commands: web, runner, scheduler, and a worker that has images from a registry."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from chains.podman.leftovers import unmount
from tests.kit.command import Service
from tests.kit.dask.certificates import make_certificates
from tests.kit.outside.registry import DockerRegistry
from tests.kit.processes import free_port, own, running, tree

pytestmark = [pytest.mark.podman, pytest.mark.repeats]

SECONDS = 240.0
JOB = "/v1/code/jobs/letter"
AGAIN = "trigger it again with the same input"
SCRIPT = "echo on; for n in $(seq 200); do echo $n; done; sleep $(cat /input/*); cp -r /input/. /output"
REPO = f"FROM localhost/busybox:latest\nCMD {json.dumps(['sh', '-c', SCRIPT])}\n"


class Hosts:
    """A web server, and a runner, scheduler and worker that come and go, each with separate folders."""

    def __init__(self, folder: Path, registry: DockerRegistry, stack: ExitStack) -> None:
        self.folder, self.port = folder, free_port()
        tls = make_certificates(folder / "tls")
        self._shared = {
            "ENGINE": "dask",
            "DASK_SCHEDULER": f"tls://127.0.0.1:{free_port()}",
            "DASK_TLS_CA": str(tls.authority),
            "DASK_TLS_CERT": str(tls.certificate),
            "DASK_TLS_KEY": str(tls.key),
            "BLOBS_URL": f"osfs://{folder}/blobs",
            "KEY_FILE": str(folder / "key"),
            "REGISTRY_URL": registry.url,
            "NETWORK": "none",
            "WORKERS": "1",
            "GRACEFUL_TIMEOUT": "1",
            "BIND": f"127.0.0.1:{self.port}",
            "WORKER_DRAIN": "60s",
            "DASK_STEP_WAIT": "90s",
        }
        for name in ("home", "far"):
            (folder / name).mkdir()
            stack.callback(unmount, folder / name)
        web = running("handlers", "web", port=self.port, log=folder / "web.log", **self.settings("home"))
        self.web = Service(folder / "home", self.port, stack.enter_context(web))
        stack.callback(self.web.close)

    def settings(self, name: str) -> dict[str, str]:
        return own({**self._shared, "DATA": str(self.folder / name)})

    @contextmanager
    def part(self, command: str, name: str = "home") -> Iterator[subprocess.Popen[bytes]]:
        """Run a command of the service, which is stopped at the end of the block."""
        with (self.folder / f"{command}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "handlers", command],
                env={**os.environ, **self.settings(name)},
                stdout=log,
                stderr=log,
            )
            try:
                yield process
            finally:
                process.terminate()
                process.wait(SECONDS)

    def command(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "handlers", *words],
            env={**os.environ, **self.settings("home")},
            capture_output=True,
            text=True,
            check=False,
        )
        return f"{done.stderr}\n{done.stdout}".strip()

    def trigger(self, token: str, seconds: str) -> str:
        answer = json.loads(
            self.web.want(
                "POST", f"{JOB}/data", token, seconds.encode(), "application/json", Prefer="respond-async"
            )
        )
        return str(answer["run"])

    def chain(self, token: str, text: str) -> None:
        self.web.want("POST", f"{JOB}/config/chains", token, text.encode())

    def begun(self, token: str, seconds: str) -> str:
        """Start a run, and return it when its step has printed all lines and sleeps `seconds` seconds."""
        run, until = self.trigger(token, seconds), time.monotonic() + SECONDS
        while "copies: 200" not in self.log(run, token):
            assert time.monotonic() < until, (self.log(run, token), self.said())
            time.sleep(0.1)
        return run

    def log(self, run: str, token: str) -> str:
        return self.web.want("GET", f"{JOB}/runs/{run}/log", token).decode()

    def becomes(self, run: str, token: str, wanted: bytes) -> None:
        until = time.monotonic() + SECONDS
        while (status := self.web.want("GET", f"{JOB}/runs/{run}/status", token)) != wanted:
            assert time.monotonic() < until, (status, self.log(run, token), self.said())
            time.sleep(0.1)

    def said(self) -> str:
        return "\n".join(file.read_text()[-1500:] for file in self.folder.glob("*.log"))


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and all that it started, as the end of its host does."""
    for pid in reversed(tree(process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(SECONDS)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[DockerRegistry]:
    registry = DockerRegistry(tmp_path)
    registry.start()
    yield registry
    registry.stop()


def test_a_job_is_run_by_a_worker_that_drains_dies_and_comes_back(
    tmp_path: Path, registry: DockerRegistry
) -> None:
    with ExitStack() as stack:
        hosts = Hosts(tmp_path, registry, stack)
        alice = hosts.command("user", "add", "alice", "--token", "test").splitlines()[-1]
        runner = stack.enter_context(hosts.part("runner"))
        # Neither scheduler nor worker is there yet: images are made all the same, and runs wait.
        hosts.web.push("alice", alice, "copies", REPO)
        hosts.web.want("PUT", JOB, alice)
        hosts.chain(alice, "copies")
        run = hosts.trigger(alice, "0")
        stack.enter_context(hosts.part("scheduler"))
        worker = stack.enter_context(hosts.part("worker", "far"))
        prints_and_leaves_what_it_should(hosts, alice, run)
        goes_on_after_a_hold(hosts, alice)
        may_end_when_its_worker_is_stopped(hosts, alice, worker)
        worker = stack.enter_context(hosts.part("worker", "far"))
        fails_when_its_worker_is_killed(hosts, alice, worker)
        stack.enter_context(hosts.part("worker", "far"))
        is_canceled(hosts, alice)
        left = hosts.begun(alice, "600")
        kill(runner)
        stack.enter_context(hosts.part("runner"))
        hosts.becomes(left, alice, b"failed")
        assert AGAIN in hosts.log(left, alice)
        succeeds(hosts, alice)
        needs_the_registry_for_a_new_image_alone(hosts, alice, registry)


def prints_and_leaves_what_it_should(hosts: Hosts, token: str, run: str) -> None:
    hosts.becomes(run, token, b"success")
    assert hosts.web.want("GET", f"{JOB}/runs/{run}/output", token) == b"0"
    lines = [line.rpartition("copies: ")[2] for line in hosts.log(run, token).splitlines()]
    begin = lines.index("on")
    assert lines[begin + 1 : begin + 201] == [str(number) for number in range(1, 201)]
    assert "answers over TLS; 1 workers have" in hosts.command("doctor")


def goes_on_after_a_hold(hosts: Hosts, token: str) -> None:
    hosts.chain(token, "last <- copies\ncopies! -> last")
    held = hosts.trigger(token, "1")
    hosts.becomes(held, token, b"waiting")
    hosts.web.want("POST", f"{JOB}/runs/{held}/hold", token, b"continue")
    hosts.becomes(held, token, b"success")
    assert hosts.web.want("GET", f"{JOB}/runs/{held}/output", token) == b"1"
    hosts.chain(token, "copies")


def may_end_when_its_worker_is_stopped(hosts: Hosts, token: str, worker: subprocess.Popen[bytes]) -> None:
    run = hosts.begun(token, "6")
    worker.terminate()
    hosts.becomes(run, token, b"success")
    assert worker.wait(SECONDS) == 0


def fails_when_its_worker_is_killed(hosts: Hosts, token: str, worker: subprocess.Popen[bytes]) -> None:
    run = hosts.begun(token, "600")
    kill(worker)
    hosts.becomes(run, token, b"failed")
    assert AGAIN in hosts.log(run, token)


def is_canceled(hosts: Hosts, token: str) -> None:
    run = hosts.begun(token, "600")
    hosts.web.want("POST", f"{JOB}/runs/{run}/status", token, b"canceled")
    hosts.becomes(run, token, b"canceled")


def succeeds(hosts: Hosts, token: str) -> None:
    run = hosts.trigger(token, "1")
    hosts.becomes(run, token, b"success")
    assert hosts.web.want("GET", f"{JOB}/runs/{run}/output", token) == b"1"


def needs_the_registry_for_a_new_image_alone(hosts: Hosts, token: str, registry: DockerRegistry) -> None:
    hosts.web.push("alice", token, "fresh", REPO.replace("echo on;", "echo on; true;"))
    registry.stop()
    succeeds(hosts, token)
    hosts.chain(token, "fresh")
    run = hosts.trigger(token, "1")
    hosts.becomes(run, token, b"failed")
    assert AGAIN in hosts.log(run, token)
    registry.start()
    succeeds(hosts, token)
