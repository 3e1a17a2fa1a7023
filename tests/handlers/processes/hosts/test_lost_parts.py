"""The bucket or the registry lost to one of two hosts: the other goes on, and all is right afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.processes.hosts.sleepers import PAUSES, RECIPE, sleepers
from tests.kit.clocks import until
from tests.kit.hosts.cabled import CabledHost, cabled_hosts
from tests.kit.hosts.relays import BUCKET, REGISTRY
from tests.kit.postgres import Postgres

# Namespaces are made by root with iproute2, which Podman's networks need too.
pytestmark = [pytest.mark.repeats, pytest.mark.podman, pytest.mark.postgres, pytest.mark.timeout(600)]

DOC, SPACE = "/v1/vis/docs/birds", "/v1/code/spaces/field"
FILES = f"{SPACE}/content"
JOB, LATER_JOB = "/v1/code/jobs/counts", "/v1/code/jobs/more"


@pytest.fixture
def hosts(tmp_path: Path, postgres: Postgres, request: pytest.FixtureRequest) -> Iterator[list[CabledHost]]:
    with cabled_hosts(tmp_path, postgres, registry=request.param) as hosts:
        yield hosts


def names(host: CabledHost, token: str, folder: str) -> set[str]:
    return {row["name"] for row in json.loads(host.asks("GET", f"{folder}?format=json", token))}


def make_job(host: CabledHost, token: str, job: str, repo: str) -> None:
    host.asks("PUT", job, token)
    host.asks("POST", f"{job}/config/chains", token, repo)


def log_of(host: CabledHost, job: str, run: str, token: str) -> str:
    return host.asks("GET", f"{job}/runs/{run}/log", token)


@pytest.mark.parametrize("hosts", [False], indirect=True, ids=["without a registry"])
def test_a_web_server_without_the_bucket_says_so_and_keeps_no_row_without_bytes(
    hosts: list[CabledHost],
) -> None:
    one, other = hosts
    alice = one.server.add("alice")
    for path in (DOC, SPACE, JOB, "/v1/code/repos/steps"):
        one.asks("PUT", path, alice)
    one.asks("PUT", f"{FILES}/old.txt", alice, "before")
    one.cable.lose(BUCKET)
    one.asks("POST", f"{DOC}/content", alice, "a text is a row")
    assert other.asks("GET", f"{DOC}/content", alice) == "a text is a row"
    for method, name, body in (
        ("PUT", "new.txt", "lost"),
        ("PUT", "old.txt", "lost"),
        ("GET", "old.txt", ""),
    ):
        status, said = one.ask(method, f"{FILES}/{name}", alice, body)
        assert (status, json.loads(said)["status"]) == (503, 503), (method, name, status, said)
        assert "file store" in said
    assert other.asks("GET", f"{FILES}/old.txt", alice) == "before"
    other.asks("PUT", f"{FILES}/other.txt", alice, "meanwhile")
    for host in hosts:
        assert names(host, alice, FILES) == {"old.txt", "other.txt"}
    one.cable.find(BUCKET)
    assert (
        until(lambda: one.ask("GET", f"{FILES}/old.txt", alice), lambda said: said[0] == 200)[1] == "before"
    )
    one.asks("PUT", f"{FILES}/new.txt", alice, "kept")
    for host in hosts:
        said = {name: host.asks("GET", f"{FILES}/{name}", alice) for name in names(host, alice, FILES)}
        assert said == {"old.txt": "before", "other.txt": "meanwhile", "new.txt": "kept"}
    assert [line for line in one.log.read_text().splitlines() if '"status":500' in line] == []


@pytest.mark.parametrize("hosts", [True], indirect=True, ids=["with a registry"])
def test_runs_where_the_bucket_is_lost_wait_a_while_and_then_fail(
    hosts: list[CabledHost], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with one.program("runner"):
        assert other.build("alice", "steps", RECIPE, tmp_path / "work") == "ready"
        make_job(other, alice, JOB, "steps")
        kept = other.trigger(JOB, alice, "pause")
        assert until(lambda: sleepers(PAUSES), bool, 60)
        one.cable.lose(BUCKET)
        status, said = one.ask("POST", f"{JOB}/data", alice, '"x"', "application/json")
        assert (status, "file store" in said) == (503, True), said
        assert until(lambda: sleepers(PAUSES), lambda found: not found, 60) == []
        assert other.status_of(JOB, kept, alice) == "processing"
        one.cable.find(BUCKET)
        assert other.end_of(JOB, kept, alice) == "success", log_of(other, JOB, kept, alice)
        assert other.asks("GET", f"{JOB}/runs/{kept}/output", alice) == '"pause"'
        one.cable.lose(BUCKET)
        lost = other.trigger(JOB, alice, "short")
        assert other.end_of(JOB, lost, alice) == "failed"
        said = log_of(other, JOB, lost, alice)
        assert "file store does not answer" in said
        assert "trigger" in said
    with other.program("runner"):
        again = other.trigger(JOB, alice, "short")
        assert other.end_of(JOB, again, alice) == "success"
    one.cable.find(BUCKET)
    with one.program("runner"):
        third = one.trigger(JOB, alice, "third")
        assert one.end_of(JOB, third, alice) == "success"
        assert other.asks("GET", f"{JOB}/runs/{third}/output", alice) == '"third"'
    assert names(other, alice, f"{JOB}/runs") == {kept, lost, again, third}


@pytest.mark.parametrize("hosts", [True], indirect=True, ids=["with a registry"])
def test_a_runner_without_the_registry_runs_what_it_has_and_says_what_it_lacks(
    hosts: list[CabledHost], tmp_path: Path
) -> None:
    one, other = hosts
    alice = other.server.add("alice")
    with one.program("runner"):
        assert other.build("alice", "steps", RECIPE, tmp_path / "work") == "ready"
        make_job(other, alice, JOB, "steps")
        one.cable.lose(REGISTRY)
        run = other.trigger(JOB, alice, "short")
        assert other.end_of(JOB, run, alice) == "success", log_of(other, JOB, run, alice)
        assert other.build("alice", "late", f"{RECIPE}LABEL late=1\n", tmp_path / "late") == "failed"
        assert "does not answer" in other.asks("GET", "/v1/code/repos/late/log", alice)
    with other.program("runner"):
        assert other.build("alice", "more", f"{RECIPE}LABEL more=1\n", tmp_path / "more") == "ready"
        make_job(other, alice, LATER_JOB, "more")
        assert other.end_of(LATER_JOB, other.trigger(LATER_JOB, alice, "short"), alice) == "success"
    with one.program("runner"):
        lost = other.trigger(LATER_JOB, alice, "short")
        assert other.end_of(LATER_JOB, lost, alice) == "failed"
        said = log_of(other, LATER_JOB, lost, alice)
        assert "the registry" in said
        assert "trigger it again with the same input" in said
        one.cable.find(REGISTRY)
        found = other.trigger(LATER_JOB, alice, "short")
        assert other.end_of(LATER_JOB, found, alice) == "success", log_of(other, LATER_JOB, found, alice)
