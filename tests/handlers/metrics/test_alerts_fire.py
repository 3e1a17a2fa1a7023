"""Each alert, over figures that Prometheus would scrape from real processes while its fault is there."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from storage.backup.backup import LAST_BACKUP
from tests.handlers.metrics.plant import CONNECTIONS, LONG_AGO, Plant, Scrape
from tests.handlers.metrics.test_alert_rules import RULES, promtool, rules
from tests.kit.clocks import until
from tests.kit.disk.small import filled, mounted
from tests.kit.scripted_runner import ENGINE_AWAY

DISK, INODES = 256 << 20, 4000
DAY = 86_400
MINUTES = 120
SLOW_SECONDS = 2.7
NAMED = re.compile(r"\b(?:curlew|probe)_[a-z_]+|\bup\b")
DATED = {"curlew_backup_seconds", "probe_ssl_earliest_cert_expiry"}
"""Figures that are moments: promtool's clock begins at 0, so they are moved by the moment of the scrape."""
COUNTS = ("_total", "_bucket")


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
    writer = threading.Thread(target=plant.server.ask, args=("PUT", path, b"late", "dunlin"))
    with closing(sqlite3.connect(plant.folder / "curlew.db", 30, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        writer.start()
        time.sleep(SLOW_SECONDS)
        database.execute("ROLLBACK")
    writer.join()
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
