"""Lists of runs that are longer than what is shown."""

from __future__ import annotations

import json
from typing import Any

from tests.kit.service import Application

RUNS = "/v1/code/jobs/count/runs"
TRIGGERED = 33


def answer_of(service: Application, method: str, path: str, body: bytes = b"", **headers: str) -> Any:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    sent = [("Authorization", f"Bearer {service.user('alice')}"), ("Accept", "application/json"), *named]
    answer = service.call(method, path, sent, body)
    assert answer.status < 300, answer.body
    return json.loads(answer.body) if answer.body.startswith((b"[", b"{")) else answer


def test_the_thirty_newest_are_listed_and_all_are_reachable(service: Application) -> None:
    answer_of(service, "PUT", "/v1/code/jobs/count")
    answer_of(service, "POST", "/v1/code/jobs/count/config/chains", b"unborn", Content_Type="text/plain")
    made = [
        answer_of(
            service,
            "POST",
            "/v1/code/jobs/count/data",
            b"{}",
            Content_Type="application/json",
            Prefer="respond-async",
        )["run"]
        for _ in range(TRIGGERED)
    ]
    newest_first = made[::-1]
    assert [entry["name"] for entry in answer_of(service, "GET", RUNS)] == newest_first[:30]
    history = answer_of(service, "GET", "/v1/code/jobs/count/stats/runs")
    assert [row["name"] for row in history] == newest_first
    assert answer_of(service, "GET", f"{RUNS}/{made[0]}/stats")["name"] == made[0]
