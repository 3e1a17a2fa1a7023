"""Figures of real processes: what was done is counted, nobody is named, alerts ask for what there is."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.kit.clocks import until
from tests.kit.processes import free_port
from tests.kit.server import ROOT, Server, environment, program, serving

DEPLOY = ROOT / "deploy" / "prometheus"
NAMED = re.compile(r"\bcurlew_[a-z_]+")
SECONDS = 30.0

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


class Watched:
    """A service with a listener for figures."""

    def __init__(self, server: Server, address: str) -> None:
        self.server = server
        self.address = address

    def text(self) -> str:
        with urlopen(f"http://{self.address}/metrics") as answer:
            said: bytes = answer.read()
        return said.decode()

    def figures(self) -> Figures:
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(self.text())
            for sample in family.samples
        }


def figure(figures: Figures, name: str, **labels: str) -> float | None:
    return figures.get((f"curlew_{name}", frozenset(labels.items())))


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched") / "data"
    address = f"127.0.0.1:{free_port()}"
    words = ["-P", "-m", "handlers", "metrics", "--data", str(folder)]
    with (
        serving(folder, forked=False, CURLEW_METRICS=address, CURLEW_WORKERS="2") as server,
        program(words, CURLEW_METRICS=address),
    ):
        yield Watched(server, address)


@pytest.fixture(scope="module")
def used(watched: Watched, tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """The same after a sign-in that was refused, a run that ended, and one that waits."""
    server = watched.server
    server.add("fieldfare")
    with pytest.raises(urllib.error.HTTPError):
        server.ask("POST", "auth", {"username": "fieldfare", "password": "not this one"})
    server.ask("PUT", "code/repos/redwing", who="fieldfare")
    files = {"Containerfile": 'FROM scratch\nENV COPY=""'}
    assert "ready" in server.push("fieldfare", "redwing", files, tmp_path_factory.mktemp("work") / "redwing")
    for job, chain in (("siskin", b"redwing"), ("linnet", b"!redwing")):
        server.ask("PUT", f"code/jobs/{job}", who="fieldfare")
        server.ask("POST", f"code/jobs/{job}/config/chains", chain, who="fieldfare")
        server.ask("POST", f"code/jobs/{job}/data", {}, who="fieldfare")
    until = time.monotonic() + SECONDS
    while figure(watched.figures(), "holds", state="waiting") != 1:
        assert time.monotonic() < until, watched.text()
        time.sleep(0.2)
    return watched


def test_what_was_done_is_counted(used: Watched) -> None:
    found = used.figures()
    job = "/v1/users/:user/code/jobs/:job"
    assert figure(found, "requests_total", route=job, method="PUT", status="201") == 2
    assert figure(found, "requests_total", route="/v1/auth", method="POST", status="401") == 1
    assert figure(found, "security_events_total", event="sign-in", outcome="refused") == 1
    assert (figure(found, "request_seconds_count", kind="job") or 0) > 2
    assert figure(found, "runs_ended_day", state="success", trigger="api") == 1
    assert figure(found, "runs", state="waiting") == 1
    assert figure(found, "runners", state="working") == 1
    assert figure(found, "database_up") == 1
    assert (figure(found, "disk_bytes", room="free") or 0) > 0
    assert figure(found, "renders", state="in_hand") == 0
    assert figure(found, "limit_near", limit="files") == 0
    assert figure(found, "backup_seconds", state="written") == 0


def test_a_backup_is_dated(used: Watched, tmp_path: Path) -> None:
    words = ["backup", str(tmp_path / "b.tar"), "--data", str(used.server.folder)]
    subprocess.run([sys.executable, "-P", "-m", "handlers", *words], env=environment(), check=True)
    assert abs((figure(used.figures(), "backup_seconds", state="written") or 0) - time.time()) < 120


def test_nobody_is_named(used: Watched) -> None:
    said = used.text()
    assert not [
        name for name in ("fieldfare", "redwing", "siskin", "linnet", str(used.server.folder)) if name in said
    ]


def test_the_listener_has_the_figures_alone(used: Watched) -> None:
    for path in ("", "v1", "metrics/more"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urlopen(f"http://{used.address}/{path}")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urlopen(f"{used.server.origin}/metrics")


def test_alerts_and_the_dashboard_ask_for_figures_that_there_are(used: Watched) -> None:
    names = {name for name, _ in used.figures()}
    rules = [
        rule
        for group in yaml.safe_load((DEPLOY / "curlew-alerts.yml").read_text())["groups"]
        for rule in group["rules"]
    ]
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in rules)
    dashboard = json.loads((DEPLOY / "curlew-dashboard.json").read_text())
    expressions = [rule["expr"] for rule in rules]
    expressions += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert len(expressions) > 15
    assert {name for expression in expressions for name in NAMED.findall(expression)} <= names


def test_web_processes_tell_what_they_have_in_hand(watched: Watched) -> None:
    whats = ("connections", "at_work", "waiting", "buffered", "database")
    with closing(socket.create_connection(("127.0.0.1", int(watched.server.origin.rpartition(":")[2])))):
        found = until(lambda: figure(watched.figures(), "web_in_hand", what="connections"), bool)
        figures = watched.figures()
    assert found >= 1
    assert all((figure(figures, "web_in_hand", what=what) or 0) >= 0 for what in whats)
    assert all(("curlew_web_in_hand", frozenset({("what", what)})) in figures for what in whats)


def test_what_is_turned_away_is_counted_by_its_kind(watched: Watched) -> None:
    port = int(watched.server.origin.rpartition(":")[2])
    with closing(socket.create_connection(("127.0.0.1", port), SECONDS)) as wire:
        wire.sendall(b"GET /\r\n\r\n")
        assert b" 400 " in wire.recv(100)
    count = until(
        lambda: figure(watched.figures(), "turned_away_total", why="malformed", how="answered"), bool
    )
    assert count == 1


def test_top_tells_requests_in_a_second_and_processes(watched: Watched) -> None:
    watched.server.add("dunnock")
    words = [sys.executable, "-P", "-m", "handlers", "top", "--data", str(watched.server.folder)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=environment(CURLEW_METRICS=watched.address)
    ) as top:
        while top.poll() is None:
            watched.server.ask("GET", "whoami", who="dunnock")
            time.sleep(0.02)
        assert top.stdout is not None
        shown = top.stdout.read()
    assert re.search(r"^requests  \d+\.\d a second   200: \d+\.\d", shown, re.MULTILINE), shown
    names = [line.split()[0] for line in shown.splitlines() if line]
    assert names.count("web") == 3
    assert {"metrics", "render"} <= set(names)
