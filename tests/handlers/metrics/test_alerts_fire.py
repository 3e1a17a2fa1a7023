"""Each alert, over figures that Prometheus would scrape from real processes while its fault is there."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from storage.backup.backup import LAST_BACKUP
from tests.handlers.metrics.test_alert_rules import RULES, promtool, rules
from tests.kit.clocks import until
from tests.kit.disk.small import filled, mounted
from tests.kit.processes import free_port
from tests.kit.scripted_runner import ENGINE_AWAY
from tests.kit.server import RUNNER, Server, environment, program
from tests.kit.wire.certificate import make_certificate

DISK, INODES = 256 << 20, 4000
CONNECTIONS = 64
LONG_AGO = "2020-01-01T00:00:00.000Z"
DAY = 86_400
MINUTES = 120
SLOW_SECONDS = 2.7
NAMED = re.compile(r"\b(?:curlew|probe)_[a-z_]+|\bup\b")
DATED = {"curlew_backup_seconds", "probe_ssl_earliest_cert_expiry"}
"""Figures that are moments: promtool's clock begins at 0, so they are moved by the moment of the scrape."""
COUNTS = ("_total", "_bucket")


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

    def start(self) -> None:
        usual = {
            "CURLEW_METRICS": self.metrics,
            "CURLEW_CONNECTIONS": str(CONNECTIONS),
            "CURLEW_SMTP": f"smtp://127.0.0.1:{free_port()}",
        }
        enter = self.stack.enter_context
        self.server = Server(self.folder, port := free_port())
        bind = {"CURLEW_BIND": f"127.0.0.1:{port}"}
        own = ["-P", "-m", "handlers"]
        self.processes["web"] = enter(program([*own, "web", "--data", str(self.folder)], **usual, **bind))
        self.add_runner("one", **usual)
        for name in ("render", "metrics"):
            self.processes[name] = enter(program([*own, name, "--data", str(self.folder)], **usual))
        self._watch_certificate()

    def add_runner(self, name: str, **usual: str) -> None:
        """Start a runner with a folder of its own, which knows the images that there are now."""
        (home := self.disk / name).mkdir()
        runner = program(["-P", str(RUNNER), str(self.folder)], CURLEW_RUNNER_FOLDER=str(home), **usual)
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
        """A site whose certificate ends in so many days."""
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


@contextmanager
def clients_beyond_the_most(plant: Plant) -> Iterator[None]:
    port = int(plant.server.origin.rpartition(":")[2])
    with ExitStack() as wires:
        for _ in range(CONNECTIONS + 20):
            wires.enter_context(closing(socket.create_connection(("127.0.0.1", port), 30)))
        count = "curlew_turned_away_total"
        until(plant.scrape, lambda now: now.value(count, why="connections", how="closed") >= 10, 30)
        yield


@contextmanager
def guessed_passwords(plant: Plant) -> Iterator[None]:
    for number in range(40):
        plant.refused("POST", "auth", {"username": f"bird-{number}", "password": "guess"}, 401)
    yield


