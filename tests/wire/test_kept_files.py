"""A run whose files are gone says so to anyone who triggered it, and answers no empty result."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest

from tests.kit.client import Answer
from tests.kit.service import Application
from tests.wire.test_rerun import FILES, JOB, Desk


@pytest.fixture
def desk(service: Application) -> Desk:
    desk = Desk(service)
    service.arrange("image", ["alice/first", "WRITE=x=1"], [])
    service.arrange("image", ["alice/mid", "WRITE=y=2"], [])
    service.arrange("image", ["alice/last", "COPY="], [])
    return desk


def trigger(desk: Desk) -> str:
    answer = desk.ask("POST", f"{JOB}/data", b"{}", "application/json")
    assert answer.status == 202, answer.body
    return answer.headers["location"].replace("/v1/code/", "/v1/users/alice/code/")


def ended(desk: Desk, run: str) -> str:
    until = time.monotonic() + 60
    while (word := desk.ask("GET", f"{run}/status").body.decode()) in ("processing", "waiting"):
        assert time.monotonic() < until
        time.sleep(0.02)
    return word


def folders(desk: Desk) -> Path:
    return Path(desk.service.world.service.settings.runner_home) / "runs"


@pytest.mark.parametrize("whole", [True, False], ids=["all", "one file"])
def test_a_run_that_waited_fails_without_what_it_left(desk: Desk, whole: bool) -> None:
    assert desk.ask("POST", f"{JOB}/config/chains", b"first -> last\nmid! -> last").status == 200
    run = trigger(desk)
    (folder,) = folders(desk).glob("run-*")
    if whole:
        shutil.rmtree(folder)
    else:
        (folder / "output" / "first" / "x").unlink()
    assert desk.ask("POST", f"{run}/hold", b"continue").status == 202
    assert ended(desk, run) == "failed"
    last = desk.ask("GET", f"{run}/log").body.decode().splitlines()[-1]
    assert "is not as it was stored" in last
    answer = desk.ask("GET", f"{run}/result")
    assert answer.status == 422
    assert "Trigger the job again" in json.loads(answer.body)["detail"]


def blobs(desk: Desk) -> list[Path]:
    return [
        path for path in (desk.service.world.service.settings.folder / "blobs").rglob("*") if path.is_file()
    ]


@pytest.mark.parametrize("harm", ["removed", "truncated"])
def test_parked_files_that_are_gone_are_not_taken_for_none(desk: Desk, harm: str) -> None:
    assert desk.ask("POST", f"{JOB}/config/chains", b"first! -> last").status == 200
    run = trigger(desk)
    assert blobs(desk)
    for path in blobs(desk):
        path.unlink() if harm == "removed" else path.write_bytes(b"")
    assert desk.ask("POST", f"{run}/hold", b"continue").status == 202
    assert ended(desk, run) == "failed"
    assert 'The file "x" is not what was kept' in desk.ask("GET", f"{run}/log").body.decode()


@pytest.mark.parametrize("harm", ["removed", "truncated"])
def test_a_kept_input_that_is_gone_is_not_repeated_as_none(desk: Desk, harm: str) -> None:
    run = desk.trigger(files=FILES)
    for path in blobs(desk):
        path.unlink() if harm == "removed" else path.write_bytes(path.read_bytes()[:-30])
    answer: Answer = desk.ask("POST", f"{run}/rerun")
    assert answer.status == 410
    assert "file store or damaged there" in json.loads(answer.body)["detail"]
