"""A service with all its processes, and what a Prometheus beside it scrapes from them."""

from __future__ import annotations

import json
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.kit.clocks import until
from tests.kit.processes import free_port
from tests.kit.server import RUNNER, Server, environment, program
from tests.kit.wire.certificate import make_certificate

CONNECTIONS = 64
LONG_AGO = "2020-01-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Scrape:
    """What one scrape of all jobs brought, and when."""

    at: float
    samples: tuple[Sample, ...]

    def value(self, name: str, **labels: str) -> float:
        found = (
            one.value for one in self.samples if one.name == name and labels.items() <= one.labels.items()
        )
        return next(found, -1.0)


@dataclass
class Plant:
    """A service with all its processes, and what a Prometheus beside it scrapes."""

    folder: Path
    disk: Path
    stack: ExitStack
    server: Server = field(init=False)
    metrics: str = field(default_factory=lambda: f"127.0.0.1:{free_port()}")
    exporter: int = field(default_factory=free_port)
    site: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @cached_property
    def usual(self) -> dict[str, str]:
        """Settings of all processes: without the relay, a runner would deliver mails to its outbox."""
        return {
            "CURLEW_METRICS": self.metrics,
            "CURLEW_CONNECTIONS": str(CONNECTIONS),
            "CURLEW_SMTP": f"smtp://127.0.0.1:{free_port()}",
        }

    def start(self) -> None:
        enter = self.stack.enter_context
        self.server = Server(self.folder, port := free_port())
        web = {**self.usual, "CURLEW_BIND": f"127.0.0.1:{port}"}
        own = ["-P", "-m", "handlers"]
        self.processes["web"] = enter(program([*own, "web", "--data", str(self.folder)], **web))
        self.add_runner("one")
        for name in ("render", "metrics"):
            self.processes[name] = enter(program([*own, name, "--data", str(self.folder)], **self.usual))
        self._watch_certificate()

    def add_runner(self, name: str) -> None:
        """Start a runner with a separate folder, which knows the images that there are now."""
        (home := self.disk / name).mkdir()
        runner = program(["-P", str(RUNNER), str(self.folder)], CURLEW_RUNNER_FOLDER=str(home), **self.usual)
        self.processes[name] = self.stack.enter_context(runner)

    def _watch_certificate(self) -> None:
        settings = self.disk / "exporter.yml"
        tls = {"prober": "tcp", "tcp": {"tls": True, "tls_config": {"insecure_skip_verify": True}}}
        settings.write_text(json.dumps({"modules": {"tls": tls}}))
        words = [f"--config.file={settings}", f"--web.listen-address=127.0.0.1:{self.exporter}"]
        exporter = subprocess.Popen(["prometheus-blackbox-exporter", *words], stderr=subprocess.DEVNULL)
        self.stack.callback(exporter.wait)
        self.stack.callback(exporter.terminate)

    def scrape(self) -> Scrape:
        """What Prometheus would store: the figures of Curlew and of the exporter, and which jobs answer."""
        at, found = time.time(), list[Sample]()
        probe = f"127.0.0.1:{self.exporter}/probe?module=tls&target=127.0.0.1:{self.site}"
        for job, address in (("curlew", f"{self.metrics}/metrics"), ("curlew-tls", probe)):
            text = ""
            with suppress(OSError), urlopen(f"http://{address}", timeout=30) as answer:
                text = answer.read().decode()
            own = {"job": job, "instance": "a"}
            found.append(Sample("up", own, float(bool(text))))
            for family in text_string_to_metric_families(text):
                found += [Sample(one.name, {**one.labels, **own}, one.value) for one in family.samples]
        return Scrape(at, tuple(found))

    def wait(self, name: str, value: float, **labels: str) -> None:
        """Wait until a figure has a value."""
        seen = until(self.scrape, lambda now: now.value(name, **labels) == value, 60)
        assert seen.value(name, **labels) == value, [one for one in seen.samples if one.name == name]

    def command(self, *words: str) -> str:
        """What `curlew` with these words prints."""
        whole = [sys.executable, "-P", "-m", "handlers", *words, "--data", str(self.folder)]
        return subprocess.run(whole, env=environment(), check=True, text=True, stdout=subprocess.PIPE).stdout

    def change(self, statement: str, *values: object) -> None:
        """Change the database, as only time does."""
        with closing(sqlite3.connect(self.folder / "curlew.db", 30)) as database, database:
            assert database.execute(statement, values).rowcount == 1

    def kill_runner(self, name: str) -> None:
        """Kill a runner, and let the ten seconds of its lease pass."""
        self.processes[name].kill()
        self.processes[name].wait()
        self.change(
            "UPDATE worker SET expires_on = ? WHERE name LIKE ?", LONG_AGO, f"%-{self.processes[name].pid}-%"
        )

    def begin(self, ask: Callable[[], object]) -> None:
        """Ask for what nobody does now: its answer comes only when it is done, or the server has gone."""

        def wait() -> None:
            with suppress(AssertionError, OSError):
                ask()

        threading.Thread(target=wait, daemon=True).start()

    def refused(self, method: str, path: str, body: object, status: int) -> None:
        with pytest.raises(urllib.error.HTTPError) as refusal:
            self.server.ask(method, path, body)
        refusal.value.close()
        assert refusal.value.code == status

    @contextmanager
    def certificate(self, days: int) -> Iterator[None]:
        """A site whose certificate ends in this number of days."""
        pair = self.disk / "site.crt", self.disk / "site.key"
        make_certificate(*pair, "127.0.0.1", days)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        with socket.create_server(("127.0.0.1", self.site)) as listener:
            thread = threading.Thread(target=_greet, args=(listener, context))
            thread.start()
            try:
                until(self.scrape, lambda now: now.value("probe_success") == 1, 30)
                yield
            finally:
                listener.shutdown(socket.SHUT_RDWR)
                thread.join()


def _greet(listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            wire, _ = listener.accept()
        except OSError:
            return
        with wire, suppress(OSError):
            context.wrap_socket(wire, server_side=True).close()