@contextmanager
def slow_writes(plant: Plant) -> Iterator[None]:
    """Writes that wait for the lock of the database."""
    path = "vis/plots/late/summary"
    plant.server.ask("PUT", "vis/plots/late", who="dunlin")
    asked = threading.Thread(target=plant.server.ask, args=("PUT", path, b"late", "dunlin"))
    with closing(sqlite3.connect(plant.folder / "curlew.db", 30, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        asked.start()
        time.sleep(SLOW_SECONDS)
        database.execute("ROLLBACK")
    asked.join()
    yield


@contextmanager
def relay_away(plant: Plant) -> Iterator[None]:
    plant.server.add("dotterel")
    plant.wait("curlew_mails_waiting", 1, kind="message")
    yield


@contextmanager
def hold_of_last_week(plant: Plant) -> Iterator[None]:
    plant.change("UPDATE hold SET waiting_since = ? WHERE settled_at IS NULL", LONG_AGO)
    yield


@contextmanager
def old_backup(plant: Plant) -> Iterator[None]:
    last, then = plant.folder / LAST_BACKUP, time.time() - 3 * DAY
    os.utime(last, (then, then))
    yield


@contextmanager
def no_inodes(plant: Plant) -> Iterator[None]:
    folder = plant.disk / "many"
    folder.mkdir()
    files = [folder / str(number) for number in range(os.statvfs(plant.disk).f_favail - INODES // 20)]
    for file in files:
        file.touch()
    yield
    for file in files:
        file.unlink()


@contextmanager
def render_killed(plant: Plant) -> Iterator[None]:
    plant.processes["render"].kill()
    plant.processes["render"].wait()
    yield


@contextmanager
def engine_away(plant: Plant) -> Iterator[None]:
    mark = plant.disk / "two" / ENGINE_AWAY
    mark.touch()
    plant.wait("curlew_runners", 1, state="without_podman")
    yield


@contextmanager
def runner_killed(plant: Plant) -> Iterator[None]:
    plant.kill_runner("two")
    plant.wait("curlew_runners", 1, state="late")
    assert plant.scrape().value("curlew_runners", state="working") == 1
    yield


@contextmanager
def last_runner_killed(plant: Plant) -> Iterator[None]:
    plant.kill_runner("one")
    plant.wait("curlew_runners", 0, state="working")
    yield


@contextmanager
def run_that_waits(plant: Plant) -> Iterator[None]:
    plant.begin(lambda: plant.server.ask("POST", "code/jobs/siskin/data", {}, who="dunlin"))
    plant.wait("curlew_runs", 1, state="queued")
    plant.change("UPDATE run SET created_on = ? WHERE worker IS NULL AND status = 'processing'", LONG_AGO)
    yield


@contextmanager
def build_that_waits(plant: Plant) -> Iterator[None]:
    files = {"Containerfile": "FROM scratch\nENV A=b"}
    plant.begin(lambda: plant.server.push("dunlin", "plover", files, plant.disk / "work2"))
    plant.wait("curlew_builds", 1, state="queued")
    plant.change("UPDATE build SET created_on = ? WHERE status = 'queued'", LONG_AGO)
    yield


@contextmanager
def database_away(plant: Plant) -> Iterator[None]:
    database = plant.folder / "curlew.db"
    away = database.rename(plant.folder / "away.db")
    plant.refused("GET", "users/dunlin", None, 503)
    yield
    away.rename(database)


@contextmanager
def metrics_killed(plant: Plant) -> Iterator[None]:
    plant.processes["metrics"].kill()
    plant.processes["metrics"].wait()
    yield


FAULTS: Mapping[str, Callable[[Plant], AbstractContextManager[None]]] = {
    "CurlewTurnsAway": clients_beyond_the_most,
    "CurlewSignInsRefused": guessed_passwords,
    "CurlewSlow": slow_writes,
    "CurlewMailsStuck": relay_away,
    "CurlewHoldForgotten": hold_of_last_week,
    "CurlewBackupOld": old_backup,
    "CurlewDiskNearlyFull": lambda plant: filled(plant.disk, DISK // 12),
    "CurlewLimitNear": no_inodes,
    "CurlewCertificateEnds": lambda plant: plant.certificate(3),
    "CurlewRenderDown": render_killed,
    "CurlewRunnerWithoutPodman": engine_away,
    "CurlewRunnerLost": runner_killed,
    "CurlewNoRunner": last_runner_killed,
    "CurlewRunsQueued": run_that_waits,
    "CurlewBuildsQueued": build_that_waits,
    "CurlewRequestsFail": database_away,
    "CurlewDatabaseAway": database_away,
    "CurlewFiguresGone": metrics_killed,
}
"""How each fault is provoked, in this order; the runners stay away after theirs."""


def prepare(plant: Plant) -> None:
    """Have a user, an image, a run that ended, one that waits at a hold, and a backup."""
    server = plant.server
    server.tokens["dunlin"] = plant.command("user", "add", "dunlin", "--token", "laptop").split()[-1]
    for repo in ("redwing", "plover"):
        server.ask("PUT", f"code/repos/{repo}", who="dunlin")
    files = {"Containerfile": 'FROM scratch\nENV COPY=""'}
    assert "ready" in server.push("dunlin", "redwing", files, plant.disk / "work")
    plant.command("backup", str(plant.disk / "b.tar"))
    for job, chain in (("siskin", b"redwing"), ("late", b"!redwing")):
        server.ask("PUT", f"code/jobs/{job}", who="dunlin")
        server.ask("POST", f"code/jobs/{job}/config/chains", chain, who="dunlin")
        server.ask("POST", f"code/jobs/{job}/data", {}, who="dunlin")
    plant.wait("curlew_holds", 1, state="waiting")
    plant.wait("curlew_runs_ended_day", 1, state="success")


Played = Mapping[str, tuple[Scrape, Scrape]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """Two scrapes of each alert, before and during its fault; those of "" while there is none."""
    with mounted(tmp_path_factory.mktemp("plant") / "disk", DISK, INODES) as disk, ExitStack() as stack:
        plant = Plant(disk / "data", disk, stack)
        plant.start()
        prepare(plant)
        plant.add_runner("two")
        found = {}
        with plant.certificate(90):
            before = plant.scrape()
            for _ in range(5):
                plant.server.ask("GET", "whoami", who="dunlin")
            plant.refused("POST", "auth", {"username": "dunlin", "password": "not this one"}, 401)
            found[""] = (before, plant.scrape())
        for alert, fault in FAULTS.items():
            before = plant.scrape()
            with fault(plant):
                found[alert] = (before, plant.scrape())
        # It would wait for the run and the push that nobody answers.
        plant.processes["web"].kill()
        yield found


def series(alert: str, before: Scrape, after: Scrape) -> list[dict[str, str]]:
    """The figures of an alert as promtool takes them: counts go on as in the minute between two scrapes."""
    names = set(NAMED.findall(rules()[alert]["expr"]))
    first = {(one.name, *sorted(one.labels.items())): one.value for one in before.samples}
    found = []
    for one in after.samples:
        if one.name in names:
            steps = one.value - first.get((one.name, *sorted(one.labels.items())), 0.0)
            step = steps if one.name.endswith(COUNTS) else 0.0
            value = one.value - (after.at if one.name in DATED else 0.0)
            labels = ",".join(f"{name}={json.dumps(said)}" for name, said in one.labels.items())
            found.append({"series": f"{one.name}{{{labels}}}", "values": f"{value:f}+{step:f}x{MINUTES}"})
    return found


def test_each_alert_has_its_fault() -> None:
    assert list(rules()) and set(FAULTS) == set(rules())


@pytest.mark.parametrize("alert", FAULTS)
def test_an_alert_comes_with_its_fault_and_not_without(alert: str, played: Played, tmp_path: Path) -> None:
    firing = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) > bool 0'
    plays = [
        {
            "interval": "1m",
            "input_series": series(alert, *played[of]),
            "promql_expr_test": [
                {
                    "expr": firing,
                    "eval_time": f"{MINUTES - 5}m",
                    "exp_samples": [{"value": 1}] if of else [],
                }
            ],
        }
        for of in ("", alert)
    ]
    assert plays[0]["input_series"]
    play = tmp_path / "play.yml"
    play.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": plays}))
    promtool("test", "rules", play)
