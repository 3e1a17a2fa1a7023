"""Threads far down, in odd hands, and read by anyone who may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from handlers.trees.facets.threads import DEEPEST
from tests.kit.client import Answer
from tests.kit.service import Application

HERE = "/v1/users/alice/vis/docs/report/threads"


class Talk:
    """alice's document, on which bob may write and carol may not."""

    def __init__(self, service: Application) -> None:
        self.service = service
        for name in ("alice", "bob", "carol"):
            service.user(name)
        self.ask("alice", "PUT", "/v1/vis/docs/report")
        service.arrange("share", ["doc", "alice/report", "@bob", "r"], [])

    def ask(self, who: str, method: str, path: str, body: bytes = b"", **more: str) -> Answer:
        headers = [("Authorization", f"Bearer {self.service.user(who)}"), *more.items()]
        if body and "Content-Type" not in more:
            headers.append(("Content-Type", "text/plain"))
        return self.service.call(method, path, headers, body)

    def listed(self, path: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self.ask("bob", "GET", path).body)
        return rows


@pytest.fixture
def talk(service: Application) -> Talk:
    return Talk(service)


def test_answers_nest_to_a_bound(talk: Talk) -> None:
    path = HERE
    for level in range(DEEPEST):
        who = ("alice", "bob")[level % 2]
        assert talk.ask(who, "PUT", f"{path}/r", b"level").status == 201
        path = f"{path}/@{who}~r/comments"
    refused = talk.ask("alice", "PUT", f"{path}/r")
    assert refused.status == 400
    assert b"32 deep" in refused.body
    assert talk.ask("bob", "GET", path.removesuffix("/comments") + "/msg").body == b"level"
    assert talk.listed(path) == []


def test_what_is_deleted_far_down_takes_along_what_only_stood_for_it(talk: Talk) -> None:
    path, places = HERE, []
    for _ in range(5):
        talk.ask("alice", "PUT", f"{path}/r", b"level")
        places.append(f"{path}/@alice~r")
        path = f"{path}/@alice~r/comments"
    for place in places[:-1]:
        assert talk.ask("alice", "DELETE", place).status == 200
    assert [row["deleted"] for row in talk.listed(HERE)] == [True]
    assert talk.ask("bob", "GET", f"{places[-1]}/msg").body == b"level"
    assert talk.ask("alice", "DELETE", places[-1]).status == 200
    assert talk.listed(HERE) == []


@pytest.mark.parametrize(
    ("body", "media", "status"),
    [
        (b"a=b", "application/x-www-form-urlencoded", 415),
        (b"\xff\xfe", "text/plain", 400),
        (b"a\0b", "text/plain", 400),
        (b"x" * (64 * 1024 + 1), "text/plain", 413),
        ("Ünïcode – ✓ <script>alert(1)</script>".encode(), "text/plain", 200),
    ],
)
def test_odd_texts_are_refused_or_kept(talk: Talk, body: bytes, media: str, status: int) -> None:
    talk.ask("bob", "PUT", f"{HERE}/start")
    path = f"{HERE}/@bob~start/msg"
    assert talk.ask("bob", "POST", path, body, **{"Content-Type": media}).status == status
    kept = talk.ask("alice", "GET", path, Accept="application/json")
    assert b"<script" not in json.loads(kept.body)["html"].encode()
    assert talk.ask("alice", "GET", path).body == (body if status == 200 else b"")


def test_a_comment_goes_with_its_document(talk: Talk) -> None:
    talk.ask("bob", "PUT", f"{HERE}/start", b"hello")
    talk.ask("alice", "DELETE", "/v1/vis/docs/report")
    talk.ask("alice", "PUT", "/v1/vis/docs/report")
    assert json.loads(talk.ask("alice", "GET", "/v1/vis/docs/report/threads").body) == []
