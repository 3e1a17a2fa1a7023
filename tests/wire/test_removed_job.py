"""Anyone who waits for a run hears that its job was removed."""

from __future__ import annotations

import json
import threading

from tests.kit.client import Answer
from tests.kit.service import Application

JOB = "/v1/code/jobs/letter"


def test_a_trigger_learns_that_its_job_was_removed(service: Application) -> None:
    service.arrange("image", ["alice/slow", "SLEEP=20"], [])
    answers: list[Answer] = []

    def ask(method: str, path: str, body: bytes = b"", media: str = "text/plain") -> Answer:
        headers = [("Authorization", f"Bearer {service.user('alice')}"), ("Content-Type", media)]
        return service.call(method, path, headers, body)

    ask("PUT", JOB)
    ask("POST", f"{JOB}/config/chains", b"slow")
    waits = threading.Thread(
        target=lambda: answers.append(ask("POST", f"{JOB}/data", b"{}", "application/json"))
    )
    waits.start()
    while "slow" not in service.engine.given:
        threading.Event().wait(0.01)
    (run,) = service.world.code.runs.reader.newest(service.item("job", "alice/letter").id, 1)
    assert ask("DELETE", JOB).status == 200
    waits.join(20)
    (answer,) = answers
    problem = json.loads(answer.body)
    assert (answer.status, problem["run"], problem["run_status"]) == (409, run.id, "canceled")
    assert answer.headers["location"] == f"{JOB}/runs/{run.id}"
