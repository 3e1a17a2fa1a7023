"""Many files that come with one request wait for the disk a few times, and not at all where no run may be."""

from __future__ import annotations

import json
import time

import pytest

from chains.files.fsync import FEW
from tests.kit.client import Answer
from tests.kit.disk.flushes import counted_flushes
from tests.kit.service import Application

JOB = "/v1/users/alice/code/jobs/letter"
FORM = "multipart/form-data; boundary=line"
MANY = 3_000


def form(count: int, folders: int = 1) -> bytes:
    """A form with this number of files of one byte."""
    head = b'--line\r\nContent-Disposition: form-data; name="file"; filename="d%d/f%d"\r\n\r\nx\r\n'
    return b"".join(head % (number % folders, number) for number in range(count)) + b"--line--\r\n"


def ask(
    service: Application, method: str, path: str, body: bytes = b"", media: str = "text/plain",
    user: str = "alice", **more: str,
) -> Answer:  # fmt: skip
    headers = [("Authorization", f"Bearer {service.user(user)}"), *more.items()]
    return service.call(method, path, [*headers, ("Content-Type", media)] if body else headers, body)


@pytest.fixture
def job(service: Application) -> Application:
    """A service on which alice has a job without a chain."""
    assert ask(service, "PUT", JOB).status == 201
    return service


def waits(service: Application, body: bytes, user: str = "alice") -> tuple[int, int, float]:
    """The status of a trigger, the flushes until it is answered, and the processor time that it took."""
    began = time.process_time()
    with counted_flushes() as seen:
        answer = ask(service, "POST", f"{JOB}/data", body, FORM, user, Prefer="respond-async")
    return answer.status, seen.single + seen.whole, time.process_time() - began


def test_a_job_that_cannot_run_takes_no_files(job: Application) -> None:
    small, many = form(1), form(MANY)
    status, flushes, little = waits(job, small)
    assert (status, flushes) == (409, 0)
    status, flushes, much = waits(job, many)
    assert (status, flushes) == (409, 0)
    assert much < 20 * little + 0.5
    job.user("bob")
    assert waits(job, many, "bob")[:2] == (404, 0)


def test_a_rejected_run_takes_no_files(job: Application) -> None:
    job.user("bob")
    assert ask(job, "POST", f"{JOB}/config/chains", b"@bob/closed").status == 200
    status, flushes, _ = waits(job, form(MANY))
    assert (status, flushes) == (403, 0)
    assert len(json.loads(ask(job, "GET", f"{JOB}/runs", Accept="application/json").body)) == 1


@pytest.mark.parametrize("folders", [1, MANY])
def test_the_files_of_a_run_wait_for_the_disk_together(job: Application, folders: int) -> None:
    job.arrange("image", ["alice/step", "COPY="], [])
    assert ask(job, "POST", f"{JOB}/config/chains", b"step").status == 200
    assert waits(job, form(MANY, folders))[0] == 202
    one, many = waits(job, form(1)), waits(job, form(MANY, folders))
    assert one[0] == many[0] == 202
    assert many[1] <= one[1] + 2 * FEW


def test_more_files_than_may_come_are_refused(job: Application) -> None:
    job.arrange("image", ["alice/step", "COPY="], [])
    assert ask(job, "POST", f"{JOB}/config/chains", b"step").status == 200
    answer = ask(job, "POST", f"{JOB}/data", form(10_001), FORM)
    assert answer.status == 413
    assert "more than 10000 files came at once" in json.loads(answer.body)["detail"]
