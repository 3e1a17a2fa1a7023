"""What a space may hold is a setting: uploads, steps and holds are kept to it, and say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handlers.processes.world import build
from handlers.settings.sources import load
from tests.kit.client import Answer
from tests.kit.service import Application

JOB, FILES = "/v1/code/jobs/writer", "/v1/code/spaces/notes/content"
QUOTA = 12


@pytest.fixture
def site(service: Application) -> Application:
    """alice's space `notes` with 5 of at most 12 bytes, and her job, which mounts it."""
    service.world.code.spaces.quota = QUOTA  # type: ignore[misc]
    for method, path, body in (
        ("PUT", "/v1/code/spaces/notes", b""),
        ("POST", f"{FILES}/a.txt", b"12345"),
        ("PUT", JOB, b""),
        ("POST", f"{JOB}/config/spaces", b"n => /u/alice/s/notes,rw"),
    ):
        assert ask(service, method, path, body).status < 300
    return service


def ask(service: Application, method: str, path: str, body: bytes = b"", media: str = "text/plain") -> Answer:
    headers = [("Authorization", f"Bearer {service.user('alice')}"), ("Content-Type", media)]
    return service.call(method, path, headers, body)


def run(service: Application, chain: bytes, script: str) -> tuple[Answer, str]:
    """How a run of the job was answered whose step does as the script says, and its log."""
    service.arrange("image", ["alice/step", script], [])
    assert ask(service, "POST", f"{JOB}/config/chains", chain).status < 300
    answer = ask(service, "POST", f"{JOB}/data", b'{"a": "a long sentence"}', "application/json")
    log = ask(service, "GET", f"{answer.headers['location']}/log")
    return answer, log.body.decode()


def test_the_quota_is_a_setting(tmp_path: Path) -> None:
    live_world = build(load({}, data=str(tmp_path), space_quota="4096"))
    assert live_world.world.code.spaces.quota == 4096
    live_world.close()


def test_an_upload_beyond_the_quota_is_refused_whole(site: Application) -> None:
    answer = ask(site, "PUT", f"{FILES}/b.txt", b"12345678")
    assert answer.status == 413
    assert "7 bytes" in json.loads(answer.body)["detail"]
    assert ask(site, "GET", f"{FILES}/b.txt").status == 404
    assert ask(site, "PUT", f"{FILES}/b.txt", b"1234567").status == 201
    assert ask(site, "POST", f"{FILES}/a.txt", b"123456").status == 413
    assert ask(site, "GET", f"{FILES}/a.txt").body == b"12345"
    assert ask(site, "DELETE", f"{FILES}/b.txt").status == 200
    assert ask(site, "POST", f"{FILES}/a.txt", b"123456789012").status == 200


def test_a_step_that_leaves_more_fails_and_changes_nothing(site: Application) -> None:
    answer, log = run(site, b"step", "WRITE=/mnt/n/a.txt=1;/mnt/n/b.txt=123456789012")
    assert answer.status == 422
    assert "step: The files of a space may hold 12 bytes together" in log
    assert ask(site, "GET", f"{FILES}/a.txt").body == b"12345"
    assert ask(site, "GET", f"{FILES}/b.txt").status == 404


def test_a_run_whose_files_do_not_fit_a_space_cannot_wait(site: Application) -> None:
    answer, log = run(site, b"!step", "COPY=")
    assert answer.status == 422
    assert "The run cannot wait before step: The files of a space may hold 12 bytes together" in log
    spaces = json.loads(ask(site, "GET", "/v1/code/spaces").body)
    assert [space["name"] for space in spaces] == ["notes"]
