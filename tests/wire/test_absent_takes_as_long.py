"""What is private takes as long as what is absent, so that nobody learns from a clock what there is."""

from __future__ import annotations

import random
import time
from statistics import median

from tests.kit.service import Application

DOCS = "/v1/users/alice/vis/docs"
PAIRS, TRIES = 150, 8
CLOSE = 0.05
"""Without equal work it was 0.15; alone on a machine it is 0.01."""


def difference(service: Application, token: str, rest: str) -> float:
    """The part by which the medians of the private and of the absent name differ, asked in turn."""
    took: dict[str, list[float]] = {"private1": [], "absent01": []}
    for _ in range(PAIRS):
        for name in random.sample(list(took), 2):
            began = time.thread_time()
            answer = service.call("GET", f"{DOCS}/{name}{rest}", [("Authorization", f"Bearer {token}")], b"")
            took[name].append(time.thread_time() - began)
            assert answer.status == 404
    return abs(median(took["private1"]) / median(took["absent01"]) - 1)


def test_private_and_absent_take_as_long(service: Application) -> None:
    service.user("alice", "public")
    token = service.user("mallory")
    made = [("Authorization", f"Bearer {service.user('alice')}")]
    assert service.call("PUT", f"{DOCS}/private1", made, b"").status == 201
    for rest in ("", "/content"):
        assert any(difference(service, token, rest) < CLOSE for _ in range(TRIES))
