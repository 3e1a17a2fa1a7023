"""Of two answers to a hold at the same moment, sent with two tokens, exactly one wins."""

from __future__ import annotations

import json

import pytest

from chains.runs.states import Status
from tests.kit.client import Answer
from tests.kit.service import Application
from tests.kit.suites.chains import at_once

JOB = "/v1/users/alice/code/jobs/letter"
ROUNDS = 6
TEXT = [("Content-Type", "text/plain")]


def bearer(service: Application, user: str) -> tuple[str, str]:
    return "Authorization", f"Bearer {service.user(user)}"


def waiting(service: Application) -> str:
    """A run of alice's that waits; its id."""
    headers = [bearer(service, "alice"), ("Content-Type", "application/json")]
    answer = service.call("POST", f"{JOB}/data", headers, b"{}")
    assert answer.status == 202
    run: str = json.loads(answer.body)["run"]
    return run


@pytest.mark.parametrize("words", [(b"continue", b"decline"), (b"continue", b"continue")])
def test_one_answer_wins_and_the_other_is_told_so(service: Application, words: tuple[bytes, bytes]) -> None:
    service.arrange("image", ["alice/then", "COPY=sent"], [])
    for method, path, body in (
        ("PUT", "/v1/code/jobs/letter", b""),
        ("POST", "/v1/code/jobs/letter/config/chains", b"!then"),
    ):
        assert service.call(method, path, [bearer(service, "alice"), *TEXT], body).status < 300
    users = ("bob", "carol")
    for user in users:
        service.user(user)
        service.arrange("share", ["job", "alice/letter", f"@{user}", "x"], [])
    for _ in range(ROUNDS):
        run = waiting(service)
        answers = at_once(
            *[
                lambda user=user, word=word, run=run: service.call(  # type: ignore[misc]
                    "POST", f"{JOB}/runs/{run}/hold", [bearer(service, user), *TEXT], word
                )
                for user, word in zip(users, words, strict=True)
            ]
        )
        assert all(isinstance(answer, Answer) for answer in answers), answers
        statuses = {user: answer.status for user, answer in zip(users, answers, strict=True)}  # type: ignore[union-attr]
        assert sorted(statuses.values()) == [202, 409]
        winner = min(users, key=lambda user: statuses[user])
        found = service.world.code.runs.reader.get(service.item("job", "alice/letter").id, run)
        assert found is not None
        ended = service.world.code.runs.waits.wait(found.key, lambda status: status.ended, 10)
        assert ended is (Status.SUCCESS if words[users.index(winner)] == b"continue" else Status.CANCELED)
        assert [held.settled_by for held in service.world.code.runs.reader.holds(found.key)] == [winner]
    assert service.call("GET", "/v1/code/spaces", [bearer(service, "alice")], b"").body == b"[]\n"
